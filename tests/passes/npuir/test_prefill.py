"""hivm-aggregated-decompose-op on loads that fill their buffer first."""

from __future__ import annotations

import pytest

from tlcourse.passes.npuir.hivm_aggregated_decompose_op import HivmAggregatedDecomposeOpPass

AFTER = "after-infer-hivm-data-layout"
GM = "memref<4x8xf32, #hivm.address_space<gm>>"
NZ = "memref<?x?x?x?xf32, #hivm.address_space<gm>>"


def _ub(shape: str, element: str = "f32", layout: str = "") -> str:
    return f"memref<{shape}x{element}{layout}, #hivm.address_space<ub>>"


def _kernel(body: str) -> str:
    return f"""func.func @k(%g: {GM}, %z: {NZ}, %n: index, %c: i1)
    attributes {{hacc.function_kind = #hacc.function_kind<DEVICE>}} {{
  %v = arith.constant 1.0 : f32
  {body}
  return
}}"""


def _load(target: str, kind: str, *, more: str = "", fills: str = "true") -> str:
    return (
        f"hivm.hir.load ins(%g : {GM}) outs({target} : {kind}) pad_mode = <PadValue> "
        f"pad_value = %v : f32 init_out_buffer = {fills}{more}"
    )


def _run(run_passes, body: str, phase: str = "before-hivm-align") -> str:
    return run_passes(_kernel(body), HivmAggregatedDecomposeOpPass(decompose_phase=phase))


def test_the_whole_buffer_is_filled(run_passes) -> None:
    whole = _ub("16x16")
    part = _ub("4x8", layout=", strided<[16, 1]>")
    body = (
        f"%a = memref.alloc() : {whole}\n"
        f"%s = memref.subview %a[0, 0] [4, 8] [1, 1] : {whole} to {part}\n" + _load("%s", part)
    )
    found = _run(run_passes, body)
    assert f"hivm.hir.vbrc ins(%v : f32) outs(%a : {whole})" in found
    assert found.index("vbrc") < found.index("hivm.hir.load")
    assert "pad_mode = <PadValue> pad_value = %v : f32 init_out_buffer = false" in found


def test_a_condition_guards_the_fill(run_passes) -> None:
    body = f"%a = memref.alloc() : {_ub('4x8')}\n" + _load(
        "%a", _ub("4x8"), more=" init_condition = %c : i1"
    )
    found = _run(run_passes, body)
    guarded = found.partition("scf.if %c {")[2].partition("}")[0]
    assert "hivm.hir.vbrc" in guarded
    assert "hivm.unlikely_condition" in found
    assert "init_condition" not in found


@pytest.mark.parametrize(
    ("size", "row"), [("128", _ub("32")), ("?", _ub("?"))], ids=["static", "open"]
)
def test_bytes_are_filled_as_elements(run_passes, size: str, row: str) -> None:
    sizes = "%n" if size == "?" else ""
    body = (
        f"%a = memref.alloc({sizes}) : {_ub(size, 'i8')}\n"
        "%o = arith.constant 0 : index\n"
        f"%t = memref.view %a[%o][] : {_ub(size, 'i8')} to {_ub('4x8')}\n" + _load("%t", _ub("4x8"))
    )
    found = _run(run_passes, body)
    assert f"to {row}" in found
    assert f"outs(%0 : {row})" in found or f": {row})" in found.partition("vbrc")[2]


SLOTS = "memref<2x4x2x16x8xf32, #hivm.address_space<cbuf>>"
SLOT = "memref<?x2x16x8xf32, strided<[256, 128, 8, 1], offset: ?>, #hivm.address_space<cbuf>>"


def _slots(mark: str) -> str:
    return f"""%a = memref.alloc() : {SLOTS}
  annotation.mark %a {{{mark}}} : {SLOTS}
  %s = memref.subview %a[%n, 0, 0, 0, 0] [1, %n, 2, 16, 8] [1, 1, 1, 1, 1] : {SLOTS} to {SLOT}
  hivm.hir.nd2nz {{dst_continuous}} ins(%z : {NZ}) outs(%s : {SLOT}) init_out_buffer = true \
pad_value = %v : f32"""


def test_of_several_copies_only_the_one_in_turn_is_filled(run_passes) -> None:
    found = _run(run_passes, _slots("hivm.cv_pipelined_multi_buffer"), AFTER)
    assert "memref.subview %a[%n, 0, 0, 0, 0] [1, 4, 2, 16, 8] [1, 1, 1, 1, 1]" in found
    assert "outs(%a :" not in found


def test_a_buffer_without_copies_is_filled_whole(run_passes) -> None:
    found = _run(run_passes, _slots("seen"), AFTER)
    assert f"hivm.hir.vbrc ins(%v : f32) outs(%a : {SLOTS})" in found


def test_what_is_not_filled_stays(run_passes) -> None:
    plain = f"%a = memref.alloc() : {_ub('4x8')}\n" + _load("%a", _ub("4x8"), fills="false")
    assert "vbrc" not in _run(run_passes, plain)
    assert "vbrc" not in _run(run_passes, _slots("seen"), "no-constraint")
