"""Flags between the cores: random kernels of both kinds run without race or deadlock.

The judge is the simulator, which finds every two instructions of two cores that touch the same
bytes of the workspace and could swap.
"""

from __future__ import annotations

import torch
from hypothesis import Phase, assume, given, note, settings
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from tests.functional import random_mixed as mixed
from tests.functional.test_differential import read
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.dialects.hivm.sync import SyncBlockSetOp, SyncBlockWaitOp
from tlcourse.dialects.signature import signature
from tlcourse.language import PrimFunc
from tlcourse.pipeline import Compilation, PassOptions, compile_module
from tlcourse.simulator.generate import generate
from tlcourse.simulator.run import run
from tlcourse.tolerance import tolerance

# Each example compiles a kernel and runs it: shrinking a failing one would take minutes.
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate)
# Without bind_sub_block both vector cores store all of C, here as with the real compiler.
_OPTIONS = st.builds(
    PassOptions,
    auto_multi_buffer=st.booleans(),
    cv_pipelining=st.booleans(),
    workspace_multibuffer=st.sampled_from((1, 2, 4)),
)


def _compiled(
    case: mixed.Mixed, options: PassOptions | None = None
) -> tuple[PrimFunc, Compilation]:
    kernel = read(mixed.source(case, "Developer"))
    return kernel, compile_module(
        kernel.module, kernel.sources, mode="Developer", options=options or PassOptions()
    )


def _launched(
    case: mixed.Mixed, kernel: PrimFunc, tile: ModuleOp, executable: ModuleOp, seed: int = 0
) -> tuple[list[str], torch.Tensor]:
    """Codes of what the simulator finds, and C."""
    launch = signature(tile, kernel.sources)
    program = generate(executable, launch, kernel.sources, DEFAULT_CHIP)
    c = torch.zeros(case.rows, case.N)
    found = run(program, [*mixed.inputs(case), c], symbols={}, checks="all", seed=seed)
    return [one.diagnostic.code for one in found.findings], c


@settings(deadline=None, max_examples=12, phases=_PHASES)
@given(case=mixed.mixed(), options=_OPTIONS, seed=st.integers(0, 3))
def test_no_race_and_no_deadlock_is_left(
    case: mixed.Mixed, options: PassOptions, seed: int
) -> None:
    note(mixed.source(case, "Developer"))
    kernel, done = _compiled(case, options)
    codes, c = _launched(case, kernel, done.tile, done.executable, seed)
    assert codes == []
    wanted = mixed.expected(case, *mixed.inputs(case))
    limit = tolerance("float16" if case.again else "float32")
    torch.testing.assert_close(c, wanted, rtol=limit, atol=limit)


@settings(deadline=None, max_examples=8, phases=_PHASES)
@given(case=mixed.mixed(), data=st.data())
def test_without_the_flags_of_one_id_something_is_found(
    case: mixed.Mixed, data: st.DataObject
) -> None:
    kernel, done = _compiled(case)
    flags = [op for op in done.executable.walk() if isinstance(op, SyncBlockSetOp)]
    numbers = sorted({op.flag for op in flags if isinstance(op.flag, int)})
    assume(numbers)
    number = data.draw(st.sampled_from(numbers))
    for op in list(done.executable.walk()):
        if isinstance(op, SyncBlockSetOp | SyncBlockWaitOp) and op.flag == number:
            op.detach()
    note(str(done.executable))
    assert _launched(case, kernel, done.tile, done.executable)[0] != []


def test_a_kernel_without_any_flag_between_its_cores_races() -> None:
    case = mixed.Mixed(
        rows=16, M=16, N=16, K=16, turns=3, steps=(), even=(), again=True, after=(), seed=0
    )
    kernel, done = _compiled(case, PassOptions(inject_block_sync=False))
    assert "TL522" in _launched(case, kernel, done.tile, done.executable)[0]
