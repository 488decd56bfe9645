"""Running a stored Program, with torch alone and in turns."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
import torch

import tlcourse.language as T
from tlcourse.chips import DEFAULT_CHIP
from tlcourse.diagnostics import TLError
from tlcourse.jit import compile, launch_program
from tlcourse.records import Program, to_json


@T.prim_func
def double(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(2, is_npu=True) as (cid, _):
        a = T.alloc_ub((32,), "float32")
        T.copy(A[cid * 32 : (cid + 1) * 32], a)
        T.vadd(a, a, a)
        T.copy(a, B[cid * 32 : (cid + 1) * 32])


@pytest.fixture
def program() -> Program:
    return compile(double, out_idx=[1]).program("functional")


def test_outputs_lie_on_the_npu(program: Program) -> None:
    launch = launch_program(program, [torch.arange(64.0).npu()], chip=DEFAULT_CHIP)
    (out,) = launch.outputs
    assert out.device.type == "npu"
    assert out.tolist() == [2.0 * i for i in range(64)]
    assert launch.findings == ()


def test_cpu_tensors_for_graders(program: Program) -> None:
    launch = launch_program(program, [torch.ones(64)], chip=DEFAULT_CHIP, allow_cpu=True)
    assert launch.outputs[0].device.type == "cpu"
    assert (launch.outputs[0] == 2).all()


def test_written_tensor_must_not_share_memory() -> None:
    program = compile(double).program("functional")
    x = torch.ones(64).npu()
    with pytest.raises(TLError) as caught:
        launch_program(program, [x, x], chip=DEFAULT_CHIP)
    assert caught.value.code == "TL409"


def test_functional_launch_has_no_timeline(program: Program) -> None:
    launch = launch_program(program, [torch.ones(64).npu()], chip=DEFAULT_CHIP)
    with pytest.raises(TLError) as caught:
        _ = launch.timeline
    assert caught.value.code == "TL427"
    assert 'execution="simulator"' in caught.value.diagnostic.fix


def test_launches_of_threads_do_not_mix(program: Program) -> None:
    results: dict[int, torch.Tensor] = {}

    def work(number: int) -> None:
        x = torch.full((64,), float(number)).npu()
        results[number] = launch_program(program, [x], chip=DEFAULT_CHIP).outputs[0]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: out[0].item() for number, out in results.items()} == {
        number: 2.0 * number for number in range(8)
    }


def test_stored_program_runs_without_the_compiler(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "program.json"
    path.write_text(to_json(program), encoding="utf-8")
    script = (
        "import sys, torch\n"
        "from pathlib import Path\n"
        "from tlcourse.chips import DEFAULT_CHIP\n"
        "from tlcourse.jit import launch_program\n"
        "from tlcourse.records import Program, from_json\n"
        "program = from_json(Program, Path(sys.argv[1]).read_text(encoding='utf-8'))\n"
        "launch = launch_program(program, [torch.ones(64)], chip=DEFAULT_CHIP, allow_cpu=True)\n"
        "print(launch.outputs[0].sum().item(), 'xdsl' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False
    )
    assert done.stdout == "128.0 False\n", done.stderr
