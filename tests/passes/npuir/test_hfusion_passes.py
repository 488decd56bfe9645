"""The HFusion passes: random graphs of elementwise ops compute the same before and after."""

from __future__ import annotations

import random

import pytest
import torch
from xdsl.context import Context
from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from tlcourse.dialects.hfusion import ElemwiseOp
from tlcourse.dialects.hivm.vector import ElementwiseOp
from tlcourse.dialects.text import from_text, to_text
from tlcourse.passes.npuir.convert_hfusion_to_hivm import ConvertHFusionToHIVMPass
from tlcourse.passes.npuir.hfusion_flatten_ops import HFusionFlattenOpsPass
from tlcourse.passes.npuir.hfusion_fuse_ops import HFusionOpFusionPass, bytes_moved

SHAPE = (4, 6)
KIND = "tensor<4x6xf32>"
WORDS = {
    "exp": torch.exp,
    "abs": torch.abs,
    "relu": torch.relu,
    "add": torch.add,
    "sub": torch.sub,
    "max_signed": torch.maximum,
}
OPS = (
    ("linalg.elemwise_unary", "linalg.unary_fn", "abs"),
    ("hfusion.elemwise_unary", "hfusion.unary_fn", "relu"),
    ("linalg.elemwise_binary", "linalg.binary_fn", "add"),
    ("linalg.elemwise_binary", "linalg.binary_fn", "sub"),
    ("linalg.elemwise_binary", "linalg.binary_fn", "max_signed"),
)
MARKS = (
    "attributes {hacc.function_kind = #hacc.function_kind<HOST>, "
    "hfusion.fusion_kind = #hfusion.fusion_kind<PURE_ELEMWISE>}"
)


def _op(result: str, name: str, fn: str, word: str, *inputs: str) -> str:
    kinds = ", ".join([KIND] * len(inputs))
    return (
        f"{result} = {name} {{fun = #{fn}<{word}>}} ins({', '.join(inputs)} : {kinds}) "
        f"outs(%e : {KIND}) -> {KIND}"
    )


def _module(lines: list[str], *results: str) -> ModuleOp:
    kinds = ", ".join([KIND] * len(results))
    body = "\n".join(lines)
    return from_text(
        f"func.func @f(%a: {KIND}, %b: {KIND}) -> ({kinds}) {MARKS} {{\n"
        f"%e = tensor.empty() : {KIND}\n{body}\nreturn {', '.join(results)} : {kinds}\n}}"
    )


def _random(seed: int) -> ModuleOp:
    """A graph in which some values go through a reshape and back, which no chain contains."""
    choose = random.Random(seed)
    values, lines = ["%a", "%b"], []
    for number in range(choose.randint(3, 12)):
        name = f"%v{number}"
        if choose.random() < 0.3:
            lines += [
                f"{name}_f = tensor.collapse_shape {choose.choice(values)} [[0, 1]] : {KIND} "
                "into tensor<24xf32>",
                f"{name} = tensor.expand_shape {name}_f [[0, 1]] output_shape [4, 6] : "
                f"tensor<24xf32> into {KIND}",
            ]
        else:
            op = choose.choice(OPS)
            count = 2 if "binary" in op[0] else 1
            lines.append(_op(name, *op, *(choose.choice(values) for _ in range(count))))
        values.append(name)
    return _module(lines, *choose.sample(values[2:], 2))


def _run(module: ModuleOp, name: str, inputs: list[torch.Tensor]) -> list[torch.Tensor]:
    function = next(
        op
        for op in module.body.block.ops
        if isinstance(op, func.FuncOp) and op.sym_name.data == name
    )
    known: dict[SSAValue, torch.Tensor] = dict(zip(function.body.block.args, inputs, strict=True))
    for op in function.body.block.ops:
        match op:
            case tensor.EmptyOp():
                known[op.tensor] = torch.full(SHAPE, float("nan"))
            case ElemwiseOp():
                known[op.results[0]] = WORDS[op.word](*(known[value] for value in op.inputs))
            case tensor.CollapseShapeOp() | tensor.ExpandShapeOp():
                known[op.results[0]] = known[op.operands[0]].reshape(op.result.type.get_shape())
            case func.CallOp():
                given = [known[value] for value in op.arguments]
                made = _run(module, op.callee.root_reference.data, given)
                known |= dict(zip(op.results, made, strict=True))
            case func.ReturnOp():
                return [known[value] for value in op.operands]
            case _:
                raise AssertionError(op.name)
    raise AssertionError("no return")


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs_compute_the_same(seed: int) -> None:
    torch.manual_seed(seed)
    inputs = [torch.randn(SHAPE), torch.randn(SHAPE)]
    module = _random(seed)
    expected = _run(module, "f", inputs)
    for one in (HFusionOpFusionPass(), HFusionFlattenOpsPass()):
        one.apply(Context(), module)
        module.verify()
        for found, wanted in zip(_run(module, "f", inputs), expected, strict=True):
            assert torch.equal(found, wanted)


def test_a_chain_moves_fewer_bytes() -> None:
    """exp, add and relu as three kernels: 2 + 3 + 2 tensors of 96 bytes; as one: 2 in, 1 out."""
    module = _module(
        [
            _op("%x", "linalg.elemwise_unary", "linalg.unary_fn", "exp", "%a"),
            _op("%y", "linalg.elemwise_binary", "linalg.binary_fn", "add", "%x", "%b"),
            _op("%z", "hfusion.elemwise_unary", "hfusion.unary_fn", "relu", "%y"),
        ],
        "%z",
    )
    host = next(op for op in module.body.block.ops if isinstance(op, func.FuncOp))
    assert bytes_moved(host) == 7 * 96
    HFusionOpFusionPass().apply(Context(), module)
    assert bytes_moved(host) == 3 * 96


def test_a_way_around_through_another_op_keeps_two_kernels() -> None:
    """%z needs %x, and %x once more through a reshape: in one kernel it would wait for itself."""
    module = _module(
        [
            _op("%x", "linalg.elemwise_unary", "linalg.unary_fn", "exp", "%a"),
            f"%f = tensor.collapse_shape %x [[0, 1]] : {KIND} into tensor<24xf32>",
            "%g = tensor.expand_shape %f [[0, 1]] output_shape [4, 6] : tensor<24xf32> into "
            f"{KIND}",
            _op("%z", "linalg.elemwise_binary", "linalg.binary_fn", "add", "%x", "%g"),
        ],
        "%z",
    )
    HFusionOpFusionPass().apply(Context(), module)
    assert to_text(module).count("call @f_") == 2


def test_unmarked_functions_stay() -> None:
    text = to_text(_module([_op("%x", *OPS[0], "%a")], "%x")).replace("HOST", "DEVICE")
    module = from_text(text)
    HFusionOpFusionPass().apply(Context(), module)
    assert to_text(module) == text


def test_a_chain_is_expanded_once() -> None:
    module = _module([_op("%x", *OPS[0], "%a"), _op("%y", *OPS[1], "%x")], "%y")
    HFusionFlattenOpsPass().apply(Context(), module)
    assert to_text(module).count("tensor.expand_shape") == 1


def test_words_become_instructions_and_others_stay() -> None:
    lines = [_op("%x", *OPS[0], "%a")]
    lines.append(_op("%y", "hfusion.elemwise_unary", "hfusion.unary_fn", "lgamma", "%x"))
    module = _module(lines, "%y")
    ConvertHFusionToHIVMPass().apply(Context(), module)
    names = [op.name for op in module.walk() if isinstance(op, ElementwiseOp | ElemwiseOp)]
    assert names == ["hivm.hir.vabs", "hfusion.elemwise_unary"]


def test_the_number_of_inputs_is_checked() -> None:
    module = from_text(
        f"func.func @f(%a: {KIND}) {{ "
        + _op("%x", "linalg.elemwise_binary", "linalg.binary_fn", "add", "%a").replace("%e", "%a")
        + " return }"
    )
    with pytest.raises(VerifyException, match="takes 2 inputs"):
        module.verify()


def test_custom_and_generic_text_are_the_same_module() -> None:
    module = _random(1)
    assert to_text(from_text(to_text(module, generic=True))) == to_text(module)
