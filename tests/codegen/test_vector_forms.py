"""Element loops that became vector operations, and casts: through the whole real compiler."""

from __future__ import annotations

import itertools

import pytest

import tlcourse.language as T
from tests.passes.tir.kept_bodies import KEPT
from tests.passes.tir.parallel_bodies import TURNED, kernel_of, whole_numbers
from tlcourse.diagnostics import TLError
from tlcourse.dialects.vector_ops import ALL_OPS
from tlcourse.pipeline import compile_module
from tlcourse.pipeline.options import PassOptions

MODES = ("Expert", "Developer")
LOOPS = {loop._function.__name__: loop for loop in [*(c[0] for c in TURNED), whole_numbers, *KEPT]}
SIGNED = ("bool", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")


def through(kernel: T.PrimFunc, mode: str) -> set[str]:
    """The ops of a kernel when the real compiler is through with it."""
    made = compile_module(
        kernel.module, kernel.sources, mode=mode, backend="bishengir", options=PassOptions()
    )
    made.executable.verify()
    return {op.name for op in made.executable.walk()}


@pytest.mark.bishengir
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", LOOPS)
def test_each_loop_compiles(bishengir_opt, monkeypatch, mode, name) -> None:
    if mode == "Expert":
        monkeypatch.setattr(T, "alloc_shared", T.alloc_ub)
    assert "hivm.hir.store" in through(kernel_of(LOOPS[name]), mode)


def cast(source: str, target: str, mode: str, round_mode: str = "rint") -> T.PrimFunc:
    alloc = T.alloc_ub if mode == "Expert" else T.alloc_shared

    @T.prim_func
    def cast(A: T.Tensor((64, 128), source), C: T.Tensor((64, 128), target)):
        with T.Kernel(1, is_npu=True):
            a = alloc((64, 128), source)
            c = alloc((64, 128), target)
            T.copy(A, a)
            T.vcast(a, c, round_mode=round_mode)
            T.vcast(a[0:1, :], c[0:8, :])
            T.copy(c, C)

    return cast


@pytest.mark.bishengir
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("source", "target"), list(itertools.product(SIGNED, SIGNED)))
def test_each_cast_compiles(bishengir_opt, mode, source, target) -> None:
    through(cast(source, target, mode), mode)


@pytest.mark.bishengir
@pytest.mark.parametrize("round_mode", ["round", "floor", "ceil", "trunc"])
@pytest.mark.parametrize("target", SIGNED)
def test_round_modes_compile(bishengir_opt, target, round_mode) -> None:
    for source in ("float16", "bfloat16", "float32", "int32"):
        through(cast(source, target, "Expert", round_mode), "Expert")


@pytest.mark.bishengir
def test_a_copy_converts_by_the_same_steps(bishengir_opt) -> None:
    for source, target in (("int8", "float32"), ("float32", "bool"), ("int64", "int8")):

        @T.prim_func
        def copied(A: T.Tensor((64, 128), source), C: T.Tensor((64, 128), target)):
            with T.Kernel(1, is_npu=True):
                c = T.alloc_shared((64, 128), target)
                T.copy(A, c)
                T.copy(c, C)

        assert through(copied, "Developer") & {"hivm.hir.vcast", "hivm.hir.vcmp"}


VALUES = {
    "sum": lambda a, b, i, j: a[i, j] * b[i, j] - a[i, j],
    "quotient": lambda a, b, i, j: a[i, j] // (b[i, j] + 1) + a[i, j] % (b[i, j] + 1),
    "larger": lambda a, b, i, j: T.max(a[i, j], b[i, j]),
    "choice": lambda a, b, i, j: T.if_then_else(a[i, j] < b[i, j], a[i, j], b[i, j]),
    "same": lambda a, b, i, j: T.if_then_else(a[i, j] == b[i, j], a[i, j], b[i, j]),
    "shift": lambda a, b, i, j: a[i, j] >> 1,
    "number": lambda a, b, i, j: T.cast(T.cast(a[i, j], "float32") * 0.5, a.dtype),
    "index": lambda a, b, i, j: T.cast(j, a.dtype),
    "copy": lambda a, b, i, j: a[i, j],
}


def unsigned_loop(name: str, dtype: str) -> T.PrimFunc:
    value = VALUES[name]

    @T.prim_func
    def unsigned(A: T.Tensor((8, 32), dtype), C: T.Tensor((8, 32), dtype)):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((8, 32), dtype)
            c = T.alloc_shared((8, 32), dtype)
            T.copy(A, a)
            T.copy(A, c)
            for i, j in T.Parallel(8, 32):
                c[i, j] = value(a, c, i, j)
            T.copy(c, C)

    return unsigned


def unsigned_call(name: str, dtype: str) -> T.PrimFunc:
    function, row = getattr(T, name), ALL_OPS[name]
    masks = {"destination": (dtype, "bool"), "source": ("bool", dtype), "": (dtype, dtype)}
    first, last = masks[row.mask]
    more = ("lt",) if name == "vcmp" else ()

    @T.prim_func
    def unsigned(A: T.Tensor((8, 32), dtype), C: T.Tensor((8, 32), last)):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_shared((8, 32), dtype)
            m = T.alloc_shared((8, 32), first)
            c = T.alloc_shared((8, 32), last)
            T.copy(A, a)
            T.vbrc(1, m)
            function(*[m, a, a][: row.arity], c, *more)
            T.copy(c, C)

    return unsigned


@pytest.mark.bishengir
@pytest.mark.parametrize("dtype", ["uint8", "uint32"])
@pytest.mark.parametrize("name", VALUES)
def test_loops_over_unsigned_integers_compile(bishengir_opt, name, dtype) -> None:
    through(unsigned_loop(name, dtype), "Developer")


@pytest.mark.bishengir
@pytest.mark.parametrize("dtype", UNSIGNED)
@pytest.mark.parametrize("name", ALL_OPS)
def test_calls_on_unsigned_integers_compile_or_are_refused(bishengir_opt, name, dtype) -> None:
    if dtype in ALL_OPS[name].dtypes:
        through(unsigned_call(name, dtype), "Developer")
        return
    with pytest.raises(TLError) as refused:
        unsigned_call(name, dtype)
    assert refused.value.diagnostic.code == "TL124"


@pytest.mark.parametrize("dtype", [*UNSIGNED, "float64"])
def test_casts_that_no_vector_unit_knows_are_refused(dtype) -> None:
    for pair in ((dtype, "float32"), ("int32", dtype)):
        with pytest.raises(TLError) as refused:
            cast(*pair, "Expert")
        assert refused.value.diagnostic.code == "TL124"


def test_rounding_to_odd_is_for_float32_to_float16() -> None:
    assert cast("float32", "float16", "Expert", "odd").name == "cast"
    with pytest.raises(TLError) as refused:
        cast("float32", "int32", "Expert", "odd")
    assert refused.value.diagnostic.code == "TL133"
