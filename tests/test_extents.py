import pytest
from hypothesis import given
from hypothesis import strategies as st

from tlcourse import extents


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("64", {}, 64),
        ("M", {"M": 7}, 7),
        ("(M + 63) // 64", {"M": 100}, 2),
        ("-M + 2 * N", {"M": 3, "N": 5}, 7),
        ("min(M, 16) * max(N, 2)", {"M": 20, "N": 1}, 32),
        ("-7 // 2", {}, -4),
        ("-7 % 3", {}, 2),
    ],
)
def test_evaluate(text: str, values: dict[str, int], expected: int) -> None:
    assert extents.evaluate(text, values) == expected


def test_symbols_keep_order_of_appearance() -> None:
    assert set(extents.symbols("(M + N) // min(M, 4)")) == {"M", "N"}
    assert extents.symbols("64") == ()


@pytest.mark.parametrize(
    "text", ["M / 2", "f(M)", "__import__('os')", "M.x", "1.5", "", "M +", "min()"]
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not an extent"):
        extents.parse(text)


def test_missing_symbol() -> None:
    with pytest.raises(KeyError):
        extents.evaluate("M", {})


@given(st.integers(1, 10**6), st.integers(1, 512))
def test_ceildiv_agrees_with_python(m: int, block: int) -> None:
    assert extents.evaluate("(M + B - 1) // B", {"M": m, "B": block}) == -(-m // block)
