import pytest
import torch

from tlcourse.grading.numbers import Comparison, compare


def _product(m: int = 64, n: int = 48, k: int = 256, seed: int = 0):
    generator = torch.Generator().manual_seed(seed)
    a = torch.randn(m, k, generator=generator).half()
    b = torch.randn(k, n, generator=generator).half()
    return a, b, a.double() @ b.double(), a.double().abs() @ b.double().abs()


def _words(found: Comparison) -> str:
    return found.where.say("en") if found.where is not None else ""


@pytest.mark.parametrize("k", [64, 512, 4096])
def test_correct_products_pass(k: int) -> None:
    a, b, reference, scale = _product(k=k)
    assert compare(a.float() @ b.float(), reference, scale, "float32").ok
    assert compare((a.float() @ b.float()).half(), reference, scale, "float16").ok


def test_last_block_of_k_missing_fails() -> None:
    a, b, reference, scale = _product()
    result = a[:, :-64].float() @ b[:-64].float()
    found = compare(result, reference, scale, "float32")
    assert not found.ok
    assert found.worst > 100
    assert _words(found) == "every element is wrong"


def test_sums_kept_in_16_bits_fail_by_the_norm() -> None:
    a, b, reference, scale = _product(k=4096)
    total = torch.zeros(64, 48, dtype=torch.float16)
    for k in range(0, 4096, 64):
        total = (total + (a[:, k : k + 64].float() @ b[k : k + 64].float()).half()).half()
    found = compare(total, reference, scale, "float16")
    assert not found.ok
    assert found.rule is not None
    assert found.rule.key in ("frobenius", "largest error")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda y: y.fill_(0), "every element is 0"),
        (lambda y: y.fill_(float("nan")), "every element is NaN"),
        (lambda y: y.mul_(0.5), "every element is 0.5 times what it should be"),
        (lambda y: y[48:].fill_(0), "the last 16 rows are wrong, from row 48 on"),
        (lambda y: y[:, 5:9].fill_(0), "columns 5 to 8 are wrong"),
        (lambda y: y[1::2].fill_(0), "every second row is wrong, from row 1 on"),
        (lambda y: y[8:16, 8:24].fill_(0), "one block is wrong: rows 8 to 15, columns 8 to 23"),
        (lambda y: y[3, 4].fill_(9999), "one element is wrong"),
    ],
    ids=["zero", "nan", "half", "last-rows", "columns", "second-row", "block", "one"],
)
def test_words_for_what_is_wrong(change, words: str) -> None:
    a, b, reference, scale = _product()
    result = a.float() @ b.float()
    change(result)
    found = compare(result, reference, scale, "float32")
    assert not found.ok
    assert _words(found) == words


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda y: y[60:].fill_(9), "the last 4 elements are wrong, from element 60 on"),
        (lambda y: y[3:7].fill_(9), "elements 3 to 6 are wrong"),
        (lambda y: y[::2].fill_(9), "every second element is wrong, from element 0 on"),
        (lambda y: y[5].fill_(9), "one element is wrong"),
        (lambda y: y.index_fill_(0, torch.tensor([1, 7, 30]), 9), "3 of 64 elements are wrong"),
    ],
    ids=["last", "run", "second", "one", "scattered"],
)
def test_words_for_what_is_wrong_in_a_vector(change, words: str) -> None:
    reference = torch.linspace(-1, 1, 64, dtype=torch.float64)
    result = reference.float()
    change(result)
    assert _words(compare(result, reference, reference.abs() + 1, "float32")) == words


@pytest.mark.parametrize(
    ("factor", "words"),
    [(0.0, "every element is 0"), (0.5, "every element is 0.5 times what it should be")],
)
def test_elements_that_are_0_do_not_hide_what_all_others_have(factor: float, words: str) -> None:
    _, _, reference, scale = _product()
    right = reference.clamp(min=0)
    found = compare((right * factor).float(), right, scale, "float32")
    assert 0 < found.wrong < right.numel()
    assert _words(found) == words


def test_transposed_result_is_named() -> None:
    a, b, reference, scale = _product(m=48, n=48)
    result = (a.float() @ b.float()).T.contiguous()
    assert _words(compare(result, reference, scale, "float32")) == "the result is transposed"


def test_nan_and_infinity_must_stand_where_they_belong() -> None:
    reference = torch.tensor([1.0, float("inf"), float("nan")], dtype=torch.float64)
    scale = torch.ones(3, dtype=torch.float64)
    assert compare(reference.float(), reference, scale, "float32").ok
    for wrong in ([1.0, -float("inf"), float("nan")], [1.0, float("inf"), 0.0]):
        assert not compare(torch.tensor(wrong), reference, scale, "float32").ok


def test_integers_are_exact() -> None:
    reference = torch.tensor([1.0, 2.0], dtype=torch.float64)
    scale = torch.full((2,), 1e9, dtype=torch.float64)
    assert compare(torch.tensor([1, 2], dtype=torch.int32), reference, scale, "int32").ok
    assert not compare(torch.tensor([1, 3], dtype=torch.int32), reference, scale, "int32").ok
