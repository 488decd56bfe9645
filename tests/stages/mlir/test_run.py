"""Functions of MLIR's own dialects, run op by op, against torch and hand-worked figures."""

from __future__ import annotations

import pytest
import torch
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from tlcourse.diagnostics import SourceFile, TLError
from tlcourse.dialects.foreign import with_foreign_dialects
from tlcourse.dialects.text import context, from_text
from tlcourse.stages.mlir import machine
from tlcourse.stages.mlir.run import Border, border_of, call

NAME = "here.mlir"
NAN = float("nan")
Tensors = tuple[torch.Tensor, ...]


def _read(text: str) -> ModuleOp:
    module = from_text(text, name=NAME, ctx=with_foreign_dialects(context()))
    module.verify()
    return module


def _border(text: str) -> Border:
    function = _read(text).body.block.first_op
    assert isinstance(function, func.FuncOp)
    return border_of(function)


def _run(text: str, *tensors: torch.Tensor, border: str = "") -> Tensors:
    sources = {NAME: SourceFile(id=NAME, text=text, title=NAME)}
    return call(_read(text), _border(border or text), tensors, sources)


def _unary(op: str, kind: str = "f32") -> str:
    t = f"tensor<2x3x{kind}>"
    return f"func.func @f(%a: {t}) -> {t} {{\n  %r = {op} : ({t}) -> {t}\n  return %r : {t}\n}}\n"


def _binary(op: str, b: str = "2x3xf32") -> str:
    t = "tensor<2x3xf32>"
    return (
        f"func.func @f(%a: {t}, %b: tensor<{b}>) -> {t} {{\n"
        f"  %r = {op} %a, %b : ({t}, tensor<{b}>) -> {t}\n  return %r : {t}\n}}\n"
    )


def _numbers(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    generator = torch.Generator().manual_seed(len(shape) + sum(shape))
    return (3 * torch.randn(shape, generator=generator)).to(dtype)


CLAMP = (
    "tosa.clamp %a {min_fp = -1.0 : f32, max_fp = 2.0 : f32, min_int = 0 : i64, max_int = 0 : i64}"
)


@pytest.mark.parametrize(
    ("op", "wanted"),
    [
        ("tosa.exp %a", torch.exp),
        ("tosa.abs %a", torch.abs),
        ("tosa.sin %a", torch.sin),
        ("tosa.cos %a", torch.cos),
        ("tosa.sigmoid %a", torch.sigmoid),
        ("tosa.reciprocal %a", torch.reciprocal),
        (CLAMP, lambda a: a.clamp(-1.0, 2.0)),
    ],
)
def test_functions_of_one_tensor(op, wanted) -> None:
    a = _numbers(2, 3)
    a[0, 0] = NAN
    torch.testing.assert_close(_run(_unary(op), a)[0], wanted(a), equal_nan=True)


@pytest.mark.parametrize("b", ["2x3xf32", "1x3xf32", "2x1xf32"])
@pytest.mark.parametrize(
    ("op", "wanted"),
    [
        ("tosa.add", torch.add),
        ("tosa.sub", torch.sub),
        ("tosa.mul", torch.mul),
        ("tosa.maximum", torch.maximum),
        ("tosa.minimum", torch.minimum),
    ],
)
def test_functions_of_two_tensors(op, wanted, b) -> None:
    one, two = _numbers(2, 3), _numbers(*(int(word) for word in b.split("x")[:2]))
    one[0, 0] = NAN
    assert torch.equal(
        _run(_binary(op, b), one, two)[0].nan_to_num(7), wanted(one, two).nan_to_num(7)
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_each_dtype_of_floats_keeps_its_own_precision(dtype) -> None:
    short = {torch.float16: "f16", torch.float32: "f32", torch.float64: "f64"}[dtype]
    a = _numbers(2, 3, dtype=dtype)
    (made,) = _run(_unary("tosa.abs %a", short), a)
    assert made.dtype == dtype
    assert torch.equal(made, a.abs())


LOOP = """func.func @f(%a: memref<2x3xf32>) -> memref<2x3xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %rows = arith.constant ROWS : index
  %columns = arith.constant 3 : index
  %out = memref.alloc() : memref<2x3xf32>
  scf.for %i = %zero to %rows step %one {
    scf.for %j = %zero to %columns step %one {
      %x = memref.load %a[%i, %j] : memref<2x3xf32>
      %least = arith.constant 0.0 : f32
      %small = arith.cmpf PREDICATE, %x, %least : f32
      %y = scf.if %small -> (f32) {
        %n = arith.negf %x : f32
        scf.yield %n : f32
      } else {
        scf.yield %x : f32
      }
      memref.store %y, %out[%i, %j] : memref<2x3xf32>
    }
  }
  return %out : memref<2x3xf32>
}
"""
BORDER = _unary("tosa.abs %a")


def _loop(rows: int = 2, predicate: str = "olt") -> str:
    return LOOP.replace("ROWS", str(rows)).replace("PREDICATE", predicate)


def test_loops_branches_and_buffers() -> None:
    a = _numbers(2, 3)
    assert torch.equal(_run(_loop(), a, border=BORDER)[0], a.abs())


@pytest.mark.parametrize(
    ("predicate", "wanted"),
    [
        # x < 0, x = 0, x > 0, NaN: 1 where the comparison with 0 holds.
        ("false", "0000"),
        ("oeq", "0100"),
        ("ogt", "0010"),
        ("oge", "0110"),
        ("olt", "1000"),
        ("ole", "1100"),
        ("one", "1010"),
        ("ord", "1110"),
        ("ueq", "0101"),
        ("ugt", "0011"),
        ("uge", "0111"),
        ("ult", "1001"),
        ("ule", "1101"),
        ("une", "1011"),
        ("uno", "0001"),
        ("true", "1111"),
    ],
)
def test_every_comparison_of_floats(predicate, wanted) -> None:
    text = f"""func.func @f(%a: memref<4xf32>) -> memref<4xf32> {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %no = arith.constant 0.0 : f32
  %yes = arith.constant 1.0 : f32
  %out = memref.alloc() : memref<4xf32>
  scf.for %i = %zero to %four step %one {{
    %x = memref.load %a[%i] : memref<4xf32>
    %is = arith.cmpf {predicate}, %x, %no : f32
    %y = arith.select %is, %yes, %no : f32
    memref.store %y, %out[%i] : memref<4xf32>
  }}
  return %out : memref<4xf32>
}}
"""
    border = _unary("tosa.abs %a").replace("2x3", "4")
    (made,) = _run(text, torch.tensor([-1.0, 0.0, 1.0, NAN]), border=border)
    assert "".join(str(int(one)) for one in made) == wanted


def test_what_nobody_wrote_is_no_number() -> None:
    a = _numbers(2, 3)
    (made,) = _run(_loop(rows=1), a, border=BORDER)
    assert torch.equal(made[0], a[0].abs())
    assert made[1].isnan().all()


def test_memory_behind_a_buffer_is_not_touched() -> None:
    with pytest.raises(TLError, match=r"no element \[2, 0\] in a buffer of 2x3") as caught:
        _run(_loop(rows=3), _numbers(2, 3), border=BORDER)
    assert caught.value.code == "TL363"
    assert "%x = memref.load" in str(caught.value)


def test_an_address_outside_of_its_memory_is_not_read() -> None:
    text = """llvm.func @f(%a: !llvm.ptr, %out: !llvm.ptr) {
  %six = llvm.mlir.constant(6 : i64) : i64
  %p = llvm.getelementptr %a[%six] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %x = llvm.load %p : !llvm.ptr -> f32
  llvm.store %x, %out : f32, !llvm.ptr
  llvm.return
}
"""
    with pytest.raises(TLError, match="byte 24 is touched, and the buffer has 24") as caught:
        _run(text, _numbers(2, 3), border=BORDER)
    assert caught.value.code == "TL363"
    ok = text.replace("6 : i64", "5 : i64")
    a = _numbers(2, 3)
    assert _run(ok, a, border=BORDER)[0][0, 0] == a[1, 2]


def test_a_copy_of_more_bytes_than_there_are() -> None:
    text = """llvm.func @memcpy(!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
llvm.func @f(%a: !llvm.ptr, %out: !llvm.ptr) {
  %n = llvm.mlir.constant(BYTES : i64) : i64
  %p = llvm.call @memcpy(%out, %a, %n) : (!llvm.ptr, !llvm.ptr, i64) -> !llvm.ptr
  llvm.return
}
"""
    a = _numbers(2, 3)
    assert torch.equal(_run(text.replace("BYTES", "24"), a, border=BORDER)[0], a)
    with pytest.raises(TLError, match="28 bytes do not lie in both") as caught:
        _run(text.replace("BYTES", "28"), a, border=BORDER)
    assert caught.value.code == "TL363"


def test_a_function_calls_another() -> None:
    text = """func.func @f(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = func.call @g(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
func.func @g(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = tosa.add %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
"""
    a = _numbers(2, 3)
    assert torch.equal(_run(text, a)[0], 2 * a)
    declared = "func.func private @g(tensor<2x3xf32>) -> tensor<2x3xf32>\n"
    with pytest.raises(TLError, match="no function g") as caught:
        _run(text[: text.index("func.func @g")] + declared, a)
    assert caught.value.code == "TL362"


def test_an_op_that_nobody_knows() -> None:
    text = BORDER.replace("tosa.abs", "tosa.reduce_sum").replace(
        "%r = tosa.reduce_sum %a : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        '%r = "what.is_this"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>',
    )
    with pytest.raises(TLError, match=r"what\.is_this cannot be run") as caught:
        _run(text, _numbers(2, 3))
    assert caught.value.code == "TL362"
    assert f"{NAME}, line 2" in str(caught.value)


def test_a_loop_that_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "STEP_LIMIT", 1000)
    text = """func.func @f(%a: memref<2x3xf32>) -> memref<2x3xf32> {
  cf.br ^bb1
^bb1:
  %same = arith.constant 0 : index
  cf.br ^bb1
}
"""
    with pytest.raises(TLError, match="1,000 ops and is not done") as caught:
        _run(text, _numbers(2, 3), border=BORDER)
    assert caught.value.code == "TL365"


@pytest.mark.parametrize(
    "tensors",
    [
        (),
        (torch.zeros(3, 2),),
        (torch.zeros(2, 3, dtype=torch.float16),),
        (torch.zeros(2, 3, dtype=torch.bfloat16),),
    ],
)
def test_tensors_that_the_function_does_not_take(tensors) -> None:
    with pytest.raises(TLError, match=r"it takes \(tensor<2x3xf32>\), and was given") as caught:
        _run(BORDER, *tensors)
    assert caught.value.code == "TL364"


@pytest.mark.parametrize("kind", ["tensor<?x3xf32>", "f32", "tensor<2x3xbf16>"])
def test_a_function_that_takes_something_else(kind) -> None:
    text = f"func.func @f(%a: {kind}) -> {kind} {{\n  return %a : {kind}\n}}\n"
    with pytest.raises(TLError, match="no tensor of fixed extents") as caught:
        _border(text)
    assert caught.value.code == "TL364"


def test_a_function_that_has_changed_its_arguments() -> None:
    text = "llvm.func @f(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr) {\n  llvm.return\n}\n"
    with pytest.raises(TLError, match="takes 3 arguments by now") as caught:
        _run(text, _numbers(2, 3), border=BORDER)
    assert caught.value.code == "TL364"
    with pytest.raises(TLError, match="no such function any more"):
        _run(text.replace("@f", "@g"), _numbers(2, 3), border=BORDER)


def test_the_tensors_given_are_not_written() -> None:
    text = """func.func @f(%a: memref<2x3xf32>, %out: memref<2x3xf32>) {
  %x = arith.constant 5.0 : f32
  linalg.fill ins(%x : f32) outs(%a : memref<2x3xf32>)
  memref.copy %a, %out : memref<2x3xf32> to memref<2x3xf32>
  return
}
"""
    a = _numbers(2, 3)
    old = a.clone()
    assert torch.equal(_run(text, a, border=BORDER)[0], torch.full((2, 3), 5.0))
    assert torch.equal(a, old)


def test_the_index_of_a_point_and_a_transposed_map() -> None:
    text = """func.func @f(%a: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %e = tensor.empty() : tensor<3x2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) {
  ^bb0(%x: f32, %old: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f32
    %y = arith.addf %x, %k : f32
    linalg.yield %y : f32
  } -> tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}
"""  # noqa: E501
    a = _numbers(2, 3)
    assert torch.equal(_run(text, a)[0], a.t() + torch.arange(2.0))
