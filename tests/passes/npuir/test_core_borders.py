"""hivm-insert-load-store-for-mix-cv with enable-legacy: one small function per rule."""

from __future__ import annotations

import re

import pytest

from tlcourse.passes.npuir.hivm_insert_load_store_for_mix_cv import (
    HivmInsertLoadStoreForMixCVPass,
)

T = "tensor<16x16xf32>"
HEAD = f"""func.func @k(%x: {T}, %y: {T}, %g: memref<16x16xf32>, %b: i1, %i: index, %one: index)
      -> {T} {{
    %e = tensor.empty() : {T}"""
EXP = f"hivm.hir.vexp ins(%IN : {T}) outs(%e : {T}) -> {T}"
FIX = f"hivm.hir.fixpipe ins(%IN : {T}) outs(%y : {T}) -> {T}"
MMAD = (
    f"hivm.hir.mmadL1 ins(%IN, %y, %b, %i, %i, %i : {T}, {T}, i1, index, index, index) "
    f"outs(%e : {T}) -> {T}"
)


def _run(run_passes, body: str, result: str = "%r") -> list[str]:
    text = f"module {{ {HEAD} {body} return {result} : {T} }} }}"
    out = run_passes(text, HivmInsertLoadStoreForMixCVPass(enable_legacy=True))
    return [line.strip() for line in out.splitlines()]


def _moves(lines: list[str]) -> list[tuple[str, str]]:
    """Loads and stores in order: the kind, and what it moves."""
    found = (re.search(r"hivm.hir.(load|store) ins\((%\w+)", line) for line in lines)
    return [(one[1], one[2]) for one in found if one]


def test_a_vector_tile_goes_to_the_cube_core_through_memory(run_passes) -> None:
    lines = _run(run_passes, f"%v = {EXP.replace('%IN', '%x')} %r = {MMAD.replace('%IN', '%v')}")
    (store, first), (load, second) = _moves(lines)
    assert (store, first, load) == ("store", "%v", "load")
    names = [line.split()[0] for line in lines if "hir.load" in line or "hir.store" in line]
    assert second == names[0]
    assert any(f"mmadL1 ins({names[1]}, %y" in line for line in lines)


@pytest.mark.parametrize("reader", [EXP, MMAD])
def test_a_tile_in_memory_is_loaded_for_each_reader(run_passes, reader: str) -> None:
    body = f"""%f = {FIX.replace("%IN", "%x")}
      %p = {reader.replace("%IN", "%f")}
      %r = {EXP.replace("%IN", "%f")}"""
    assert _moves(_run(run_passes, body)) == [("load", "%f"), ("load", "%f")]


def test_a_single_element_in_memory_is_loaded_with_its_tile(run_passes) -> None:
    body = f"""%f = {FIX.replace("%IN", "%x")}
      %s = tensor.extract %f[%i, %i] : {T}
      %r = hivm.hir.vadd ins(%x, %s : {T}, f32) outs(%e : {T}) -> {T}"""
    assert _moves(_run(run_passes, body)) == [("load", "%f")]


def test_a_load_of_a_vector_tile_gets_a_store_before_it(run_passes) -> None:
    body = f"""%v = {EXP.replace("%IN", "%x")}
      %r = hivm.hir.load ins(%v : {T}) outs(%e : {T}) -> {T}"""
    assert [kind for kind, _ in _moves(_run(run_passes, body))] == ["store", "load"]


def test_a_loop_of_vector_ops_starts_with_a_loaded_tile(run_passes) -> None:
    body = f"""%f = {FIX.replace("%IN", "%x")}
      %r = scf.for %j = %i to %one step %one iter_args(%c = %f) -> ({T}) {{
        %n = {EXP.replace("%IN", "%c")}
        scf.yield %n : {T}
      }}"""
    lines = _run(run_passes, body)
    assert _moves(lines) == [("load", "%f")]
    place = [at for at, line in enumerate(lines) if "hir.load" in line or "scf.for" in line]
    assert "hir.load" in lines[place[0]], "the load stands before the loop"


def test_a_carried_tile_that_is_loaded_is_stored_again_into_its_place(run_passes) -> None:
    body = f"""%f = {FIX.replace("%IN", "%x")}
      %r = scf.for %j = %i to %one step %one iter_args(%c = %f) -> ({T}) {{
        %l = hivm.hir.load ins(%c : {T}) outs(%e : {T}) -> {T}
        %n = {EXP.replace("%IN", "%l")}
        scf.yield %n : {T}
      }}"""
    lines = _run(run_passes, body)
    assert _moves(lines) == [("load", "%c"), ("store", "%n")]
    store = next(line for line in lines if "hir.store" in line)
    assert f"outs(%c : {T})" in store
    assert f"scf.yield {store.split()[0]} : {T}" in lines


def test_a_carried_vector_tile_goes_to_the_matrix_op_through_memory(run_passes) -> None:
    body = f"""%r = scf.for %j = %i to %one step %one iter_args(%c = %x) -> ({T}) {{
        %p = {MMAD.replace("%IN", "%c")}
        %n = {EXP.replace("%IN", "%p")}
        scf.yield %n : {T}
      }}"""
    assert [kind for kind, _ in _moves(_run(run_passes, body))] == ["store", "load"]


def test_both_branches_leave_their_tile_in_memory(run_passes) -> None:
    body = f"""%r = scf.if %b -> ({T}) {{
        %f = {FIX.replace("%IN", "%x")}
        scf.yield %f : {T}
      }} else {{
        %v = {EXP.replace("%IN", "%x")}
        scf.yield %v : {T}
      }}"""
    lines = _run(run_passes, body)
    assert _moves(lines) == [("store", "%v")]
    assert any("annotation.mark %r" in line for line in lines)


@pytest.mark.parametrize(
    ("tile", "mark"),
    [
        ("{gather_load}", ""),
        ("{index_select_simd}", ""),
        ("", f"annotation.mark %t {{MayImplicitTransposeWithLastAxis}} : {T}"),
        ("", ""),
    ],
)
def test_tiles_that_vector_cores_fill_or_turn(run_passes, tile: str, mark: str) -> None:
    body = f"""%t = bufferization.to_tensor %g restrict {tile} : memref<16x16xf32>
      {mark}
      %r = {MMAD.replace("%IN", "%t")}"""
    wanted = ["store", "load"] if tile or mark else []
    assert [kind for kind, _ in _moves(_run(run_passes, body))] == wanted


def test_a_slice_that_bufferization_elides_is_no_vector_op(run_passes) -> None:
    slice_op = f"""tensor.insert_slice %x into %e[0, 0] [16, 16] [1, 1] MARK : {T} into {T}"""
    for mark, wanted in (("", ["store", "load"]), ("{elide_after_bufferize}", [])):
        body = f"%s = {slice_op.replace('MARK', mark)} %r = {MMAD.replace('%IN', '%s')}"
        assert [kind for kind, _ in _moves(_run(run_passes, body))] == wanted


def test_batches_and_convolutions_are_matrix_ops_too(run_passes) -> None:
    conv = (
        "hivm.hir.Conv1dL1 {groups = 1 : i32, padding = 0 : i32} "
        f"ins(%v, %y, %b : {T}, {T}, i1) outs(%e : {T}) -> {T}"
    )
    batch = MMAD.replace("mmadL1", "batchMmadL1").replace("%IN", "%v")
    for op in (conv, batch):
        body = f"%v = {EXP.replace('%IN', '%x')} %r = {op}"
        assert [kind for kind, _ in _moves(_run(run_passes, body))] == ["store", "load"]
