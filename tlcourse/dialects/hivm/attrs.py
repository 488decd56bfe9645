"""Attributes of HIVM: small enumerations, printed `#hivm.pipe<PIPE_V>`, inside ops `<PIPE_V>`."""

from __future__ import annotations

from typing import ClassVar

from xdsl.ir import Attribute, Data
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import MLIRTokenKind


class EnumWord(Data[str]):
    """Base of the enumerations: one word out of `WORDS`."""

    WORDS: ClassVar[tuple[str, ...]]

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> str:
        return cls.parse_word(parser)

    @classmethod
    def parse_word(cls, parser: AttrParser) -> str:
        """Reads `<word>`; an unknown word is an error that lists the known ones.

        The long form `#dialect.attribute<word>` means the same.
        """
        parser._parse_optional_token(MLIRTokenKind.HASH_IDENT)  # pyright: ignore[reportPrivateUsage]
        with parser.in_angle_brackets():
            word = parser.parse_identifier_or_str_literal()
        if word not in cls.WORDS:
            parser.raise_error(f"{cls.name} is one of {', '.join(cls.WORDS)}, not {word}")
        return word

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data)


def define_enum(name: str, class_name: str, words: str, doc: str) -> type[EnumWord]:
    """Defines an enumeration attribute; `words` are separated by spaces."""
    members = {
        "__module__": __name__,
        "__doc__": doc,
        "name": name,
        "WORDS": tuple(words.split()),
    }
    return irdl_attr_definition(type(class_name, (EnumWord,), members))


_PIPES = (
    "PIPE_S PIPE_V PIPE_M PIPE_MTE1 PIPE_MTE2 PIPE_MTE3 PIPE_ALL PIPE_MTE4 PIPE_MTE5 PIPE_V2 "
    "PIPE_FIX VIRTUAL_PIPE_MTE2_L1A VIRTUAL_PIPE_MTE2_L1B PIPE_NUM PIPE_UNASSIGNED"
)

AddressSpaceAttr = define_enum(
    "hivm.address_space",
    "AddressSpaceAttr",
    "zero gm cbuf ca cb cc ub",
    "Memory: gm, cbuf = L1, ca = L0A, cb = L0B, cc = L0C, ub = UB.",
)
PipeAttr = define_enum("hivm.pipe", "PipeAttr", _PIPES, "A pipe of a core.")
EventAttr = define_enum(
    "hivm.event",
    "EventAttr",
    " ".join(f"EVENT_ID{i}" for i in range(8)),
    "A flag id inside a core.",
)
FuncCoreTypeAttr = define_enum(
    "hivm.func_core_type", "FuncCoreTypeAttr", "AIC AIV MIX AIC_OR_AIV", "The core of a function."
)
ModuleCoreTypeAttr = define_enum(
    "hivm.module_core_type", "ModuleCoreTypeAttr", "AIC AIV MIX", "The cores of a module."
)
CoreTypeAttr = define_enum(
    "hivm.tcore_type",
    "CoreTypeAttr",
    "CUBE VECTOR CUBE_OR_VECTOR CUBE_AND_VECTOR",
    "The core of an op.",
)
RoundModeAttr = define_enum(
    "hivm.round_mode",
    "RoundModeAttr",
    "rint round floor ceil trunc odd truncwithoverflow",
    "How vcast rounds.",
)
CastAttr = define_enum(
    "hivm.cast", "CastAttr", "cast_signed cast_unsigned bitcast", "Sign of integers."
)
CompareModeAttr = define_enum(
    "hivm.compare_mode", "CompareModeAttr", "eq ne lt gt ge le", "vcmp's test."
)
ReduceOpAttr = define_enum(
    "hivm.reduce_op",
    "ReduceOpAttr",
    "none sum prod max min max_with_index_left max_with_index_right min_with_index_left "
    "min_with_index_right any all xori ori andi",
    "What vreduce does.",
)
DmaModeAttr = define_enum(
    "hivm.dma_mode", "DmaModeAttr", "nz2nd nz2dn normal", "Layout change of fixpipe."
)
PreQuantAttr = define_enum(
    "hivm.fixpipe_pre_quant_mode",
    "PreQuantAttr",
    "NO_QUANT S322I8 F322F16 F322BF16",
    "Conversion on the way out of L0C.",
)
PreReluAttr = define_enum(
    "hivm.fixpipe_pre_relu_mode",
    "PreReluAttr",
    "NO_RELU NORMAL_RELU LEAKY_RELU P_RELU",
    "Relu on the way out of L0C.",
)
DualDstModeAttr = define_enum(
    "hivm.fixpipe_dual_dst_mode",
    "DualDstModeAttr",
    "NO_DUAL ROW_SPLIT COLUMN_SPLIT",
    "How fixpipe shares a tile between two vector cores.",
)
UnitFlagAttr = define_enum(
    "hivm.unit_flag",
    "UnitFlagAttr",
    "DISABLED RESERVED ENABLED_WITHOUT_UPDATE ENABLED_WITH_UPDATE",
    "Handing over from mmadL1 to fixpipe piece by piece, without an event.",
)
SubBlockMappingAttr = define_enum(
    "hivm.sub_block", "SubBlockMappingAttr", "x", "A loop over the vector cores of a block."
)
AtomicKindAttr = define_enum(
    "hivm.atomic_kind",
    "AtomicKindAttr",
    "none add max min and or xor umax umin",
    "Atomic store.",
)
PadModeAttr = define_enum(
    "hivm.padmode", "PadModeAttr", "PadNull PadFirstElem PadValue", "Padding of load."
)
SyncInstrModeAttr = define_enum(
    "hivm.sync_block_instr_mode",
    "SyncInstrModeAttr",
    "INTER_BLOCK_SYNCHRONIZATION INTER_SUBBLOCK_SYNCHRONIZATION INTRA_BLOCK_SYNCHRONIZATION",
    "Which cores a cross-core flag joins.",
)
DeinterleaveModeAttr = define_enum(
    "hivm.deinterleave_mode",
    "DeinterleaveModeAttr",
    "CHANNEL_0 CHANNEL_1 ALL_CHANNELS",
    "Which positions vdeinterleave keeps.",
)
DataLayoutAttr = define_enum(
    "hivm.data_layout",
    "DataLayoutAttr",
    "dotA_ND dotB_ND dotC_ND nZ zN ND Fractal NCHW NC1HWC0 C1HWNC0",
    "Layout of a tile.",
)
DescaleModeAttr = define_enum(
    "hivm.descale_mode",
    "DescaleModeAttr",
    "DescaleNull DescalePerChannel DescalePerTensor",
    "What a whole matrix product multiplies its result by.",
)
VFModeAttr = define_enum(
    "hivm.vf_mode", "VFModeAttr", "SIMD SIMT MIX", "How a custom op uses the vector unit."
)

ATTRIBUTES: list[type[Attribute]] = [
    AddressSpaceAttr,
    PipeAttr,
    EventAttr,
    FuncCoreTypeAttr,
    ModuleCoreTypeAttr,
    CoreTypeAttr,
    RoundModeAttr,
    CastAttr,
    CompareModeAttr,
    ReduceOpAttr,
    DmaModeAttr,
    PreQuantAttr,
    PreReluAttr,
    DualDstModeAttr,
    UnitFlagAttr,
    SubBlockMappingAttr,
    AtomicKindAttr,
    PadModeAttr,
    SyncInstrModeAttr,
    DeinterleaveModeAttr,
    DataLayoutAttr,
    DescaleModeAttr,
    VFModeAttr,
]
