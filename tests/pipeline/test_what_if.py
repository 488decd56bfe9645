"""Changes to executable HIVM: what is changed, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from xdsl.dialects.builtin import ModuleOp

from tlcourse.chips import DEFAULT_CHIP
from tlcourse.diagnostics import TLError
from tlcourse.dialects.text import to_text
from tlcourse.examples.minicv import minicv_expert
from tlcourse.language import PrimFunc
from tlcourse.pipeline import compile_module
from tlcourse.pipeline.instructions import Line, listing
from tlcourse.pipeline.what_if import Edit, Remove, Shrink, Swap, edited
from tlcourse.simulator.emit.plan import memory_maps, placed
from tlcourse.simulator.generate import device_functions

FUNC = minicv_expert(64, 128, 128, block_M=64, block_N=128, block_K=64)


@pytest.fixture(scope="module")
def executable() -> ModuleOp:
    return compile_module(FUNC.module, FUNC.sources, mode="Expert").executable


def lines_of(module: ModuleOp, func: PrimFunc = FUNC) -> tuple[Line, ...]:
    return listing(module, func.sources)


def number(lines: Sequence[Line], text: str) -> int:
    return next(line.number for line in lines if line.text == text)


def offsets(module: ModuleOp) -> dict[str, int]:
    functions = device_functions(module, FUNC.sources).values()
    maps = memory_maps(placed(functions, FUNC.sources), DEFAULT_CHIP)
    return {buffer.name: buffer.offset_bytes for memory in maps for buffer in memory.buffers}


def test_a_flag_goes_and_nothing_else(executable: ModuleOp) -> None:
    before, text = lines_of(executable), to_text(executable)
    place = number(before, "wait_flag M to FIX, flag 0")
    module = edited(executable, [Remove(numbers=(place,))], FUNC.sources)
    module.verify()
    left = [line.text for line in before if line.number != place]
    assert [line.text for line in lines_of(module)] == left
    assert to_text(executable) == text


def test_a_flag_of_a_product_goes(executable: ModuleOp) -> None:
    before = lines_of(executable)
    place = number(before, "mmadL1 waits until b is in L1: MTE2 to MTE1, flag 1")
    module = edited(executable, [Remove(numbers=(place,))], FUNC.sources)
    left = [line.text for line in before if line.number != place]
    assert [line.text for line in lines_of(module)] == left


def test_two_numbers_are_those_of_the_kernel_as_it_came(executable: ModuleOp) -> None:
    before = lines_of(executable)
    pair = (
        number(before, "set_flag M to FIX, flag 0"),
        number(before, "wait_flag M to FIX, flag 0"),
    )
    module = edited(executable, [Remove(numbers=pair)], FUNC.sources)
    assert not [line for line in lines_of(module) if "M to FIX" in line.text]


def test_two_instructions_change_places(executable: ModuleOp) -> None:
    before = lines_of(executable)
    first, second = number(before, "load on MTE2"), number(before, "store on MTE3")
    module = edited(executable, [Swap(first=first, second=second)], FUNC.sources)
    module.verify()
    after = [line.text for line in lines_of(module)]
    wanted = [line.text for line in before]
    wanted[first], wanted[second] = wanted[second], wanted[first]
    assert after == wanted
    back = edited(module, [Swap(first=second, second=first)], FUNC.sources)
    assert [line.text for line in lines_of(back)] == [line.text for line in before]


def test_a_smaller_buffer_lets_the_next_move_into_it(executable: ModuleOp) -> None:
    """A_l1 is 64 x 64 float16, 8,192 bytes in two copies; B_l1, twice as large, lies behind."""
    before = offsets(executable)
    names = ("A_l1[0]", "A_l1[1]", "B_l1[0]", "B_l1[1]")
    assert [before[name] for name in names] == [0, 8192, 16384, 32768]
    module = edited(executable, [Shrink(buffer="A_l1[0]", size_bytes=1000)], FUNC.sources)
    after = offsets(module)
    assert [after[name] for name in names] == [0, 1024, 9216, 25600]
    others = set(before) - set(names)
    assert {name: after[name] for name in others} == {name: before[name] for name in others}


@pytest.mark.parametrize(
    ("edit", "what"),
    [
        (Remove(numbers=(999,)), "no instruction 999"),
        (Remove(numbers=(0,)), "nd2nz is neither a flag nor a barrier"),
        (Swap(first=0, second=0), "cannot change places"),
        (Swap(first=0, second=19), "cannot change places"),
        (Shrink(buffer="X_ub", size_bytes=32), "no buffer X_ub"),
        (Shrink(buffer="C_ub", size_bytes=16384), "cannot shrink to 16,384 bytes"),
    ],
)
def test_what_cannot_be_changed(executable: ModuleOp, edit: Edit, what: str) -> None:
    with pytest.raises(TLError, match=what) as caught:
        edited(executable, [edit], FUNC.sources)
    assert caught.value.code == "TL340"
