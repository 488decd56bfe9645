import pytest
from xdsl.utils.exceptions import VerifyException

from tlcourse.diagnostics import SourceFile
from tlcourse.dialects import tl
from tlcourse.dialects.locations import span_of
from tlcourse.dialects.signature import extent_text, kernel_of, signature, stamp
from tlcourse.dialects.text import from_text, to_text

GM = "memref<?x512xf32, #tl.scope<global>>"
UB = "memref<64x128xf32, #tl.scope<shared>>"
TEXT = f"""builtin.module {{
  func.func @scale(%A: {GM} {{tl.name = "A", tl.dtype = "float32", tl.kind = "tensor",
      tl.extents = ["M", "512"], tl.loc = ["k.py", "2", "11"]}},
      %M: i32 {{tl.name = "M", tl.dtype = "int32", tl.kind = "symbol"}}) {{
    %c = arith.constant 64 : i32
    %zero = arith.constant 0 : i32
    %init = arith.constant true
    %grid = arith.floordivsi %M, %c : i32
    tl.kernel(%grid) {{
    ^bb0(%cid: i32, %vid: i32):
      tl.for "pipelined" %zero to %c num_stages = 2 : i32 {{
      ^bb1(%i: i32):
        tl.scope "vector" {{
          %x = tl.let "bx" = %cid : i32 -> i32
          %m = tl.floormod %x, %c
          %a = tl.alloc "a_ub" : {UB}
          %r = tl.region %A[%m, %i] [%c] : {GM} to memref<?x128xf32, #tl.scope<global>>
          tl.copy %r, %a : memref<?x128xf32, #tl.scope<global>> to {UB} loc("k.py":3:5)
          tl.vadd ins(%a, %a : {UB}, {UB}) outs(%a : {UB})
          tl.gemm b_transpose ins(%a, %a, %init : {UB}, {UB}) outs(%a : {UB})
          %e = tl.load %a[%i, %x] : {UB} -> f32
          tl.store %e, %a[%i, %x] : f32, {UB}
          tl.set_flag "PIPE_MTE2", "PIPE_V", %zero : i32
          tl.wait_flag "PIPE_V", "PIPE_MTE2", %zero : i32
          tl.pipe_barrier "PIPE_ALL"
          tl.sync_block_set "PIPE_FIX", %zero : i32
          tl.sync_block_wait "PIPE_MTE2", %zero : i32
          tl.print hex "msg", %a : {UB}
        }}
      }}
    }}
    func.return
  }}
}}
"""
SOURCES = {
    "k.py": SourceFile(
        id="k.py", text="@T.prim_func\ndef scale(A: X):\n    T.copy(A, a)\n", title="k.py"
    )
}


@pytest.mark.parametrize("locations", [False, True])
@pytest.mark.parametrize("generic", [False, True])
def test_round_trip(locations: bool, generic: bool) -> None:
    module = from_text(TEXT)
    module.verify()
    text = to_text(module, locations=locations, generic=generic)
    again = from_text(text)
    again.verify()
    assert to_text(again, locations=locations, generic=generic) == text
    assert {op.name for op in module.walk()} >= {op.name for op in (tl.KernelOp, tl.GemmOp)}


def test_signature_reads_what_was_stamped() -> None:
    module = from_text(TEXT)
    stamp(module, mode="Developer", target="npuir", out_idx=(0,), pass_configs={"b": "1", "a": "2"})
    found = signature(from_text(to_text(module, locations=True)), SOURCES)
    assert (found.kernel, found.mode, found.target) == ("scale", "Developer", "npuir")
    assert (found.grid, found.out_idx) == (("(M // 64)",), (0,))
    tensor, symbol = found.parameters
    assert (tensor.name, tensor.dtype, tensor.extents) == ("A", "float32", ("M", "512"))
    assert (symbol.name, symbol.kind, symbol.extents) == ("M", "symbol", ())
    assert tensor.span is not None
    assert (tensor.span.line, tensor.span.column, tensor.span.end_column) == (2, 11, 15)


def test_span_of_an_op() -> None:
    copy = next(op for op in from_text(TEXT).walk() if isinstance(op, tl.CopyOp))
    span = span_of(copy, SOURCES)
    assert span is not None
    assert (span.line, span.column, span.end_column) == (3, 5, 17)


def test_extent_of_a_block_variable_is_refused() -> None:
    kernel = kernel_of(from_text(TEXT))
    with pytest.raises(ValueError, match="not known before the launch"):
        extent_text(kernel.body.block.args[0])


def test_region_keeps_the_rank() -> None:
    module = from_text(TEXT.replace("%A[%m, %i] [%c]", "%A[%m] [%c]"))
    with pytest.raises(VerifyException, match=r"tl\.region keeps the rank"):
        module.verify()
