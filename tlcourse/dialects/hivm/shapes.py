"""Vector ops of HIVM that move elements or run along a dimension."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    BoolAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    TensorType,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    var_operand_def,
    var_result_def,
)

from tlcourse.dialects.hivm.assembly import AttrDict, Clause, Dims, Flag, Group, Result, Word
from tlcourse.dialects.hivm.attrs import DeinterleaveModeAttr
from tlcourse.dialects.hivm.base import Cost, result_types
from tlcourse.dialects.hivm.clauses import IndexValues, Lengths, Number, Typed
from tlcourse.dialects.hivm.vector import VectorPipeOp, dims_of

_INS, _OUTS = Group("ins", ("src",)), Group("outs", ("dst",))
_TEMP = Group("temp_buffer", ("temp_buffer",))


class MovingOp(VectorPipeOp):
    """Base of the ops that read `src` and write `dst`."""

    @property
    def cost(self) -> Cost:
        return Cost(kind="vector", cost_class="simple")

    def sources(self) -> Sequence[SSAValue]:
        return self.values("src")

    def destinations(self) -> Sequence[SSAValue]:
        return self.values("dst")

    def pairs_elements(self) -> bool:
        return False


@irdl_op_definition
class VCumsumOp(MovingOp):
    """Sums up along a dimension: `vcumsum ins outs cum_dims = [0] reverse = false`."""

    name = "hivm.hir.vcumsum"
    src = operand_def()
    dst = operand_def()
    cum_dims = prop_def(DenseArrayBase)
    reverse = opt_prop_def(BoolAttr)
    result = var_result_def(TensorType)

    def __init__(
        self, source: SSAValue, destination: SSAValue, dim: int, *, reverse: bool = False
    ) -> None:
        super().__init__(
            operands=[source, destination],
            result_types=[result_types(destination)],
            properties={
                "cum_dims": DenseArrayBase.from_list(i64, [dim]),
                "reverse": BoolAttr.from_bool(reverse),
            },
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (
            AttrDict(),
            _INS,
            _OUTS,
            Dims("cum_dims", "cum_dims"),
            Flag("reverse", "reverse"),
            Result(),
        )

    @property
    def cost(self) -> Cost:
        return Cost(kind="vector", cost_class="scalar")

    def meaning(self) -> str:
        reverse = self.reverse is not None and bool(self.reverse.value.data)
        return f"numeric.cumsum({{o}}, {{0}}, {dims_of(self.cum_dims)[0]}, {reverse})"


@irdl_op_definition
class VTransposeOp(MovingOp):
    """Exchanges two dimensions: `vtranspose ins outs permutation = [1, 0]`."""

    name = "hivm.hir.vtranspose"
    src = operand_def()
    dst = operand_def()
    temp_buffer = opt_operand_def(MemRefType)
    permutation = prop_def(DenseArrayBase)
    disable_align = opt_prop_def(BoolAttr)
    result = var_result_def(TensorType)

    def __init__(self, source: SSAValue, destination: SSAValue, permutation: Sequence[int]) -> None:
        super().__init__(
            operands=[source, destination, []],
            result_types=[result_types(destination)],
            properties={"permutation": DenseArrayBase.from_list(i64, list(permutation))},
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (
            AttrDict(),
            _INS,
            _OUTS,
            _TEMP,
            Dims("permutation", "permutation"),
            Flag("disable_align", "disable_align"),
            Result(),
        )

    def meaning(self) -> str:
        return f"numeric.transpose({{o}}, {{0}}, {dims_of(self.permutation)})"


@irdl_op_definition
class VConcatOp(MovingOp):
    """Joins tiles along a dimension: `vconcat dim(1) ins outs`."""

    name = "hivm.hir.vconcat"
    src = var_operand_def()
    dst = operand_def()
    dim = prop_def(IntegerAttr)
    result = var_result_def(TensorType)

    def __init__(self, sources: Sequence[SSAValue], destination: SSAValue, dim: int) -> None:
        super().__init__(
            operands=[sources, destination],
            result_types=[result_types(destination)],
            properties={"dim": IntegerAttr(dim, i64)},
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (Number("dim", "dim", parentheses=True), AttrDict(), _INS, _OUTS, Result())

    def meaning(self) -> str:
        names = "".join(f"{{{number}}}, " for number in range(len(self.src)))
        return f"numeric.concat({{o}}, ({names}), {self.dim.value.data})"


@irdl_op_definition
class VPadOp(MovingOp):
    """Surrounds a tile with a number: `vpad ins outs low[8, 0] high[8, 0] pad_value %c : f32`."""

    name = "hivm.hir.vpad"
    src = operand_def()
    dst = operand_def()
    pad_value = operand_def()
    low = var_operand_def(IndexType)
    high = var_operand_def(IndexType)
    static_low = prop_def(DenseArrayBase)
    static_high = prop_def(DenseArrayBase)
    result = var_result_def(TensorType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        source: SSAValue,
        destination: SSAValue,
        value: SSAValue,
        low: Sequence[int | SSAValue],
        high: Sequence[int | SSAValue],
    ) -> None:
        super().__init__(
            operands=[source, destination, value, _values(low), _values(high)],
            result_types=[result_types(destination)],
            properties={"static_low": _numbers(low), "static_high": _numbers(high)},
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (
            AttrDict(),
            _INS,
            _OUTS,
            Lengths("low", "static_low", "low"),
            Lengths("high", "static_high", "high"),
            Typed("pad_value", "pad_value"),
            Result(),
        )

    def sources(self) -> Sequence[SSAValue]:
        return (self.src, self.pad_value, *self.low, *self.high)

    def meaning(self) -> str:
        names = iter(range(2, 2 + len(self.low) + len(self.high)))
        low, high = (_texts(array, names) for array in (self.static_low, self.static_high))
        return f"numeric.pad({{o}}, {{0}}, {{1}}, ({low}), ({high}))"


@irdl_op_definition
class VInterleaveOp(MovingOp):
    """Elements of two tiles in turn: `vinterleave ins outs interleave_channel_nums = 2`."""

    name = "hivm.hir.vinterleave"
    src = var_operand_def()
    dst = operand_def()
    temp_buffer = opt_operand_def(MemRefType)
    interleave_channel_nums = prop_def(IntegerAttr)
    result = var_result_def(TensorType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(self, sources: Sequence[SSAValue], destination: SSAValue) -> None:
        super().__init__(
            operands=[sources, destination, []],
            result_types=[result_types(destination)],
            properties={"interleave_channel_nums": IntegerAttr(2, i64)},
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        count = Number("interleave_channel_nums", "interleave_channel_nums")
        return (AttrDict(), _INS, _OUTS, count, _TEMP, Result())

    def meaning(self) -> str:
        return "numeric.interleave({o}, {0}, {1})"


@irdl_op_definition
class VDeinterleaveOp(MovingOp):
    """Even and odd positions: `vdeinterleave ins outs index_mode = <CHANNEL_0>`."""

    name = "hivm.hir.vdeinterleave"
    src = operand_def()
    dst = var_operand_def()
    channel_num = opt_prop_def(IntegerAttr)
    index_mode = opt_prop_def(DeinterleaveModeAttr)
    result = var_result_def(TensorType)

    def __init__(self, source: SSAValue, destinations: Sequence[SSAValue], channels: str) -> None:
        super().__init__(
            operands=[source, destinations],
            result_types=[result_types(*destinations)],
            properties={
                "channel_num": IntegerAttr(2, i64),
                "index_mode": DeinterleaveModeAttr(channels),
            },
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (
            AttrDict(),
            _INS,
            _OUTS,
            Number("channel_num", "channel_num"),
            Word("index_mode", DeinterleaveModeAttr, "index_mode"),
            Result(),
        )

    def meaning(self) -> str:
        outputs = "({o}, {o1})" if len(self.dst) == 2 else "({o},)"
        channels = self.index_mode.data if self.index_mode else "ALL_CHANNELS"
        return f"numeric.deinterleave({outputs}, {{0}}, {channels!r})"


@irdl_op_definition
class VFlipOp(MovingOp):
    """Reverses the order along a dimension: `vflip ins outs flip_axis = 1`."""

    name = "hivm.hir.vflip"
    src = operand_def()
    dst = operand_def()
    flip_axis = prop_def(IntegerAttr)
    result = var_result_def(TensorType)

    def __init__(self, source: SSAValue, destination: SSAValue, axis: int) -> None:
        super().__init__(
            operands=[source, destination],
            result_types=[result_types(destination)],
            properties={"flip_axis": IntegerAttr(axis, i64)},
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (AttrDict(), _INS, _OUTS, Number("flip_axis", "flip_axis"), Result())

    def meaning(self) -> str:
        return f"numeric.flip({{o}}, {{0}}, {self.flip_axis.value.data})"


@irdl_op_definition
class VGatherOp(MovingOp):
    """Picks along the last dimension: `vgather ins(..) indices(..) outs(..)`."""

    name = "hivm.hir.vgather"
    src = operand_def()
    indices = operand_def()
    dst = operand_def()
    temp_buffer = opt_operand_def(MemRefType)
    result = var_result_def(TensorType)

    def __init__(self, source: SSAValue, indices: SSAValue, destination: SSAValue) -> None:
        super().__init__(
            operands=[source, indices, destination, []],
            result_types=[result_types(destination)],
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (AttrDict(), _INS, Group("indices", ("indices",)), _OUTS, _TEMP, Result())

    @property
    def cost(self) -> Cost:
        return Cost(kind="vector", cost_class="scalar")

    def sources(self) -> Sequence[SSAValue]:
        return (self.src, self.indices)

    def meaning(self) -> str:
        return "numeric.gather({o}, {0}, {1})"


@irdl_op_definition
class VArangeOp(VectorPipeOp):
    """Offset plus index times stride: `varange offset[%o] strides[%a, %b] outs(..)`."""

    name = "hivm.hir.varange"
    dst = operand_def()
    offset = opt_operand_def(IndexType)
    strides = var_operand_def(IndexType)
    result = var_result_def(TensorType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self, destination: SSAValue, offset: SSAValue, strides: Sequence[SSAValue]
    ) -> None:
        super().__init__(
            operands=[destination, [offset], strides],
            result_types=[result_types(destination)],
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        offset, strides = IndexValues("offset", "offset"), IndexValues("strides", "strides")
        return (AttrDict(), offset, strides, _OUTS, Result())

    @property
    def cost(self) -> Cost:
        return Cost(kind="vector", cost_class="arange")

    def sources(self) -> Sequence[SSAValue]:
        return (*self.values("offset"), *self.strides)

    def destinations(self) -> Sequence[SSAValue]:
        return (self.dst,)

    def meaning(self) -> str:
        first = len(self.values("offset"))
        offset = "{0}" if first else "0"
        strides = "".join(f"{{{first + dim}}}, " for dim in range(len(self.strides)))
        return f"numeric.arange({{o}}, {offset}, ({strides}))"


def _values(lengths: Sequence[int | SSAValue]) -> list[SSAValue]:
    return [length for length in lengths if isinstance(length, SSAValue)]


def _numbers(lengths: Sequence[int | SSAValue]) -> DenseArrayBase:
    numbers = [length if isinstance(length, int) else DYNAMIC_INDEX for length in lengths]
    return DenseArrayBase.from_list(i64, numbers)


def _texts(array: DenseArrayBase, names: Iterator[int]) -> str:
    numbers = dims_of(array)
    texts = [f"{{{next(names)}}}" if n == DYNAMIC_INDEX else str(n) for n in numbers]
    return "".join(f"{text}, " for text in texts)


SHAPES = [
    VCumsumOp,
    VTransposeOp,
    VConcatOp,
    VPadOp,
    VInterleaveOp,
    VDeinterleaveOp,
    VFlipOp,
    VGatherOp,
    VArangeOp,
]
