"""Flags and barriers of HIVM, inside a core and between cores."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    opt_operand_def,
    opt_prop_def,
    prop_def,
)

from tlcourse.dialects.hivm.assembly import (
    AttrDict,
    Brackets,
    Clause,
    FlagId,
    HivmTextOp,
    Operand,
    Word,
)
from tlcourse.dialects.hivm.attrs import CoreTypeAttr, EventAttr, PipeAttr, SyncInstrModeAttr


class FlagOp(HivmTextOp):
    """Base of set_flag and wait_flag: `[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]` or `%id`."""

    dynamic_event_id = opt_operand_def(i64)
    set_pipe = prop_def(PipeAttr)
    wait_pipe = prop_def(PipeAttr)
    static_event_id = opt_prop_def(EventAttr)

    def __init__(self, set_pipe: str, wait_pipe: str, event: int | SSAValue) -> None:
        static = EventAttr(f"EVENT_ID{event}") if isinstance(event, int) else None
        super().__init__(
            operands=[[] if isinstance(event, int) else [event]],
            properties={
                "set_pipe": PipeAttr(set_pipe),
                "wait_pipe": PipeAttr(wait_pipe),
                "static_event_id": static,
            },
        )

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        words = (("set_pipe", PipeAttr), ("wait_pipe", PipeAttr))
        return (Brackets(words, ("static_event_id", EventAttr), "dynamic_event_id"), AttrDict())

    @property
    def event(self) -> int | SSAValue:
        """The flag id: a number, or an i64 value."""
        if self.static_event_id is not None:
            return int(self.static_event_id.data.removeprefix("EVENT_ID"))
        assert self.dynamic_event_id is not None
        return self.dynamic_event_id


@irdl_op_definition
class SetFlagOp(FlagOp):
    """`set_pipe` raises a flag for `wait_pipe` of the same core after its earlier work."""

    name = "hivm.hir.set_flag"


@irdl_op_definition
class WaitFlagOp(FlagOp):
    """`wait_pipe` stands until `set_pipe` has raised the flag, and takes it down."""

    name = "hivm.hir.wait_flag"


@irdl_op_definition
class PipeBarrierOp(HivmTextOp):
    """Later work of a pipe waits for its earlier work; PIPE_ALL drains the core."""

    name = "hivm.hir.pipe_barrier"
    pipe = prop_def(PipeAttr)

    def __init__(self, pipe: str) -> None:
        super().__init__(properties={"pipe": PipeAttr(pipe)})

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (Brackets((("pipe", PipeAttr),)), AttrDict())


_BLOCK_WORDS = (("tcore_type", CoreTypeAttr), ("tpipe", PipeAttr), ("pipe", PipeAttr))


class BlockFlagOp(HivmTextOp):
    """Base of the cross-core flags: `[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = 0`."""

    tcore_type = prop_def(CoreTypeAttr)
    tpipe = prop_def(PipeAttr)
    pipe = prop_def(PipeAttr)
    static_flag_id = opt_prop_def(IntegerAttr)
    dynamic_flag_id = opt_operand_def(i64)

    @property
    def flag(self) -> int | SSAValue:
        """The flag id: a number, or an i64 value."""
        if self.static_flag_id is not None:
            return self.static_flag_id.value.data
        assert self.dynamic_flag_id is not None
        return self.dynamic_flag_id

    @classmethod
    def _parts(
        cls, core: str, tpipe: str, pipe: str, flag: int | SSAValue
    ) -> tuple[list[SSAValue], dict[str, Attribute | None]]:
        static = IntegerAttr(flag, i64) if isinstance(flag, int) else None
        properties: dict[str, Attribute | None] = {
            "tcore_type": CoreTypeAttr(core),
            "tpipe": PipeAttr(tpipe),
            "pipe": PipeAttr(pipe),
            "static_flag_id": static,
        }
        return ([] if isinstance(flag, int) else [flag]), properties


@irdl_op_definition
class SyncBlockSetOp(BlockFlagOp):
    """Raises a flag once `tpipe` of a core of kind `tcore_type` has drained. A counter."""

    name = "hivm.hir.sync_block_set"
    tcore_type = prop_def(CoreTypeAttr)
    tpipe = prop_def(PipeAttr)
    pipe = prop_def(PipeAttr)
    static_flag_id = opt_prop_def(IntegerAttr)
    dynamic_flag_id = opt_operand_def(i64)
    ffts_base_addr = opt_operand_def(i64)
    tsync_instr_mode = opt_prop_def(SyncInstrModeAttr)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        core: str,
        tpipe: str,
        pipe: str,
        flag: int | SSAValue,
        *,
        ffts_base_addr: SSAValue | None = None,
        mode: str = "INTRA_BLOCK_SYNCHRONIZATION",
    ) -> None:
        dynamic, properties = self._parts(core, tpipe, pipe, flag)
        properties["tsync_instr_mode"] = SyncInstrModeAttr(mode)
        base = [] if ffts_base_addr is None else [ffts_base_addr]
        super().__init__(operands=[dynamic, base], properties=properties)

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (
            AttrDict(),
            Brackets(_BLOCK_WORDS),
            FlagId(),
            Operand("ffts_base_addr", "ffts_base_addr"),
            Word("tsync_instr_mode", SyncInstrModeAttr, "sync_instr_mode"),
        )


@irdl_op_definition
class SyncBlockWaitOp(BlockFlagOp):
    """Waits for one raise of a flag. `pipe`, the second pipe, is the one that stands still."""

    name = "hivm.hir.sync_block_wait"
    tcore_type = prop_def(CoreTypeAttr)
    tpipe = prop_def(PipeAttr)
    pipe = prop_def(PipeAttr)
    static_flag_id = opt_prop_def(IntegerAttr)
    dynamic_flag_id = opt_operand_def(i64)

    def __init__(self, core: str, tpipe: str, pipe: str, flag: int | SSAValue) -> None:
        dynamic, properties = self._parts(core, tpipe, pipe, flag)
        super().__init__(operands=[dynamic], properties=properties)

    @classmethod
    def clauses(cls) -> tuple[Clause, ...]:
        return (AttrDict(), Brackets(_BLOCK_WORDS), FlagId())


SYNC = [SetFlagOp, WaitFlagOp, PipeBarrierOp, SyncBlockSetOp, SyncBlockWaitOp]
