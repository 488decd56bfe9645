import pytest

from tlcourse.diagnostics import TLError
from tlcourse.dialects.text import from_text
from tlcourse.passes.npuir.one_shot_bufferize import OneShotBufferizePass

T = "tensor<8x16xf32>"
B = "memref<8x16xf32>"


def _module(body: str) -> str:
    return f"""module {{
  func.func @k(%in: {B}, %out: {B}, %gm: {B}, %cond: i1, %c0: i32, %c4: i32, %c1: i32, %s: f32) {{
    %x = bufferization.to_tensor %in restrict : {B}
    %e = tensor.empty() : {T}
    {body}
    return
  }}
}}"""


def _op(name: str, result: str, sources: str, out: str) -> str:
    kinds = ", ".join([T] * len(sources.split(",")))
    return f"{result} = hivm.hir.{name} ins({sources} : {kinds}) outs({out} : {T}) -> {T}"


def _store(value: str) -> str:
    return f"hivm.hir.store ins({value} : {T}) outs(%gm : {B})"


def test_each_op_gets_its_own_destination(run_passes) -> None:
    body = "\n".join([_op("vexp", "%a", "%x", "%e"), _op("vln", "%b", "%a", "%e"), _store("%b")])
    text = run_passes(_module(body), OneShotBufferizePass())
    assert "tensor" not in text
    assert text.count("memref.alloc") == 2
    assert "hivm.hir.vexp ins(%in : " in text


def test_update_is_in_place_when_the_old_tile_is_not_read_again(run_passes) -> None:
    body = "\n".join([_op("vexp", "%a", "%x", "%e"), _op("vln", "%b", "%a", "%a"), _store("%b")])
    text = run_passes(_module(body), OneShotBufferizePass())
    assert text.count("memref.alloc") == 1


def test_update_keeps_an_old_tile_that_is_read_again(run_passes) -> None:
    body = "\n".join(
        [_op("vexp", "%a", "%x", "%e"), _op("vln", "%b", "%a", "%a"), _store("%b"), _store("%a")]
    )
    text = run_passes(_module(body), OneShotBufferizePass())
    assert text.count("memref.alloc") == 2


def test_carried_tile_is_updated_in_its_own_buffer(run_passes) -> None:
    body = f"""{_op("vexp", "%a", "%x", "%e")}
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %a) -> ({T}) : i32 {{
      {_op("vadd", "%n", "%t, %x", "%e")}
      scf.yield %n : {T}
    }}
    {_store("%r")}"""
    text = run_passes(_module(body), OneShotBufferizePass())
    assert text.count("memref.alloc") == 1
    assert "hir.copy" not in text
    assert "iter_args" not in text


def test_swapped_tiles_go_through_a_spare_buffer(run_passes) -> None:
    body = f"""{_op("vexp", "%a", "%x", "%e")}
    {_op("vln", "%b", "%x", "%e")}
    %r, %q = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %a, %u = %b) -> ({T}, {T}) : i32 {{
      scf.yield %u, %t : {T}, {T}
    }}
    {_store("%r")}"""
    text = run_passes(_module(body), OneShotBufferizePass())
    copies = [line for line in text.splitlines() if "hir.copy" in line]
    assert len(copies) == 4
    assert text.count("memref.alloc") == 4


def test_tile_read_after_the_loop_is_not_clobbered(run_passes) -> None:
    body = f"""{_op("vexp", "%a", "%x", "%e")}
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %a) -> ({T}) : i32 {{
      {_op("vadd", "%n", "%t, %x", "%e")}
      scf.yield %n : {T}
    }}
    {_store("%r")}
    {_store("%a")}"""
    text = run_passes(_module(body), OneShotBufferizePass())
    assert text.count("memref.alloc") == 2
    assert text.count("hir.copy") == 1


def test_branch_that_changes_nothing_shares_the_buffer(run_passes) -> None:
    body = f"""{_op("vexp", "%a", "%x", "%e")}
    %r = scf.if %cond -> ({T}) {{
      {_op("vln", "%n", "%a", "%e")}
      scf.yield %n : {T}
    }} else {{
      scf.yield %a : {T}
    }}
    {_store("%r")}"""
    text = run_passes(_module(body), OneShotBufferizePass())
    assert text.count("memref.alloc") == 1
    assert "hir.copy" not in text


def test_slice_written_into_a_tile_is_a_copy_into_a_view(run_passes) -> None:
    body = f"""%p = tensor.extract_slice %x[0, 4] [8, 8] [1, 1] : {T} to tensor<8x8xf32>
    {_op("vexp", "%a", "%x", "%e")}
    %r = tensor.insert_slice %p into %a[0, 8] [8, 8] [1, 1] : tensor<8x8xf32> into {T}
    {_store("%r")}"""
    text = run_passes(_module(body), OneShotBufferizePass())
    assert "memref.subview %in[0, 4] [8, 8] [1, 1]" in text
    assert "strided<[16, 1], offset: 8>" in text
    assert text.count("hir.copy") == 1


PRINT = '"hivm.hir.debug"(%{0}) <{{debugtype = "print", prefix = "", hex = false}}> : ({1}) -> ()'


def test_a_print_shows_the_buffer_of_a_slice_before_the_tile_changes(run_passes) -> None:
    body = f"""{_op("vexp", "%a", "%x", "%e")}
    %p = tensor.extract_slice %a[0, 4] [8, 8] [1, 1] : {T} to tensor<8x8xf32>
    {_op("vln", "%b", "%a", "%a")}
    {PRINT.format("p", "tensor<8x8xf32>")}
    {_store("%b")}"""
    text = run_passes(_module(body), OneShotBufferizePass())
    assert "tensor" not in text
    assert ": memref<8x8xf32, strided<[16, 1], offset: 4>>\n" in text
    assert text.count("memref.alloc") == 2, "the update must not change what is printed later"


def test_an_unknown_op_on_tensors_is_refused() -> None:
    module = from_text(
        _module(f"%d = tensor.dim %x, %i : {T}").replace("%c0: i32", "%c0: i32, %i: index")
    )
    with pytest.raises(TLError) as caught:
        OneShotBufferizePass().apply(None, module)
    assert caught.value.code == "TL306"
    assert "tensor.dim" in caught.value.diagnostic.what


def test_buffers_are_left_alone(run_passes) -> None:
    body = f"hivm.hir.vexp ins(%a : {B}) outs(%a : {B})"
    text = f"module {{ func.func @k(%a: {B}) {{ {body} return }} }}"
    assert run_passes(text, OneShotBufferizePass()) == run_passes(text)


def test_elements_of_both_ways_go_into_the_tile_that_they_update(run_passes) -> None:
    """Each way keeps the other elements of the tile, which the loop wrote before."""
    body = f"""%z = arith.constant 0 : index
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %e) -> ({T}) : i32 {{
      %n = scf.if %cond -> ({T}) {{
        %a = tensor.insert %s into %t[%z, %z] : {T}
        scf.yield %a : {T}
      }} else {{
        %b = tensor.insert %s into %t[%z, %z] : {T}
        scf.yield %b : {T}
      }}
      scf.yield %n : {T}
    }}
    {_store("%r")}"""
    text = run_passes(_module(body), OneShotBufferizePass())
    stores = text.count("memref.store")
    copies = text.count("memref.copy") + text.count("hivm.hir.copy")
    assert stores == 2
    # One buffer, or each way starts from a copy of the old tile.
    assert (text.count("memref.alloc"), copies) in ((1, 0), (2, 3))
