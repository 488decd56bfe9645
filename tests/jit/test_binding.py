"""Arguments of a call: what passes, and what each misfit says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import torch

from tlcourse import device
from tlcourse.diagnostics import SourceFile, Span, TLError
from tlcourse.jit.binding import Bound, bind
from tlcourse.records import Parameter, Signature

TEXT = """\
def add(
    A: T.Tensor((M, K), "float16"),
    B: T.Tensor((K, 64), "float16"),
    n: T.int32,
    C: T.Tensor((M, 64), "float32"),
):
"""
SOURCES = {"cell:1": SourceFile(id="cell:1", text=TEXT, title="this cell")}


def _parameter(name: str, line: int, dtype: str, *extents: str) -> Parameter:
    end = len(TEXT.splitlines()[line - 1])
    span = Span(source="cell:1", line=line, column=5, end_line=line, end_column=end)
    kind = "tensor" if extents else "scalar"
    return Parameter(name=name, dtype=dtype, kind=kind, extents=extents, span=span)


PARAMETERS = (
    _parameter("A", 2, "float16", "M", "K"),
    _parameter("B", 3, "float16", "K", "64"),
    _parameter("n", 4, "int32"),
    _parameter("C", 5, "float32", "M", "64"),
    Parameter(name="M", dtype="int32", kind="symbol"),
    Parameter(name="K", dtype="int32", kind="symbol"),
)


def _signature(*out_idx: int, parameters: Sequence[Parameter] = PARAMETERS) -> Signature:
    return Signature(
        kernel="add",
        mode="Expert",
        target="npuir",
        parameters=tuple(parameters),
        out_idx=out_idx,
        grid=("1",),
    )


def _half(*shape: int) -> torch.Tensor:
    return device.wrap(torch.zeros(shape, dtype=torch.float16))


def _bind(*arguments: object, out_idx: tuple[int, ...] = (3,), **options: object) -> Bound:
    return bind(_signature(*out_idx), arguments, SOURCES, **options)  # type: ignore[arg-type]


def _error(*arguments: object, out_idx: tuple[int, ...] = (3,), **options: object) -> TLError:
    with pytest.raises(TLError) as caught:
        _bind(*arguments, out_idx=out_idx, **options)
    return caught.value


class TestWhatPasses:
    def test_inputs_share_memory_and_outputs_are_poison_on_the_npu(self) -> None:
        a, b = _half(32, 16), _half(16, 64)
        bound = _bind(a, b, 7)
        inner_a, inner_b, n, c = bound.buffers
        assert isinstance(inner_a, torch.Tensor)
        assert isinstance(inner_b, torch.Tensor)
        assert isinstance(c, torch.Tensor)
        assert (inner_a.data_ptr(), inner_b.data_ptr()) == (a.data_ptr(), b.data_ptr())
        assert (n, dict(bound.symbols)) == (7, {"M": 32, "K": 16})
        (out,) = bound.outputs
        assert (out.device.type, out.shape, out.dtype) == ("npu", (32, 64), torch.float32)
        assert out.data_ptr() == c.data_ptr()
        assert out.isnan().all()

    def test_caller_s_outputs_are_left_as_they_are(self) -> None:
        c = torch.ones(32, 64).npu()
        bound = _bind(_half(32, 16), _half(16, 64), 0, c, out_idx=())
        assert bound.outputs == ()
        assert (c == 1).all()

    def test_rows_of_a_bigger_tensor(self) -> None:
        whole = _half(64, 16)
        inner = _bind(whole[32:], _half(16, 64), 0).buffers[0]
        assert isinstance(inner, torch.Tensor)
        assert inner.storage_offset() == 32 * 16

    def test_cpu_tensors_where_allowed_give_cpu_outputs(self) -> None:
        a, b = torch.zeros(32, 16).half(), torch.zeros(16, 64).half()
        bound = _bind(a, b, 0, allow_cpu=True)
        assert bound.outputs[0].device.type == "cpu"
        assert bound.buffers[0] is a

    def test_outputs_in_the_order_of_out_idx(self) -> None:
        parameters = [
            Parameter(name="n", dtype="int32", kind="scalar"),
            Parameter(name="C", dtype="float32", kind="tensor", extents=("n",)),
            Parameter(name="D", dtype="int8", kind="tensor", extents=("n",)),
        ]
        bound = bind(_signature(2, 1, parameters=parameters), [4], {})
        assert [out.dtype for out in bound.outputs] == [torch.int8, torch.float32]
        assert [b.dtype for b in bound.buffers if isinstance(b, torch.Tensor)] == [
            torch.float32,
            torch.int8,
        ]

    @pytest.mark.parametrize(
        ("dtype", "value", "passed"),
        [
            ("int32", np.int64(5), 5),
            ("int8", -128, -128),
            ("uint64", 2**64 - 1, 2**64 - 1),
            ("float32", 3, 3.0),
            ("float16", np.float32(0.5), 0.5),
            ("bool", True, 1),
        ],
    )
    def test_numbers(self, dtype: str, value: object, passed: float) -> None:
        signature = _signature(parameters=[Parameter(name="n", dtype=dtype, kind="scalar")])
        (number,) = bind(signature, [value], {}).buffers
        assert (number, type(number)) == (passed, type(passed))

    def test_reading_one_tensor_twice(self) -> None:
        x = _half(64, 64)
        _bind(x, x, 0, written=frozenset({"C"}))

    def test_scalar_as_an_extent(self) -> None:
        parameters = [
            Parameter(name="n", dtype="int32", kind="scalar"),
            Parameter(name="C", dtype="float32", kind="tensor", extents=("2 * n",)),
        ]
        bound = bind(_signature(1, parameters=parameters), [4], {})
        assert bound.outputs[0].shape == (8,)

    def test_none_for_a_tensor_that_no_statement_uses(self) -> None:
        bound = _bind(_half(32, 64), None, 0, unused=frozenset({"B"}))
        assert isinstance(bound.buffers[1], torch.Tensor)
        assert (bound.buffers[1].shape, bound.symbols) == ((64, 64), {"M": 32, "K": 64})

    def test_none_where_the_shape_does_not_follow(self) -> None:
        with pytest.raises(TLError, match="the symbol K does not follow") as caught:
            bind(
                _signature(parameters=[*PARAMETERS[1:3], PARAMETERS[5]]),
                [None, 0],
                {},
                unused=frozenset("B"),
            )
        assert caught.value.code == "TL412"


class TestMisfits:
    def test_too_few(self) -> None:
        assert str(_error(_half(32, 16))) == (
            "error[TL401]: add takes 3 arguments (A, B, n), 1 given\n"
            "  --> this cell, line 3\n"
            "   |\n"
            ' 3 |     B: T.Tensor((K, 64), "float16"),\n'
            "   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ no argument for this one\n"
            "  = why: each parameter takes one argument, in order; outputs (C) are allocated by "
            "the launch and returned\n"
            "  = fix: call kernel(A, B, n)\n"
            "  = see: docs/errors.md#TL401"
        )

    def test_too_many(self) -> None:
        error = _error(_half(32, 16), _half(16, 64), 0, torch.zeros(32, 64).npu())
        assert error.code == "TL401"
        assert error.diagnostic.what == "add takes 3 arguments (A, B, n), 4 given"
        assert error.diagnostic.labels == ()

    def test_none(self) -> None:
        error = _error(_half(32, 16), None, 0)
        assert (error.code, error.diagnostic.what) == ("TL402", "the argument for B is None")
        assert error.diagnostic.labels[0].span.line == 3

    @pytest.mark.parametrize(
        ("arguments", "what", "fix"),
        [
            ((3, _half, 0), "A is a tensor of the kernel, but a int was passed", "float16 tensor"),
            ((_half, _half, "x"), "n is a scalar of the kernel, but a str was passed", "a number"),
            ((_half, _half, torch.tensor(3)), "n is a scalar of the kernel", "n.item()"),
        ],
        ids=["number for a tensor", "text for a number", "tensor for a number"],
    )
    def test_kind(self, arguments: tuple[object, ...], what: str, fix: str) -> None:
        shapes = ((32, 16), (16, 64), ())
        made = [a(*s) if a is _half else a for a, s in zip(arguments, shapes, strict=True)]
        error = _error(*made)
        assert error.code == "TL403"
        assert error.diagnostic.what.startswith(what)
        assert fix in error.diagnostic.fix

    def test_device(self) -> None:
        error = _error(torch.zeros(32, 16).half(), _half(16, 64), 0)
        assert str(error) == (
            "error[TL404]: A is on cpu, the kernel runs on npu:0\n"
            "  --> this cell, line 2\n"
            "   |\n"
            ' 2 |     A: T.Tensor((M, K), "float16"),\n'
            "   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ wants a tensor on the npu\n"
            "  = why: the NPU reads and writes its own memory only\n"
            "  = fix: pass A.npu(), and look at results with .cpu()\n"
            "  = see: docs/errors.md#TL404"
        )

    def test_dtype(self) -> None:
        error = _error(torch.zeros(32, 16).npu(), _half(16, 64), 0)
        assert (error.code, error.diagnostic.what) == (
            "TL405",
            "A is float32, the kernel declares float16",
        )
        assert "A.to(torch.float16)" in error.diagnostic.fix
        assert "or declare 'float32'" in error.diagnostic.fix

    def test_dtype_that_no_kernel_has(self) -> None:
        error = _error(torch.zeros(32, 16, dtype=torch.complex64).npu(), _half(16, 64), 0)
        assert error.code == "TL405"
        assert "a kernel has no complex64, only float16, float32" in error.diagnostic.fix
        assert "declare 'complex64'" not in error.diagnostic.fix

    @pytest.mark.parametrize(
        "make",
        [
            lambda: _half(16, 32).t(),
            lambda: _half(32, 32)[:, ::2],
            lambda: _half(1, 16).expand(32, 16),
        ],
        ids=["transposed", "strided", "expanded"],
    )
    def test_layout(self, make: object) -> None:
        assert callable(make)
        error = _error(make(), _half(16, 64), 0)
        assert error.code == "TL406"
        assert "A of shape (32, 16) is not contiguous (strides" in error.diagnostic.what
        assert "A.contiguous()" in error.diagnostic.fix

    def test_sparse_layout(self) -> None:
        error = _error(torch.zeros(32, 16).half().to_sparse(), _half(16, 64), 0, allow_cpu=True)
        assert (error.code, "sparse" in error.diagnostic.what) == ("TL406", True)

    def test_rank(self) -> None:
        error = _error(_half(2, 32, 16), _half(16, 64), 0)
        assert (error.code, error.diagnostic.what) == (
            "TL407",
            "A has 3 dimensions (2, 32, 16), the kernel declares 2 (M, K)",
        )

    def test_size_of_a_dimension(self) -> None:
        error = _error(_half(32, 16), _half(16, 60), 0)
        assert (error.code, error.diagnostic.what) == (
            "TL407",
            "dimension 1 of B is 60, the kernel declares 64",
        )
        assert error.diagnostic.labels[0].span.line == 3

    def test_symbol_with_two_values_names_both_tensors(self) -> None:
        assert str(_error(_half(32, 16), _half(24, 64), 0)) == (
            "error[TL408]: dimension 0 of B is 24, but K is 16 by dimension 1 of A\n"
            "  --> this cell, line 3\n"
            "   |\n"
            ' 3 |     B: T.Tensor((K, 64), "float16"),\n'
            "   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 24 here\n"
            "  --> this cell, line 2\n"
            "   |\n"
            ' 2 |     A: T.Tensor((M, K), "float16"),\n'
            "   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ 16 here\n"
            "  = why: a symbol has one value in a launch, wherever it was declared\n"
            "  = fix: pass B and A with shapes that agree\n"
            "  = see: docs/errors.md#TL408"
        )

    def test_symbol_of_a_caller_s_output(self) -> None:
        c = torch.zeros(31, 64).npu()
        error = _error(_half(32, 16), _half(16, 64), 0, c, out_idx=())
        assert (error.code, error.diagnostic.what) == (
            "TL408",
            "dimension 0 of C is 31, but M is 32 by dimension 0 of A",
        )

    def test_symbol_without_a_solution(self) -> None:
        parameters = [
            Parameter(name="A", dtype="float16", kind="tensor", extents=("2 * N",)),
            Parameter(name="N", dtype="int32", kind="symbol"),
        ]
        with pytest.raises(TLError) as caught:
            bind(_signature(parameters=parameters), [_half(7)], {})
        assert caught.value.code == "TL408"
        assert "no N makes 2 * N that size" in caught.value.diagnostic.what

    def test_extent_that_divides_by_zero(self) -> None:
        parameters = [
            Parameter(name="A", dtype="float16", kind="tensor", extents=("N", "8 // N")),
            Parameter(name="N", dtype="int32", kind="symbol"),
        ]
        with pytest.raises(TLError) as caught:
            bind(_signature(parameters=parameters), [_half(0, 8)], {})
        assert caught.value.code == "TL408"
        assert "8 // N is undefined by dimension 0 of A" in caught.value.diagnostic.what

    @pytest.mark.parametrize("shift", [0, 16], ids=["same memory", "partly"])
    def test_overlap(self, shift: int) -> None:
        memory = torch.zeros(64 * 64 + 16, dtype=torch.int8)
        x = device.wrap(memory[:4096].view(torch.float16).view(32, 64))
        y = device.wrap(memory[shift : shift + 4096].view(torch.float16).view(32, 64))
        parameters = [
            _parameter("A", 2, "float16", "32", "64"),
            _parameter("B", 3, "float16", "32", "64"),
        ]
        with pytest.raises(TLError) as caught:
            bind(_signature(parameters=parameters), [x, y], SOURCES, written=frozenset({"B"}))
        assert caught.value.code == "TL409"
        assert caught.value.diagnostic.what.startswith(
            "B and A share memory, and the kernel writes B"
        )
        assert [label.span.line for label in caught.value.diagnostic.labels] == [3, 2]

    def test_neighbours_do_not_overlap(self) -> None:
        whole = _half(64, 64)
        parameters = [
            _parameter("A", 2, "float16", "32", "64"),
            _parameter("B", 3, "float16", "32", "64"),
        ]
        signature = _signature(parameters=parameters)
        bind(signature, [whole[:32], whole[32:]], SOURCES, written=frozenset({"B"}))

    @pytest.mark.parametrize(
        ("dtype", "value"),
        [
            ("int8", 128),
            ("uint8", -1),
            ("int32", 2.0),
            ("int32", 2**31),
            ("bool", 2),
            ("bool", 0.5),
        ],
    )
    def test_number_that_does_not_fit(self, dtype: str, value: object) -> None:
        signature = _signature(parameters=[Parameter(name="n", dtype=dtype, kind="scalar")])
        with pytest.raises(TLError) as caught:
            bind(signature, [value], {})
        assert caught.value.code == "TL411"
        assert caught.value.diagnostic.what == f"{value!r} is not a value for n"

    def test_symbol_that_only_an_output_has(self) -> None:
        parameters = [
            Parameter(name="C", dtype="float32", kind="tensor", extents=("N",)),
            Parameter(name="N", dtype="int32", kind="symbol"),
        ]
        with pytest.raises(TLError) as caught:
            bind(_signature(0, parameters=parameters), [], {})
        assert caught.value.code == "TL412"
        assert "the symbol N does not follow" in caught.value.diagnostic.what

    def test_negative_output(self) -> None:
        parameters = [
            Parameter(name="A", dtype="float16", kind="tensor", extents=("N",)),
            Parameter(name="C", dtype="float32", kind="tensor", extents=("N - 8",)),
            Parameter(name="N", dtype="int32", kind="symbol"),
        ]
        with pytest.raises(TLError) as caught:
            bind(_signature(1, parameters=parameters), [_half(4)], {})
        assert (caught.value.code, caught.value.diagnostic.what) == (
            "TL412",
            "N - 8 of C does not follow from the arguments",
        )


def test_more_rows_than_declared_pass_with_the_bounds_of_the_device(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    signature = _signature(parameters=[_parameter("A", 2, "float16", "16", "64")])
    longer, wider = torch.ones(64, 64).half(), torch.ones(16, 65).half()
    with pytest.raises(TLError, match="TL407"):
        bind(signature, [longer], SOURCES, allow_cpu=True)
    monkeypatch.setenv("TLCOURSE_BOUNDS", "device")
    assert bind(signature, [longer], SOURCES, allow_cpu=True).buffers[0] is longer
    for wrong in (wider, torch.ones(15, 64).half()):
        with pytest.raises(TLError, match="TL407"):
            bind(signature, [wrong], SOURCES, allow_cpu=True)


def test_other_dimensions_over_the_same_rows_pass_with_the_bounds_of_the_device(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    signature = _signature(parameters=[_parameter("A", 2, "float16", "16", "4")])
    deep = torch.arange(64.0).half().view(2, 8, 4)
    with pytest.raises(TLError, match="TL407"):
        bind(signature, [deep], SOURCES, allow_cpu=True)
    monkeypatch.setenv("TLCOURSE_BOUNDS", "device")
    (found,) = bind(signature, [deep], SOURCES, allow_cpu=True).buffers
    assert isinstance(found, torch.Tensor)
    assert torch.equal(found, deep.view(16, 4))
    column = _signature(parameters=[_parameter("A", 2, "float16", "64", "1")])
    (found,) = bind(column, [deep.view(-1)], SOURCES, allow_cpu=True).buffers
    assert isinstance(found, torch.Tensor)
    assert found.shape == (64, 1)
