"""convert-to-hivm-op: a copy becomes the move that joins its two memories."""

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.dialects.text import from_text
from tlcourse.passes.npuir.convert_to_hivm_op import ConvertToHivmOpPass


def _type(space: str) -> str:
    return f"memref<8x16xf32, #hivm.address_space<{space}>>" if space else "memref<8x16xf32>"


def _copy(source: str, destination: str) -> str:
    s, d = _type(source), _type(destination)
    return f"""module {{
  func.func @k(%a: {s}, %b: {d}) {{
    memref.copy %a, %b : {s} to {d} loc("cell:1":4:9)
    return
  }}
}}"""


@pytest.mark.parametrize(
    ("source", "destination", "op"),
    [
        ("gm", "ub", "load"),
        ("gm", "cbuf", "load"),
        ("ub", "gm", "store"),
        ("ub", "ub", "copy"),
    ],
)
def test_memories_pick_the_op(run_passes, source: str, destination: str, op: str) -> None:
    text = run_passes(_copy(source, destination), ConvertToHivmOpPass())
    assert f"hivm.hir.{op} ins(%a" in text
    assert "memref.copy" not in text


def test_without_spaces_an_argument_is_gm_and_an_allocation_is_not(run_passes) -> None:
    kind = _type("")
    text = run_passes(
        f"""module {{
  func.func @k(%a: {kind}) {{
    %t = memref.alloc() : {kind}
    %u = memref.alloc() : {kind}
    memref.copy %a, %t : {kind} to {kind}
    memref.copy %t, %u : {kind} to {kind}
    memref.copy %u, %a : {kind} to {kind}
    return
  }}
}}""",
        ConvertToHivmOpPass(),
    )
    found = [line.split()[0] for line in text.splitlines() if "hivm.hir" in line]
    assert found == ["hivm.hir.load", "hivm.hir.copy", "hivm.hir.store"]


def test_materialize_becomes_a_store_of_a_tensor(run_passes) -> None:
    text = run_passes(
        """module {
  func.func @k(%t: tensor<8xf32>, %a: memref<8xf32>) {
    bufferization.materialize_in_destination %t in writable %a
      : (tensor<8xf32>, memref<8xf32>) -> ()
    return
  }
}""",
        ConvertToHivmOpPass(),
    )
    assert "hivm.hir.store ins(%t : tensor<8xf32>) outs(%a : memref<8xf32>)" in text


@pytest.mark.parametrize("pair", [("ub", "cbuf"), ("cbuf", "gm"), ("gm", "gm")])
def test_a_pair_without_a_path_is_an_error_at_the_copy(pair: tuple[str, str]) -> None:
    module = from_text(_copy(*pair))
    with pytest.raises(TLError) as caught:
        ConvertToHivmOpPass().apply(None, module)
    assert caught.value.code == "TL302"
    span = caught.value.diagnostic.labels[0].span
    assert (span.source, span.line, span.column) == ("cell:1", 4, 9)


def test_other_ops_stay(run_passes) -> None:
    kind = _type("ub")
    text = f"""builtin.module {{
  func.func @k(%a: {kind}) {{
    hivm.hir.vexp ins(%a : {kind}) outs(%a : {kind})
    func.return
  }}
}}
"""
    assert run_passes(text, ConvertToHivmOpPass()) == text


@pytest.mark.bishengir
def test_the_real_pass_picks_the_same_ops(run_passes, real_passes) -> None:
    gm, ub = "memref<8x16xf32, strided<[16, 1]>, #hivm.address_space<gm>>", _type("ub")
    flat = "memref<?xf32, #hivm.address_space<gm>>"
    text = f"""module {{
  func.func @k(%g: {flat}) attributes {{hacc.function_kind = #hacc.function_kind<DEVICE>}} {{
    %a = memref.reinterpret_cast %g to offset: [0], sizes: [8, 16], strides: [16, 1]
      : {flat} to {gm}
    %b = memref.alloc() : {ub}
    memref.copy %a, %b : {gm} to {ub}
    %c = memref.alloc() : {ub}
    memref.copy %b, %c : {ub} to {ub}
    memref.copy %c, %a : {ub} to {gm}
    return
  }}
}}"""
    ours, real = run_passes(text, ConvertToHivmOpPass()), real_passes(text, "convert-to-hivm-op")
    for found in (ours, real):
        ops = [line.split()[0] for line in found.splitlines() if "hivm.hir" in line]
        assert ops == ["hivm.hir.load", "hivm.hir.copy", "hivm.hir.store"]
