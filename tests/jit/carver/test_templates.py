"""Hints of templates: they fit the chip, are in order, and are the same in every run."""

from __future__ import annotations

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.jit.arch import AscendArch
from tlcourse.jit.carver import (
    ElementwiseTemplate,
    GEMVTemplate,
    GeneralReductionTemplate,
    MatmulTemplate,
)
from tlcourse.jit.carver.templates import Template

ARCH = AscendArch()


@pytest.mark.parametrize(
    ("template", "block", "rstep"),
    [
        (ElementwiseTemplate(shape=[1000], dtype="float32"), 1, 0),
        (ElementwiseTemplate(shape=[64, 1024], dtype="float32"), 2, 0),
        (ElementwiseTemplate(shape=[2, 3, 4, 5]), 4, 0),
        (GeneralReductionTemplate(structure="SR", shape=[256, 4096]), 1, 1),
        (GeneralReductionTemplate(structure=["S", "S", "R"], shape=[4, 8, 64]), 2, 1),
        (MatmulTemplate(M=1024, N=512, K=256), 2, 1),
        (GEMVTemplate(N=1024, K=512), 2, 1),
    ],
    ids=repr,
)
def test_forms(template: Template, block: int, rstep: int) -> None:
    hints = template.with_arch(ARCH).recommend_hints(topk=20)
    assert 0 < len(hints) <= 20
    assert {(len(hint.block), len(hint.rstep)) for hint in hints} == {(block, rstep)}
    assert [hint.cost for hint in hints] == sorted(hint.cost for hint in hints)
    assert hints == template.recommend_hints(20)
    assert len(template.recommend_hints(topk=3)) == 3


def test_elementwise_tiles_fit_twice_into_half_of_ub() -> None:
    for hint in ElementwiseTemplate(shape=[4096, 4096], dtype="float32").recommend_hints(1000):
        rows, columns = hint.block
        assert 2 * 3 * rows * max(columns * 4, 32) <= ARCH.ub_cap


def test_matrix_tiles_fit_l1_and_l0c() -> None:
    for hint in MatmulTemplate(M=4096, N=4096, K=4096).recommend_hints(1000):
        (m, n), (k,) = hint.block, hint.rstep
        assert 2 * (m + n) * k * 2 <= ARCH.l1_cap
        assert m * n * 4 <= ARCH.l0c_cap


def test_more_memory_per_element_gives_smaller_tiles() -> None:
    def most(factor: float) -> int:
        template = ElementwiseTemplate(shape=[2**20], custom_mem_mul=factor)
        return max(hint.block[0] for hint in template.recommend_hints(1000))

    assert most(4) * 4 == most(1) == 16384


def test_hint_prints_as_its_sizes() -> None:
    (hint,) = ElementwiseTemplate(shape=[16]).recommend_hints(1)
    assert str(hint) == "{'block': [1], 'rstep': []}"


def test_shape_of_the_caller_is_left_alone() -> None:
    shape = [64, 64]
    ElementwiseTemplate(shape=shape).recommend_hints()
    assert shape == [64, 64]


@pytest.mark.parametrize(
    "make",
    [
        lambda: GeneralReductionTemplate(structure="SX", shape=[2, 2]),
        lambda: GeneralReductionTemplate(structure="S", shape=[2, 2]),
        lambda: ElementwiseTemplate(shape=[4], dtype="float8").recommend_hints(),
    ],
    ids=["letter", "length", "dtype"],
)
def test_what_cannot_be_counted(make: object) -> None:
    assert callable(make)
    with pytest.raises(TLError) as caught:
        make()
    assert caught.value.code == "TL461"
