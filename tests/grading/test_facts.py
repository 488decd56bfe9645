"""Facts of the course's kernels, against what can be read off their texts."""

from __future__ import annotations

import pytest

from tlcourse.grading.facts import answer_of


@pytest.mark.parametrize(
    ("fact", "of", "answer"),
    [
        ("parameter", ("minicv", "A", "dtype"), "float16"),
        ("parameter", ("minicv", "C", "shape"), "128 x 256"),
        ("parameter", ("minicv", "B", "output"), "no"),
        ("parameter", ("minicv", "D", "output"), "yes"),
        ("parameter", ("softmax_any", "Y", "shape"), "M x 64"),
        ("symbols", ("minicv",), "none"),
        ("symbols", ("softmax_any",), "M"),
        ("blocks", ("vadd_any", "N=1000"), "3"),  # N // 256
        ("blocks", ("minicv",), "1"),
        ("changes", ("minicv", "enable_auto_multi_buffer", "off"), "buffers"),
        ("changes", ("minicv", "enable_auto_bind_sub_block", "off"), "halves"),
        ("changes", ("minicv", "disable_hivm_auto_inject_sync", "on"), "flags"),
        ("changes", ("minicv", "disable_auto_inject_block_sync", "on"), "between"),
        ("changes", ("minicv", "enable_auto_multi_buffer", "on"), "nothing"),
        ("loop", ("loops", "1"), "vector, none"),  # a shifted load is a region
        ("loop", ("loops", "2"), "scalar, statements"),
        ("loop", ("loops", "3"), "vector, none"),  # a choice, no branch
        ("loop", ("loops", "4"), "scalar, branch"),
        ("loop", ("loops", "5"), "scalar, index"),
        ("loop", ("loops", "6"), "forbidden, order"),
    ],
)
def test_facts_are_read_from_the_kernel(fact: str, of: tuple[str, ...], answer: str) -> None:
    assert answer_of(fact, of) == answer


def test_a_parameter_that_is_not_there_is_no_fact() -> None:
    with pytest.raises(ValueError, match="no parameter Z"):
        answer_of("parameter", ("minicv", "Z", "dtype"))
