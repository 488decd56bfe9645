"""Field log, group A: copies, tails and alignment."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import tlcourse.language as T
from tlcourse.jit import compile as compile_kernel


def _tail_with_min() -> T.PrimFunc:
    @T.prim_func
    def add(
        A: T.Tensor((1000,), "float32"),
        B: T.Tensor((1000,), "float32"),
        C: T.Tensor((1000,), "float32"),
    ):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = T.alloc_ub((256,), "float32")
            b = T.alloc_ub((256,), "float32")
            c = T.alloc_ub((256,), "float32")
            n = T.min(256, 1000 - cid * 256)
            T.copy(A[cid * 256 : cid * 256 + n], a[0:n])
            T.copy(B[cid * 256 : cid * 256 + n], b[0:n])
            T.vadd(a, b, c)
            T.copy(c[0:n], C[cid * 256 : cid * 256 + n])

    return add


def _tail_with_choice() -> T.PrimFunc:
    @T.prim_func
    def add(
        A: T.Tensor((1000,), "float32"),
        B: T.Tensor((1000,), "float32"),
        C: T.Tensor((1000,), "float32"),
    ):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = T.alloc_ub((256,), "float32")
            b = T.alloc_ub((256,), "float32")
            c = T.alloc_ub((256,), "float32")
            n = T.if_then_else(cid < 3, 256, 232)
            T.copy(A[cid * 256 : cid * 256 + n], a[0:n])
            T.copy(B[cid * 256 : cid * 256 + n], b[0:n])
            T.vadd(a, b, c)
            T.copy(c[0:n], C[cid * 256 : cid * 256 + n])

    return add


@pytest.mark.parametrize("make", [_tail_with_min, _tail_with_choice])
def test_f01_tail_of_conditional_length(anywhere, make: Callable[[], T.PrimFunc]) -> None:
    """The tail block of an add failed in code generation where its length is a condition."""
    torch.manual_seed(1)
    a, b = torch.randn(1000), torch.randn(1000)
    # What lies behind C must stay: C is the front of a longer tensor on the device.
    longer = torch.full((1024,), 77.0).npu()
    kernel = compile_kernel(make(), mode=anywhere.mode)
    launch = kernel.launch(a.npu(), b.npu(), longer[:1000], execution=anywhere.execution)
    assert launch.findings == ()
    assert torch.equal(longer.cpu()[:1000], a + b)
    assert (longer.cpu()[1000:] == 77.0).all()


@pytest.mark.parametrize("width", [125, 126, 127, 128])
def test_f02_rows_of_odd_width_to_4d(anywhere, width: int) -> None:
    """Rows of 126 floats went to wrong places of a 4-D output; rows of 128 were right."""

    @T.prim_func
    def rows(X: T.Tensor((5, width), "float32"), Y: T.Tensor((2, 3, 5, width), "float32")):
        with T.Kernel(2, is_npu=True) as (n, _):
            row = T.alloc_ub((1, width), "float32")
            for c, h in T.grid(3, 5):
                T.copy(X[h, 0], row)
                T.copy(row, Y[n, c, h, 0])

    x = 1000.0 * torch.arange(5)[:, None] + torch.arange(width)
    anywhere.gives(rows, (x,), x.expand(2, 3, 5, width).contiguous())


@pytest.mark.parametrize(
    ("rows", "columns", "dtype"), [(2, 9, "float16"), (3, 15, "int8"), (4, 33, "int8")]
)
def test_f03_narrow_rows(anywhere, rows: int, columns: int, dtype: str) -> None:
    """Rows of 18 bytes lie on 32-byte slots in UB: copies that ignored it spoilt later rows."""

    @T.prim_func
    def doubled(A: T.Tensor((rows, columns), dtype), B: T.Tensor((rows, columns), dtype)):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((rows, columns), dtype)
            b = T.alloc_ub((rows, columns), "float16")
            T.copy(A, a)
            # The vector unit adds int8 in float16.
            if dtype == "int8":
                T.vcast(a, b)
                T.vadd(b, b, b)
                T.vcast(b, a)
            else:
                T.vadd(a, a, a)
            T.copy(a, B)

    a = (torch.arange(rows * columns).reshape(rows, columns) % 60).to(getattr(torch, dtype))
    anywhere.gives(doubled, (a,), a + a)


def test_f04_bitwise_not(anywhere) -> None:
    """A tenth of the elements of a bitwise not on rows of 100 were wrong."""

    @T.prim_func
    def inverted(A: T.Tensor((8, 100), "int16"), B: T.Tensor((8, 100), "int16")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((8, 100), "int16")
            b = T.alloc_ub((8, 100), "int16")
            T.copy(A, a)
            T.vnot(a, b)
            T.copy(b, B)

    torch.manual_seed(4)
    x = torch.randint(-(2**15), 2**15, (8, 100), dtype=torch.int16)
    anywhere.gives(inverted, (x,), ~x)


def test_f05_part_of_a_tile_to_a_tile(anywhere) -> None:
    """Copies inside UB took the part at offset 0 whatever the slice said."""

    @T.prim_func
    def tiles(A: T.Tensor((32, 48), "float32"), B: T.Tensor((32, 48), "float32")):
        with T.Kernel(1, is_npu=True):
            src = T.alloc_ub((32, 48), "float32")
            dst = T.alloc_ub((32, 48), "float32")
            tile = T.alloc_ub((16, 16), "float32")
            T.copy(A, src)
            for ti, tj in T.grid(2, 3):
                T.copy(src[ti * 16 : ti * 16 + 16, tj * 16 : tj * 16 + 16], tile)
                T.copy(tile, dst[ti * 16 : ti * 16 + 16, tj * 16 : tj * 16 + 16])
            T.copy(dst, B)

    a = torch.arange(32 * 48.0).reshape(32, 48)
    anywhere.gives(tiles, (a,), a)


def test_f06_index_of_a_dimension_is_missing(refused) -> None:
    """Two indices for a 3-D tensor were undefined behaviour."""

    def make() -> T.PrimFunc:
        @T.prim_func
        def load(B: T.Tensor((4, 64, 64), "float32")):
            with T.Kernel(2, is_npu=True) as (bx, _):
                b = T.alloc_shared((32, 32), "float32")
                T.copy(B[bx * 32, 0], b)

        return load

    words = ("`B` has 3 dimensions, but 2 indices are given", "B[:, :, :]")
    refused(make, "TL118", "T.copy(B[bx * 32, 0], b)", *words)


def test_f07_copy_does_not_broadcast(refused) -> None:
    """A copy of a column to a matrix was believed to repeat it, and copied a part."""

    def make() -> T.PrimFunc:
        @T.prim_func
        def load(A: T.Tensor((32, 16), "float32")):
            with T.Kernel(1, is_npu=True):
                a = T.alloc_shared((32, 16), "float32")
                T.copy(A[0:32, 0:1], a)

        return load

    refused(make, "TL123", "T.copy(A[0:32, 0:1], a)", "(32, 1)", "(32, 16)", "T.vbrc")


def _shifted(store: bool = False) -> T.PrimFunc:
    @T.prim_func
    def shifted(A: T.Tensor((16,), "float32"), B: T.Tensor((16,), "float32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((16,), "float32")
            T.vbrc(-1.0, a)
            if store:
                T.copy(A, a)
                T.copy(a[3:11], B[0:8])
            else:
                T.copy(A[0:8], a[1:9])
                T.copy(a, B)

    return shifted


def test_f08_start_inside_a_ub_slot_developer(developer) -> None:
    """A copy to an address in UB that is no multiple of 32 bytes: the compiler sees to it."""
    a = torch.arange(16.0)
    wanted = torch.full((16,), -1.0)
    wanted[1:9] = a[:8]
    developer.gives(_shifted(), (a,), wanted)


@pytest.mark.parametrize("execution", ["functional", "simulator"])
@pytest.mark.parametrize(
    ("store", "line", "start"),
    [(False, "T.copy(A[0:8], a[1:9])", 4), (True, "T.copy(a[3:11], B[0:8])", 12)],
)
def test_f08_start_inside_a_ub_slot_expert(
    refused, execution: str, store: bool, line: str, start: int
) -> None:
    """Such an address reached the hardware; an Expert copy is one move and cannot shift."""
    kernel = compile_kernel(_shifted(store), mode="Expert")
    arguments = torch.zeros(16).npu(), torch.zeros(16).npu()
    refused(
        lambda: kernel.launch(*arguments, execution=execution),
        "TL215",
        line,
        f"UB offset {start} B",
        "multiple of 32 B",
    )


def test_f09_symbolic_extent_keeps_its_dimension(anywhere) -> None:
    """A region with a symbolic extent on one side lost a dimension."""
    m = T.symbolic("m")

    @T.prim_func
    def part(A: T.Tensor((m, 20), "float32"), B: T.Tensor((m, 16), "float32")):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((64, 16), "float32")
            T.copy(A[0:m, 4:20], a[0:m, 0:16])
            T.copy(a[0:m, 0:16], B[0:m, 0:16])

    a = torch.arange(37 * 20.0).reshape(37, 20)
    anywhere.gives(part, (a,), a[:, 4:].contiguous())


def test_f10_last_block_reads_past_the_end(anywhere, found) -> None:
    """The last block read rows behind the tensor, which went unnoticed until they were unmapped."""

    @T.prim_func
    def rows(A: T.Tensor((100, 32), "float32"), B: T.Tensor((128, 32), "float32")):
        with T.Kernel(2, is_npu=True) as (cid, _):
            a = T.alloc_ub((64, 32), "float32")
            T.copy(A[cid * 64, 0], a)
            T.copy(a, B[cid * 64, 0])

    a, b = torch.ones(100, 32), torch.zeros(128, 32)
    findings = anywhere.run(rows, a, b)
    found(findings, rows.sources, "TL501", "T.copy(A[cid * 64, 0], a)", "A", "100", "block 1")


def test_f11_grid_without_blocks(refused) -> None:
    """M // block_M of a small M launched nothing, and the output stayed zero."""

    def make(M: int = 100, block_M: int = 128) -> T.PrimFunc:
        @T.prim_func
        def nothing(A: T.Tensor((M, 16), "float32")):
            with T.Kernel(M // block_M, is_npu=True) as (cid, _):
                a = T.alloc_ub((block_M, 16), "float32")
                T.copy(a, A[cid * block_M, 0])

        return nothing

    refused(make, "TL112", "with T.Kernel(M // block_M", "T.ceildiv(")


def _converting(dtype: str) -> T.PrimFunc:
    @T.prim_func
    def convert(A: T.Tensor((4,), "float32"), B: T.Tensor((4,), dtype)):
        with T.Kernel(1, is_npu=True):
            a = T.alloc_ub((4,), "float32")
            b = T.alloc_ub((4,), "float16")
            c = T.alloc_ub((4,), dtype)
            T.copy(A, a)
            T.copy(a, b)
            T.copy(b, c)
            T.copy(c, B)

    return convert


def test_f12_copy_that_converts_developer(developer) -> None:
    """A copy between dtypes gave other instructions than written; here it rounds to nearest."""
    a = torch.tensor([0.4, 1.5, 2.5, 254.6])
    developer.gives(_converting("int16"), (a,), torch.tensor([0, 2, 2, 255], dtype=torch.int16))
    developer.gives(_converting("int8"), (a,), torch.tensor([0, 2, 2, 127], dtype=torch.int8))


def test_f12_casts_that_a_copy_became_are_shown() -> None:
    """Each copy that converts is one vcast in the text of code generation, with its dtypes."""
    text = compile_kernel(_converting("int8"), mode="Developer").mlir_content
    casts = [line for line in text.splitlines() if "vcast" in line]
    assert ["f32" in casts[0], "f16" in casts[0], "f16" in casts[1], "i8" in casts[1]] == [True] * 4
    assert len(casts) == 2


@pytest.mark.parametrize("execution", ["functional", "simulator"])
def test_f12_copy_that_converts_expert(refused, execution: str) -> None:
    """A copy between dtypes gave other instructions than written; Expert copies move bytes."""
    kernel = compile_kernel(_converting("int8"), mode="Expert")
    arguments = torch.zeros(4).npu(), torch.zeros(4, dtype=torch.int8).npu()
    refused(
        lambda: kernel.launch(*arguments, execution=execution),
        "TL213",
        "T.copy(a, b)",
        "T.vcast",
    )


def test_f12_copy_to_unsigned(refused) -> None:
    """Numbers above 127 went wrong on their way to uint8."""
    refused(lambda: _converting("uint8"), "TL124", "T.copy(b, c)", "float16 to uint8", "T.cast(x")
