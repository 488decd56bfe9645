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


def test_one_value_twice_is_seen_once(run_passes) -> None:
    kind = _type("4x8xf32")
    text = _kernel(f"hivm.hir.vmul ins(%a, %a : {kind}, {kind}) outs(%a : {kind})", kind)
    assert run_passes(text, HivmFlattenOpsPass()).count("collapse_shape") == 1


@pytest.mark.bishengir
@pytest.mark.parametrize("case", [*CASES, *KEPT])
def test_the_real_pass_joins_the_same_ops(run_passes, real_passes, case: str) -> None:
    text = CASES[case][0] if case in CASES else KEPT[case]
    ours = run_passes(text, HivmFlattenOpsPass())
    real = real_passes(text, "func.func(hivm-flatten-ops)")
    word = "memref.collapse_shape"
    assert ours.count(word) == real.count(word)
