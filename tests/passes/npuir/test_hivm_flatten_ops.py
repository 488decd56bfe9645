"""hivm-flatten-ops: dimensions that lie in one piece become one."""

import pytest

from tlcourse.passes.npuir.hivm_flatten_ops import HivmFlattenOpsPass


def _type(shape: str, layout: str = "", space: str = "ub") -> str:
    layout = f", {layout}" if layout else ""
    return f"memref<{shape}{layout}, #hivm.address_space<{space}>>"


def _kernel(op: str, *kinds: str) -> str:
    arguments = ", ".join(f"%{'abc'[i]}: {kind}" for i, kind in enumerate(kinds))
    return f"""module {{
  func.func @k({arguments}) attributes {{hivm.func_core_type = #hivm.func_core_type<AIV>}} {{
    {op}
    return
  }}
}}"""


def _exp(a: str, b: str) -> str:
    return _kernel(f"hivm.hir.vexp ins(%a : {a}) outs(%b : {b})", a, b)


def _move(op: str, a: str, b: str) -> str:
    return _kernel(f"hivm.hir.{op} ins(%a : {a}) outs(%b : {b})", a, b)


WIDE = _type("4x8xf32", "strided<[64, 1], offset: ?>", "gm")
CASES = {
    "dense": (_exp(_type("4x8xf32"), _type("4x8xf32")), "memref<32xf32, #"),
    "strided": (
        _exp(_type("4x8xf32", "strided<[8, 1]>"), _type("4x8xf32", "strided<[8, 1]>")),
        "memref<32xf32, strided<[1]>, #",
    ),
    "three": (_exp(_type("2x4x8xf32"), _type("2x4x8xf32")), "memref<64xf32, #"),
    "padded rows": (
        _exp(_type("2x4x8xf32", "strided<[64, 16, 1]>"), _type("2x4x8xf32")),
        "memref<8x8xf32, strided<[16, 1]>, #",
    ),
    "dense load": (
        _move("load", _type("4x8xf32", "strided<[8, 1], offset: ?>", "gm"), _type("4x8xf32")),
        "memref<32xf32, strided<[1], offset: ?>>",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_dimensions_join(run_passes, case: str) -> None:
    text, kind = CASES[case]
    found = run_passes(text, HivmFlattenOpsPass())
    assert f"into {kind}" in found
    assert found.count("memref.collapse_shape") == 2


KEPT = {
    "gaps in GM": _move("load", WIDE, _type("4x8xf32")),
    "one dimension": _exp(_type("8xf32"), _type("8xf32")),
    "broadcast": _kernel(
        f"hivm.hir.vsub ins(%a, %b : {_type('4x8xf32')}, {_type('4x1xf32')}) "
        f"outs(%c : {_type('4x8xf32')}) broadcast = [1]",
        _type("4x8xf32"),
        _type("4x1xf32"),
        _type("4x8xf32"),
    ),
    "reduction": _kernel(
        f"hivm.hir.vreduce <sum> ins(%a : {_type('4x8xf32')}) outs(%b : {_type('4x1xf32')}) "
        "reduce_dims = [1]",
        _type("4x8xf32"),
        _type("4x1xf32"),
    ),
}


@pytest.mark.parametrize("case", KEPT)
def test_other_ops_keep_their_dimensions(run_passes, case: str) -> None:
    assert "collapse_shape" not in run_passes(KEPT[case], HivmFlattenOpsPass())


def _named(op: str, rest: str, *shapes: str) -> str:
    kinds = [_type(shape) for shape in shapes]
    *read, written = kinds
    names = [f"%{letter}" for letter in "abc"[: len(kinds)]]
    text = (
        f"hivm.hir.{op} ins({', '.join(names[:-1])} : {', '.join(read)}) "
        f"outs({names[-1]} : {written}) {rest}"
    )
    return _kernel(text, *kinds)


# An op that names dimensions, and how the op reads afterwards.
NAMED = {
    "rows of a cube": (
        _named("vreduce <sum>", "reduce_dims = [2]", "2x4x8xf32", "2x4x1xf32"),
        ("memref<8x8xf32", "memref<8x1xf32", "reduce_dims = [1]"),
    ),
    "two of them": (
        _named("vreduce <max>", "reduce_dims = [0, 1]", "2x4x8xf32", "1x1x8xf32"),
        ("memref<8x8xf32", "memref<1x8xf32", "reduce_dims = [0]"),
    ),
    "spread rows": (
        _named("vbrc", "broadcast_dims = [0]", "1x4x8xf32", "3x4x8xf32"),
        ("memref<1x32xf32", "memref<3x32xf32", "broadcast_dims = [0]"),
    ),
    "spread operand": (
        _named("vadd", "broadcast = [2]", "2x4x8xf32", "2x4x1xf32", "2x4x8xf32"),
        ("memref<8x8xf32", "memref<8x1xf32", "broadcast = [1]"),
    ),
    "turned operand": (
        _named("vexp", "transpose = [1, 0, 2, 3]", "2x4x3x8xf32", "4x2x3x8xf32"),
        ("memref<2x4x24xf32", "memref<4x2x24xf32", "transpose = [1, 0, 2]"),
    ),
    "exchange": (
        _named("vtranspose", "permutation = [0, 2, 1]", "1x4x8xf32", "1x8x4xf32"),
        ("memref<4x8xf32", "memref<8x4xf32", "permutation = [1, 0]"),
    ),
    "joined tiles": (
        _named("vconcat dim(1)", "", "1x2x5xf32", "1x3x5xf32", "1x5x5xf32"),
        ("memref<2x5xf32", "memref<5x5xf32", "dim(0)"),
    ),
    "reversed": (
        _named("vflip", "flip_axis = 2", "2x4x8xf32", "2x4x8xf32"),
        ("memref<8x8xf32", "flip_axis = 1"),
    ),
    "open extents": (_exp(_type("?x8xf32"), _type("?x8xf32")), ("into memref<?xf32, #",)),
    "columns of one element": (
        _exp(_type("3x1xf32", "strided<[2, 1]>"), _type("3x1xf32", "strided<[2, 1]>")),
        ("into memref<3xf32, strided<[2]>, #",),
    ),
}


@pytest.mark.parametrize("case", NAMED)
def test_named_dimensions_are_counted_anew(run_passes, case: str) -> None:
    text, parts = NAMED[case]
    found = run_passes(text, HivmFlattenOpsPass())
    assert all(part in found for part in parts), found


def test_padding_goes_with_its_dimension(run_passes) -> None:
    a, b = _type("2x4x3xf32"), _type("2x4x8xf32")
    text = _kernel(
        f"hivm.hir.vpad ins(%a : {a}) outs(%b : {b}) low[0, 0, 1] high[0, 0, 4] pad_value %c : f32",
        a,
        b,
        "f32",
    )
    assert "low[0, 1] high[0, 4]" in run_passes(text, HivmFlattenOpsPass())


@pytest.mark.parametrize("amount", ["2", "0"])
def test_a_load_with_room_in_front_keeps_its_rows(run_passes, amount: str) -> None:
    a, b = _type("4x8xf32", space="gm"), _type("4x8xf32")
    text = _kernel(
        f"%n = arith.constant {amount} : index\n"
        f"hivm.hir.load ins(%a : {a}) outs(%b : {b}) left_padding_num = %n : index",
        a,
        b,
    )
    assert ("collapse_shape" in run_passes(text, HivmFlattenOpsPass())) == (amount == "0")


def test_one_value_twice_is_seen_once(run_passes) -> None:
    kind = _type("4x8xf32")
    text = _kernel(f"hivm.hir.vmul ins(%a, %a : {kind}, {kind}) outs(%a : {kind})", kind)
    assert run_passes(text, HivmFlattenOpsPass()).count("collapse_shape") == 1


@pytest.mark.bishengir
@pytest.mark.parametrize("case", [*CASES, *KEPT, *NAMED])
def test_the_real_pass_joins_the_same_ops(run_passes, real_passes, case: str) -> None:
    text = KEPT[case] if case in KEPT else {**CASES, **NAMED}[case][0]
    ours = run_passes(text, HivmFlattenOpsPass())
    real = real_passes(text, "func.func(hivm-flatten-ops)")
    word = "memref.collapse_shape"
    assert ours.count(word) == real.count(word)
