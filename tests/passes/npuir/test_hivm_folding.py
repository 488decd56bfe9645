"""canonicalize-ext on HIVM ops: dimensions of extent 1, chains, idle fills."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, f32, i8, i32

from tlcourse.passes.npuir.canonicalize_ext import CanonicalizeExtPass
from tlcourse.passes.npuir.reduction_starts import starts_neutral

ROW, COLUMN, WIDE = "memref<1x8xf32>", "memref<8x1xf32>", "memref<8x8xf32>"


def _text(body: str, arguments: str, result: str = "", returned: str = "") -> str:
    arrow = f" -> {result}" if result else ""
    return f"""module {{
  func.func @k({arguments}){arrow} {{
    {body}
    return {returned}
  }}
}}"""


def _on_buffers(op: str, *kinds: str) -> str:
    return _text(
        op, ", ".join(f"%{name}: {kind}" for name, kind in zip("abc", kinds, strict=False))
    )


BUFFERS = {
    "vbrc": (
        _on_buffers(
            f"hivm.hir.vbrc ins(%a : {ROW}) outs(%b : {ROW}) broadcast_dims = [0]", ROW, ROW
        ),
        f"hivm.hir.copy ins(%a : {ROW}) outs(%b : {ROW})",
    ),
    "vreduce": (
        _on_buffers(
            f"hivm.hir.vreduce <sum> ins(%a : {COLUMN}) outs(%b : {COLUMN}) reduce_dims = [1]",
            COLUMN,
            COLUMN,
        ),
        f"hivm.hir.copy ins(%a : {COLUMN}) outs(%b : {COLUMN})",
    ),
    "vcumsum": (
        _on_buffers(
            f"hivm.hir.vcumsum ins(%a : {ROW}) outs(%b : {ROW}) cum_dims = [0] reverse = false",
            ROW,
            ROW,
        ),
        f"hivm.hir.copy ins(%a : {ROW}) outs(%b : {ROW})",
    ),
    "one of two": (
        _on_buffers(
            f"hivm.hir.vreduce <sum> ins(%a : {ROW}) outs(%b : memref<1x1xf32>) "
            "reduce_dims = [0, 1]",
            ROW,
            "memref<1x1xf32>",
        ),
        "reduce_dims = [1]",
    ),
    "spread": (
        _on_buffers(
            f"hivm.hir.vadd ins(%a, %b : {WIDE}, {ROW}) outs(%c : {WIDE}) broadcast = [0, 1]",
            WIDE,
            ROW,
            WIDE,
        ),
        "broadcast = [0]",
    ),
    "place": (
        _on_buffers(
            f"hivm.hir.vreduce <max_with_index_left> ins(%a : {COLUMN}) "
            f"outs(%b, %c : {COLUMN}, memref<8x1xi32>) reduce_dims = [1]",
            COLUMN,
            COLUMN,
            "memref<8x1xi32>",
        ),
        ": i32) outs(%c : memref<8x1xi32>)",
    ),
}


@pytest.mark.parametrize("case", BUFFERS)
def test_extents_of_one(run_passes, case: str) -> None:
    text, part = BUFFERS[case]
    found = run_passes(text, CanonicalizeExtPass())
    assert part in found, found
    assert ("hivm.hir.copy" in found) == ("copy" in part or case == "place")


def test_what_is_wide_stays(run_passes) -> None:
    text = _on_buffers(
        f"hivm.hir.vbrc ins(%a : {ROW}) outs(%b : {WIDE}) broadcast_dims = [0]\n"
        f"hivm.hir.vadd ins(%b, %a : {WIDE}, {ROW}) outs(%b : {WIDE}) broadcast = [0]",
        ROW,
        WIDE,
    )
    found = run_passes(text, CanonicalizeExtPass())
    assert "broadcast_dims = [0]" in found
    assert "broadcast = [0]" in found


def _turned(count: int) -> str:
    steps = [
        f"%e{n} = tensor.empty() : tensor<4x4xf32>\n"
        f"%t{n + 1} = hivm.hir.vtranspose ins(%t{n} : tensor<4x4xf32>) "
        f"outs(%e{n} : tensor<4x4xf32>) permutation = [1, 0] -> tensor<4x4xf32>"
        for n in range(count)
    ]
    return _text(
        "\n".join(steps), "%t0: tensor<4x4xf32>", "tensor<4x4xf32>", f"%t{count} : tensor<4x4xf32>"
    )


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_exchanges_cancel_each_other(run_passes, count: int) -> None:
    found = run_passes(_turned(count), CanonicalizeExtPass())
    assert found.count("vtranspose") == count % 2


def test_three_exchanges_that_do_not_cancel(run_passes) -> None:
    """Places 0 and 1, then 1 and 2: a turn of all three, not the way back."""
    one = "tensor<2x2x2xf32>"
    text = _text(
        f"%e = tensor.empty() : {one}\n"
        f"%x = hivm.hir.vtranspose ins(%a : {one}) outs(%e : {one}) permutation = [1, 0, 2] "
        f"-> {one}\n"
        f"%y = hivm.hir.vtranspose ins(%x : {one}) outs(%e : {one}) permutation = [0, 2, 1] "
        f"-> {one}",
        f"%a: {one}",
        one,
        f"%y : {one}",
    )
    assert run_passes(text, CanonicalizeExtPass()).count("vtranspose") == 2


@pytest.mark.parametrize(("start", "kept"), [("0xFF800000", False), ("1.0", True)])
def test_a_neutral_start_is_not_written(run_passes, start: str, kept: bool) -> None:
    text = _text(
        f"%s = arith.constant {start} : f32\n"
        "%f = hivm.hir.vbrc ins(%s : f32) outs(%b : tensor<8x1xf32>) -> tensor<8x1xf32>\n"
        "%r = hivm.hir.vreduce <max> ins(%a : tensor<8x8xf32>) outs(%f : tensor<8x1xf32>) "
        "reduce_dims = [1] -> tensor<8x1xf32>",
        "%a: tensor<8x8xf32>, %b: tensor<8x1xf32>",
        "tensor<8x1xf32>",
        "%r : tensor<8x1xf32>",
    )
    found = run_passes(text, CanonicalizeExtPass())
    assert ("vbrc" in found) == kept
    assert ("tensor.empty" in found) != kept


def test_a_load_pads(run_passes) -> None:
    text = _text(
        "%z = arith.constant 0.0 : f32\n"
        "%e = tensor.empty() : tensor<8xf32>\n"
        "%x = hivm.hir.load ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>\n"
        "%w = tensor.empty() : tensor<16xf32>\n"
        "%y = hivm.hir.vpad ins(%x : tensor<8xf32>) outs(%w : tensor<16xf32>) low[3] high[%n] "
        "pad_value %z : f32 -> tensor<16xf32>",
        "%a: tensor<8xf32>, %n: index",
        "tensor<16xf32>",
        "%y : tensor<16xf32>",
    )
    found = run_passes(text, CanonicalizeExtPass())
    assert "vpad" not in found
    assert found.count("hivm.hir.load") == 1
    assert "pad_mode = <PadValue> pad_value = %" in found
    assert "left_padding_num = %c3 : index" in found
    assert "right_padding_num = %n : index" in found


@pytest.mark.parametrize(
    ("kind", "held"), [("assert", "true"), ("assert", "false"), ("print", "true")]
)
def test_assertions_that_hold(run_passes, kind: str, held: str) -> None:
    text = _text(
        f"%c = arith.constant {held}\n"
        f'hivm.hir.debug {{debugtype = "{kind}", hex = false, prefix = "m"}} %c : i1',
        "",
    )
    gone = kind == "assert" and held == "true"
    assert ("hivm.hir.debug" not in run_passes(text, CanonicalizeExtPass())) == gone


@pytest.mark.parametrize(
    ("mode", "number", "neutral"),
    [
        ("sum", FloatAttr(0.0, f32), True),
        ("min_with_index_left", FloatAttr(float("inf"), f32), True),
        ("min", FloatAttr(float("-inf"), f32), False),
        ("prod", FloatAttr(1.0, f32), True),
        ("max", IntegerAttr(-128, i8), True),
        ("min", IntegerAttr(127, i8), True),
        ("min", IntegerAttr(127, i32), False),
        ("xori", IntegerAttr(0, i32), True),
        ("andi", IntegerAttr(-1, i32), True),
        ("any", IntegerAttr(0, i32), False),
    ],
)
def test_what_a_reduction_starts_from(
    mode: str, number: IntegerAttr | FloatAttr, neutral: bool
) -> None:
    assert starts_neutral(mode, number) == neutral
