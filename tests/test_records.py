import pytest

from tlcourse.diagnostics import Diagnostic, Label, SourceFile, Span
from tlcourse.records import (
    AgentCode,
    Finding,
    Instruction,
    Lane,
    MemoryMap,
    Parameter,
    PassTrace,
    PlannedBuffer,
    Program,
    Signature,
    Snapshot,
    Timeline,
    from_json,
    to_json,
)

SPAN = Span(source="k.py", line=3, column=5, end_line=3, end_column=9)
SOURCE = SourceFile(id="k.py", text="a\nb\nc = 1\n", title="k.py")


def _records() -> list[object]:
    diagnostic = Diagnostic(
        code="TL501", what="what", labels=(Label(span=SPAN, text="here"),), why="why", fix="fix"
    )
    instruction = Instruction(
        id=1, block=0, agent="aic", pipe="M", op="mmadL1", start_cycle=1, end_cycle=9, span=SPAN
    )
    signature = Signature(
        kernel="k",
        mode="Expert",
        target="npuir",
        parameters=(Parameter(name="A", dtype="float16", kind="tensor", extents=("M", "64")),),
        out_idx=(0,),
        grid=("M // 64",),
    )
    return [
        Finding(diagnostic=diagnostic, agent="aic", block=0, iteration=(1, 2), other_span=SPAN),
        Timeline(
            kernel="k",
            chip="Ascend910B1",
            clock_mhz=1850,
            cycles=10,
            launch_cycles=2,
            lanes=(Lane(name="AIC M", agent="aic", pipe="M", core=0, busy_cycles=8),),
            instructions=(instruction,),
        ),
        MemoryMap(
            space="ub",
            capacity_bytes=196608,
            buffers=(PlannedBuffer(name="a", offset_bytes=0, size_bytes=64),),
        ),
        PassTrace(
            kernel="k",
            mode="Developer",
            target="npuir",
            texts={"x": "module {}"},
            snapshots=(
                Snapshot(index=0, phase="tir", pass_name="p", status="changed", text_id="x"),
            ),
            sources={"k.py": SOURCE},
        ),
        Program(
            kind="functional",
            signature=signature,
            agents=(AgentCode(agent="vector", source="def run(): yield"),),
            spans=(SPAN, None),
            options={"steps": 3},
        ),
    ]


@pytest.mark.parametrize("record", _records(), ids=lambda r: type(r).__name__)
def test_json_round_trip_is_canonical(record: object) -> None:
    text = to_json(record)
    again = from_json(type(record), text)
    assert again == record
    assert to_json(again) == text


def test_other_schema_is_refused() -> None:
    finding, timeline, *_ = _records()
    with pytest.raises(ValueError, match=r"tlcourse\.Timeline/1"):
        from_json(type(timeline), to_json(finding))
