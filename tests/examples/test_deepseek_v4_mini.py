"""The small model: the same logits with both kinds of operators, and a fault that shows."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType, SimpleNamespace

import pytest
import torch

from tlcourse.examples import deepseek_v4_mini, mini_ops
from tlcourse.examples.deepseek_v4_mini.inference import compare, model, swap
from tlcourse.ops import recorded

EXAMPLES = [
    info.name
    for info in pkgutil.iter_modules(deepseek_v4_mini.__path__)
    if info.name.startswith("example_")
]
# The largest error as a part of the largest number: float16 keeps 11 bits, int8 a step of 1 / 127.
MOST = {"example_act_quant_kernel": 1 / 126}


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_example_is_close(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    module = importlib.import_module(f"tlcourse.examples.deepseek_v4_mini.{name}")
    assert module.main() <= MOST.get(name, 1e-3)
    assert "error" in capsys.readouterr().out


def test_there_is_an_example_for_each_operator() -> None:
    assert len(EXAMPLES) == len(compare.NAMES)


def test_two_lines_are_the_change() -> None:
    lines = [line for line in swap.diff().splitlines() if line[:3] not in ("---", "+++")]
    assert [line for line in lines if line.startswith("-")] == [f"-{swap.TORCH.strip()}"]
    assert [line[1:] for line in lines if line.startswith("+")] == swap.OURS.strip().splitlines()


def error_with(**faults: object) -> float:
    """The error of the logits where some of our operators are exchanged for others."""
    module: ModuleType = swap.swapped_module()
    named = {name: getattr(mini_ops, name) for name in compare.NAMES}
    vars(module)["ops"] = SimpleNamespace(**named | faults)
    start = compare.LENGTH - 2
    theirs = model.forced(model.Model(), compare.tokens(), start)
    ours = module.forced(module.Model(), compare.tokens(), start)
    return float((ours - theirs).abs().max() / theirs.abs().max())


def test_logits_agree_at_each_step_with_forced_tokens() -> None:
    assert 0 < compare.logits_error() <= compare.MOST_ERROR


def norm_without_weight(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return mini_ops.rms_norm(x, torch.ones_like(weight))


def attention_that_sees_the_future(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool
) -> torch.Tensor:
    return mini_ops.flash_attention(q, k, v, False)


def attention_to_the_key_before(
    q: torch.Tensor, kv: torch.Tensor, indices: torch.Tensor, sink: torch.Tensor
) -> torch.Tensor:
    return mini_ops.sparse_attention(q, kv.roll(1, 0), indices, sink)


def one_scale_for_all(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    small, scale = mini_ops.act_quant(x)
    return small, torch.full_like(scale, float(scale.mean()))


@pytest.mark.parametrize(
    ("operator", "fault"),
    [
        ("rms_norm", norm_without_weight),
        ("flash_attention", attention_that_sees_the_future),
        ("sparse_attention", attention_to_the_key_before),
        ("act_quant", one_scale_for_all),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_planted_fault_shows_in_the_logits(operator: str, fault: object) -> None:
    assert error_with(**{operator: fault}) > compare.MOST_ERROR


def test_every_operator_is_seen_in_the_record() -> None:
    module = swap.swapped_module()
    with recorded() as calls:
        module.Model()(compare.tokens(8))
    assert {call.operator for call in calls} == {*compare.NAMES, "gather_rows"}
    with recorded() as calls:
        model.Model()(compare.tokens(8))
    assert not calls


@pytest.mark.parametrize("operators", ["torch", "ours"])
def test_generated_tokens_are_not_one_and_the_same(operators: str) -> None:
    used = model if operators == "torch" else swap.swapped_module()
    made = used.generate(used.Model(), compare.tokens(compare.START), 16)
    assert len(set(made[compare.START :].tolist())) >= 8


def test_the_table_has_a_time_and_bytes_for_each_kernel() -> None:
    lines = compare.table(8)
    assert {line.kernel for line in lines} == {*compare.NAMES, "gather_rows"}
    assert all(line.microseconds > 0 and line.bytes > 0 and line.calls > 0 for line in lines)
