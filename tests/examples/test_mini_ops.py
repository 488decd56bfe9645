"""The shipped operators: numbers against float64, what torch asks, what the simulator finds."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch
import torch_npu

from tlcourse.examples import mini_ops
from tlcourse.examples.deepseek_v4_mini.inference import torch_ops
from tlcourse.jit import compile
from tlcourse.ops.precompile import check_fresh, precompile
from tlcourse.ops.sources import ARTEFACTS, read_package

FOLDER = Path(mini_ops.__file__).parent
TOLERANCE = {torch.float16: 2e-3, torch.bfloat16: 2e-2, torch.float32: 1e-4}
HALVES = (torch.float16, torch.bfloat16)
Arguments = tuple[object, ...]


def draw(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed + sum(shape)))


def masked_rows(rows: int, width: int) -> torch.Tensor:
    """Rows of which the first sees one number only, the second half of them."""
    x = draw(rows, width)
    x[0, 1:] = float("-inf")
    x[1, width // 2 :] = float("-inf")
    return x


def attention(
    heads: int, group: int, length: int, keys: int, causal: bool
) -> Callable[..., Arguments]:
    def make(dtype: torch.dtype) -> Arguments:
        q = draw(heads, length, 64)
        k, v = draw(heads // group, keys, 64, seed=1), draw(heads // group, keys, 64, seed=2)
        return q.to(dtype), k.to(dtype), v.to(dtype), causal

    return make


def sparse(length: int, keys: int) -> Callable[..., Arguments]:
    def make(dtype: torch.dtype) -> Arguments:
        order = torch.Generator().manual_seed(length)
        chosen = [torch.randperm(keys, generator=order)[:32] for _ in range(length)]
        chosen = [torch.nn.functional.pad(one, (0, 32 - len(one)), value=-1) for one in chosen]
        indices = torch.stack(chosen).int()
        indices[0, 1:] = -1
        return draw(length, 16, 64).to(dtype), draw(keys, 64).to(dtype), indices, draw(16)

    return make


def int8(rows: int, columns: int, depth: int) -> Callable[..., Arguments]:
    def make(dtype: torch.dtype) -> Arguments:
        order = torch.Generator().manual_seed(rows)
        a, b = (
            torch.randint(-127, 128, (n, depth), generator=order, dtype=torch.int8)
            for n in (rows, columns)
        )
        scale = draw(rows, depth // 128).abs() * 0.01
        return a, scale, b, draw(columns).abs() * 0.01, dtype

    return make


def rotated(length: int, heads: int, width: int) -> Callable[..., Arguments]:
    def make(dtype: torch.dtype) -> Arguments:
        angles = draw(length, width // 2)
        return draw(length, heads, width).to(dtype), angles.cos(), angles.sin()

    return make


@dataclass(frozen=True, kw_only=True)
class Case:
    operator: str
    name: str
    make: Callable[[torch.dtype], Arguments]
    dtypes: Sequence[torch.dtype] = HALVES


CASES = (
    Case(operator="softmax", name="tail", make=lambda d: (draw(13, 300).to(d),)),
    Case(operator="softmax", name="whole", make=lambda d: (draw(2, 8, 1024).to(d),)),
    Case(operator="softmax", name="masked", make=lambda d: (masked_rows(9, 77).to(d),)),
    Case(
        operator="rms_norm",
        name="tail",
        make=lambda d: (draw(13, 300).to(d), draw(300).to(d)),
    ),
    Case(
        operator="rms_norm",
        name="whole",
        make=lambda d: (draw(4, 16, 1024).to(d), draw(1024).to(d)),
    ),
    Case(operator="rope", name="tail", make=rotated(37, 3, 64)),
    Case(operator="rope", name="narrow", make=rotated(64, 16, 32)),
    Case(operator="flash_attention", name="causal", make=attention(2, 1, 128, 128, True)),
    Case(operator="flash_attention", name="causal tail gqa", make=attention(8, 4, 100, 100, True)),
    Case(operator="flash_attention", name="one query", make=attention(4, 2, 1, 70, False)),
    Case(operator="flash_attention", name="tail", make=attention(2, 1, 30, 130, False)),
    Case(operator="act_quant", name="tail", make=lambda d: (draw(45, 256).to(d),)),
    Case(operator="int8_gemm", name="tail", make=int8(45, 100, 256)),
    Case(operator="int8_gemm", name="whole", make=int8(64, 64, 128)),
    Case(
        operator="index_scores",
        name="tail",
        make=lambda d: (draw(5, 16, 32).to(d), draw(100, 32).to(d), draw(5, 16)),
    ),
    Case(operator="sparse_attention", name="masked", make=sparse(5, 100)),
    Case(operator="sparse_attention", name="few keys", make=sparse(3, 7)),
    Case(
        operator="hc_split_sinkhorn",
        name="tail",
        make=lambda d: (draw(100, 24), draw(3), draw(24)),
        dtypes=(torch.float32,),
    ),
)
EACH = [
    pytest.param(case, dtype, id=f"{case.operator}-{case.name}-{str(dtype)[6:]}")
    for case in CASES
    for dtype in case.dtypes
]
FIRST = list({case.operator: case for case in reversed(CASES)}.values())


def tensors(result: object) -> list[torch.Tensor]:
    items = result if isinstance(result, (tuple, list)) else (result,)
    return [item for item in items if isinstance(item, torch.Tensor)]


def exact(arguments: Arguments) -> list[object]:
    """Floats in float64, all else as it is."""
    return [
        one.double() if isinstance(one, torch.Tensor) and one.is_floating_point() else one
        for one in arguments
    ]


def check(case: Case, dtype: torch.dtype, arguments: Arguments, got: object) -> None:
    wanted = tensors(getattr(torch_ops, case.operator)(*exact(arguments)))
    for ours, theirs in zip(tensors(got), wanted, strict=True):
        bound = TOLERANCE[dtype]
        if ours.dtype == torch.int8:  # a number between two steps may go either way
            assert (ours.cpu().int() - theirs.int()).abs().max() <= 1
            assert (ours.cpu() != theirs).float().mean() < 0.01
            continue
        scale = float(theirs.double().abs().max())
        torch.testing.assert_close(
            ours.cpu().double(), theirs.double(), rtol=bound, atol=bound * max(scale, 1.0)
        )


@pytest.mark.parametrize(("case", "dtype"), EACH)
def test_numbers(case: Case, dtype: torch.dtype) -> None:
    arguments = case.make(dtype)
    result = getattr(mini_ops, case.operator)(*arguments)
    check(case, dtype, arguments, result)


@pytest.mark.parametrize("case", FIRST, ids=lambda case: case.operator)
def test_torch_accepts_and_traces_each_operator(case: Case) -> None:
    arguments = case.make(case.dtypes[0])
    operator = getattr(torch.ops.mini_ops, case.operator)
    torch.library.opcheck(operator.default, arguments)
    torch._dynamo.reset()
    compiled = torch.compile(lambda *given: operator(*given), fullgraph=True, backend="aot_eager")
    check(case, case.dtypes[0], arguments, compiled(*arguments))


@pytest.mark.parametrize("case", FIRST, ids=lambda case: case.operator)
def test_each_operator_runs_on_the_npu(case: Case) -> None:
    arguments = case.make(case.dtypes[0])
    there = [one.npu() if isinstance(one, torch.Tensor) else one for one in arguments]
    result = getattr(torch_npu, case.operator)(*there)
    assert {one.device.type for one in tensors(result)} == {"npu"}
    check(case, case.dtypes[0], arguments, result)


@pytest.mark.parametrize("causal", [True, False])
def test_gradients_of_attention(causal: bool) -> None:
    q, k, v = (draw(n, 70, 64, seed=n).half().requires_grad_() for n in (4, 2, 2))
    mini_ops.flash_attention(q, k, v, causal).float().square().sum().backward()
    exact_inputs = [one.detach().double().requires_grad_() for one in (q, k, v)]
    torch_ops.flash_attention(*exact_inputs, causal).square().sum().backward()
    for ours, theirs in zip((q, k, v), exact_inputs, strict=True):
        assert ours.grad is not None
        assert theirs.grad is not None
        scale = float(theirs.grad.abs().max())
        torch.testing.assert_close(ours.grad.double(), theirs.grad, rtol=1e-2, atol=5e-3 * scale)


def test_a_group_that_is_not_compiled_is_refused() -> None:
    with pytest.raises(Exception, match="TL484"):
        mini_ops.flash_attention(*attention(8, 8, 64, 64, True)(torch.float16))


def launches(recipe_name: str) -> list[tuple[tuple[int, ...] | int | float, ...]]:
    """Shapes, and numbers, of one launch of each kernel on the simulator."""
    halves = {
        "softmax": [(13, 300)],
        "rms_norm": [(13, 300), (1, 300), 1 / 300],
        "act_quant": [(45, 256)],
        "int8_gemm": [(64, 256), (64, 2), (128, 256), (1, 128)],
        "index_scores": [(3, 16, 32), (128, 32), (3, 16, 1)],
        "gather_rows": [(9, 64), (3, 32)],
        "sparse_attention": [(3, 16, 64), (3, 32, 64), (3, 32), (16, 1)],
        "hc_split_sinkhorn": [(24, 100), (1, 3), (1, 24)],
    }
    return [tuple(halves[recipe_name])]


@pytest.mark.parametrize("recipe", read_package(FOLDER).recipes, ids=lambda one: one.operator)
def test_the_simulator_finds_nothing_and_agrees(recipe: object) -> None:
    from tlcourse.jit.dtypes import TORCH_DTYPES
    from tlcourse.ops.recipe import KernelRecipe

    assert isinstance(recipe, KernelRecipe)
    for constants in recipe.variants:
        kernel = compile(
            recipe.make(**constants),
            out_idx=list(recipe.out_idx),
            mode=recipe.mode,  # type: ignore[arg-type]
        )
        if recipe.operator == "rope":
            width = int(str(constants["D"]))
            shapes: list[object] = [(37, 3, width), (37, width // 2), (37, width // 2)]
        elif recipe.operator == "flash_attention":
            group = int(str(constants["group"]))
            shapes = [(2 * group, 128, 64), (2, 128, 64), (2, 128, 64), 100]
        else:
            shapes = list(launches(recipe.operator)[0])
        outputs = set(kernel.out_idx)
        inputs = [p for i, p in enumerate(kernel.params) if i not in outputs]
        arguments = [
            filled(shape, TORCH_DTYPES[parameter.dtype]) if isinstance(shape, tuple) else shape
            for shape, parameter in zip(shapes, inputs, strict=True)
        ]
        simulated = kernel.launch(*arguments, execution="simulator", checks="all")
        assert simulated.findings == ()
        computed = kernel.launch(*arguments, execution="functional")
        for one, other in zip(simulated.outputs, computed.outputs, strict=True):
            bound = TOLERANCE.get(one.dtype, 0)
            torch.testing.assert_close(one.cpu(), other.cpu(), rtol=bound, atol=bound)


def filled(shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    if dtype.is_floating_point:
        return draw(*shape).to(dtype).npu()
    return torch.randint(-1, 7, shape, generator=torch.Generator().manual_seed(0)).to(dtype).npu()


def test_the_committed_artefacts_are_those_of_the_kernels(tmp_path: Path) -> None:
    check_fresh(FOLDER)
    folder = Path(shutil.copytree(FOLDER, tmp_path / "mini_ops"))
    list(precompile(folder, native=False))
    for path in sorted((folder / ARTEFACTS).rglob("*.json")):
        committed = FOLDER / path.relative_to(folder)
        assert path.read_bytes() == committed.read_bytes(), (
            f"tlcourse precompile --no-native {FOLDER}"
        )
