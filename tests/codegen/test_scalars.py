from __future__ import annotations

import itertools
import operator

import pytest

import tlcourse.language as T

# What each op of the expansion computes, on Python integers that stay small.
_MEANING = {
    "arith.divsi": lambda a, b: int(a / b),
    "arith.remsi": lambda a, b: a - int(a / b) * b,
    "arith.addi": operator.add,
    "arith.subi": operator.sub,
    "arith.xori": operator.xor,
    "arith.andi": lambda a, b: a and b,
    "arith.select": lambda c, a, b: a if c else b,
}
_COMPARE = {1: operator.ne, 2: operator.lt}


def _run(module, arguments: dict[str, int]) -> int:
    """Evaluates the scalar ops of a kernel; gives what it stores."""
    values: dict[object, object] = {}
    for op in module.walk():
        if op.name == "func.func":
            for argument in op.body.block.args:
                values[argument] = arguments.get(argument.name_hint, 0)
        elif op.name == "arith.constant":
            values[op.results[0]] = op.value.value.data
        elif op.name == "arith.cmpi":
            compare = _COMPARE[op.predicate.value.data]
            values[op.results[0]] = compare(*(values[operand] for operand in op.operands))
        elif op.name in _MEANING:
            values[op.results[0]] = _MEANING[op.name](*(values[v] for v in op.operands))
        elif op.name == "memref.store":
            return values[op.operands[0]]
    raise AssertionError("nothing is stored")


@pytest.mark.parametrize("sign", ["//", "%"])
def test_division_rounds_down_as_in_python(lower, sign):
    @T.prim_func
    def kernel(C: T.Tensor((1,), "int32"), a: T.int32, b: T.int32):
        with T.Kernel(1, is_npu=True):
            if sign == "//":
                C[0] = a // b
            else:
                C[0] = a % b

    module = lower(kernel, "Expert").module
    expected = {"//": operator.floordiv, "%": operator.mod}[sign]
    for a, b in itertools.product(range(-7, 8), (-3, -2, -1, 1, 2, 3)):
        assert _run(module, {"a": a, "b": b}) == expected(a, b), (a, b)


def test_division_of_block_ids_is_the_chips_own(lower):
    @T.prim_func
    def kernel(C: T.Tensor((1,), "int32")):
        with T.Kernel(12, is_npu=True) as (cid, _):
            C[0] = cid // 4 + cid % 4

    counts = lower(kernel, "Expert").counts
    assert (counts["arith.divsi"], counts["arith.remsi"]) == (1, 1)
    assert counts["arith.select"] == 0


def test_unused_scalars_leave_no_trace(lower):
    @T.prim_func
    def kernel(C: T.Tensor((1,), "int32"), n: T.int32):
        with T.Kernel(12, is_npu=True) as (_, vid):
            unused = n * 3 + vid  # noqa: F841
            C[0] = n

    text = lower(kernel, "Developer").text
    assert "arith.muli" not in text
    assert "get_sub_block_idx" not in text


@pytest.mark.parametrize(
    ("dtype", "source", "op"),
    [
        ("float16", "float32", "arith.truncf"),
        ("float32", "int32", "arith.sitofp"),
        ("int16", "int32", "arith.trunci"),
        ("int64", "int32", "arith.extsi"),
        ("int32", "float32", "arith.fptosi"),
        ("float32", "float16", "arith.extf"),
        ("float32", "bool", "arith.uitofp"),
        ("int32", "bool", "arith.extui"),
    ],
)
def test_scalars_reach_the_tiles_dtype(readable, dtype, source, op):
    from tlcourse.codegen import generate
    from tlcourse.dialects.dtypes import DTYPES
    from tlcourse.dialects.signature import stamp

    element, scalar = DTYPES[dtype].mlir, DTYPES[source].mlir
    tile = f"memref<16x16x{element}, #tl.scope<shared>>"
    module = readable(f"""
    builtin.module {{
      func.func @kernel(%x: {scalar} {{tl.name = "x", tl.kind = "scalar"}}) {{
        %c1 = arith.constant 1 : i32
        tl.kernel(%c1) {{
        ^bb0(%cid: i32, %vid: i32):
          %a = tl.alloc "a" : {tile}
          tl.vadd ins(%a, %x : {tile}, {scalar}) outs(%a : {tile})
        }}
        func.return
      }}
    }}""")
    stamp(module, mode="Expert", target="npuir", out_idx=(), pass_configs={})
    names = [made.name for made in generate(module).walk()]
    assert [name for name in names if name.startswith("arith.") and "trunci" not in name[:0]][
        -1
    ] == op
