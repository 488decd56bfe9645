"""The full search over tile sizes in steps of 16."""

from __future__ import annotations

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.jit.arch import AscendArch
from tlcourse.jit.carver.anneal import Annealparam, AnnealTemplate

ARCH = AscendArch()


@pytest.mark.parametrize(
    ("shape", "template"),
    [
        ([1024, 512], "Elementwise"),
        ([1024, 512, 256], "Matmul"),
        ([2048, 2048, 128], "FlashAttention"),
    ],
)
def test_choices_divide_the_problem_and_are_in_order(shape: list[int], template: str) -> None:
    found = AnnealTemplate(shape, use_template=template, arch=ARCH).get_configs()
    assert 0 < len(found) <= 10
    for config in found:
        assert all(size % 16 == 0 for size in config.kwargs)
        assert all(x % size == 0 for x, size in zip(shape, config.kwargs, strict=True))
    assert [config.value for config in found] == sorted(config.value for config in found)


def test_attention_keeps_the_head_whole() -> None:
    found = AnnealTemplate([512, 512, 64], use_template="FlashAttention").get_configs()
    assert {config.kwargs[2] for config in found} == {64}
    assert max(max(config.kwargs[:2]) for config in found) <= 256


def test_number_of_answers_and_memory() -> None:
    few = Annealparam(topk=3, custom_mem_multiply=1.0)
    found = AnnealTemplate([4096, 4096, 4096], annealparam=few, use_template="Matmul").get_configs()
    assert len(found) == 3
    for m, n, k in (config.kwargs for config in found):
        assert (m + n) * k * 2 <= ARCH.l1_cap
        assert m * n * 4 <= ARCH.l0c_cap


def test_unknown_kind() -> None:
    with pytest.raises(TLError) as caught:
        AnnealTemplate([16], use_template="Custom")
    assert caught.value.code == "TL461"
