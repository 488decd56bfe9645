"""A core that carries out each op at once: flags between cores, and reads before writes."""

import torch

from tlcourse.chips import DEFAULT_CHIP
from tlcourse.stages.core import Board, Core


def _core(board: Board, kind, sub: int = 0) -> Core:
    sizes = DEFAULT_CHIP.sizes_bytes
    return Core(board, kind=kind, block=0, sub=sub, blocks=1, subs=2, sizes_bytes=sizes)


def test_a_cube_core_waits_for_both_vector_cores() -> None:
    board = Board()
    cube, first, second = (_core(board, *who) for who in (("cube",), ("vector", 0), ("vector", 1)))
    wait = cube.await_flag(3, "INTRA")
    assert list(zip(range(2), wait, strict=False)) == [(0, None), (1, None)]
    first.raise_flag(3, "INTRA")
    assert next(wait, "done") is None
    second.raise_flag(3, "INTRA")
    assert next(wait, "done") == "done"
    assert not any(board.raised.values())


def test_a_flag_of_the_cube_core_serves_each_vector_core_once() -> None:
    board = Board()
    cube, vector, _ = (_core(board, *who) for who in (("cube",), ("vector", 0), ("vector", 1)))
    cube.raise_flag(0, "INTRA")
    assert next(vector.await_flag(0, "INTRA"), "done") == "done"
    assert next(vector.await_flag(0, "INTRA"), "done") is None


def test_a_fresh_tensor_is_poison_and_a_copy_is_its_own() -> None:
    core = _core(Board(), "mix")
    tensor = core.tensor("float32", (2, 3))
    assert tensor.view().isnan().all()
    tensor.view().fill_(1)
    copy = core.copied(tensor)
    copy.view().fill_(2)
    assert tensor.view().eq(1).all()


def test_all_is_read_before_anything_is_written() -> None:
    core = _core(Board(), "vector")
    row = core.buffer("row", "ub", 0, "float32", (8,), (1,))
    row.view().copy_(torch.arange(8.0))
    source = row.subview((0,), (7,), (1,), (0,))
    target = row.subview((1,), (7,), (1,), (0,))

    def shift(values: torch.Tensor, out: torch.Tensor) -> None:
        for index in range(7):
            out[index] = values[index]

    core.compute(shift, (source,), (target,))
    assert row.view().tolist() == [0, 0, 1, 2, 3, 4, 5, 6]


def test_workspace_without_an_address_is_one_for_all_cores_of_a_block() -> None:
    board = Board()
    cube, vector = _core(board, "cube"), _core(board, "vector")
    cube.workspace(64, "float32", (4,), (1,)).view().fill_(5)
    assert vector.workspace(64, "float32", (4,), (1,)).view().eq(5).all()
    assert vector.workspace(128, "float32", (4,), (1,)).view().isnan().all()
