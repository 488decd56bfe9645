"""The tables of a profile, under the names that upstream's profiler has for their fields.

Fields that nothing here knows, such as misses of the instruction cache, are left out. All
figures are of the core group that is shown; ratios are parts of the core's time from its first
instruction to its last.

Source: field names of `msprof op` for Atlas A2, MindStudio's documentation of its CSV files.
"""

from __future__ import annotations

from collections.abc import Sequence

from tlcourse.profile.cores import Core
from tlcourse.records import Bubble, Instruction, Timeline
from tlcourse.simulator.cycles.stream import Recording

Row = dict[str, object]
_KB = 1024
_FLOATS = ("float16", "bfloat16", "float32")


def code_rows(timeline: Timeline, core: Core) -> list[Row]:
    """`*_code_exe.csv`: cycles by line of the learner's text, the costliest first."""
    groups: dict[str, list[Instruction]] = {}
    for one in core.instructions:
        place = f"{one.span.source}:{one.span.line}" if one.span else "compiler"
        groups.setdefault(place, []).append(one)
    rows = [{"code": place, **_counted(timeline, ones)} for place, ones in groups.items()]
    return sorted(rows, key=lambda row: (-int(str(row["cycles"])), str(row["code"])))


def instruction_rows(timeline: Timeline, core: Core, addresses: dict[str, int]) -> list[Row]:
    """`*_instr_exe.csv`: cycles by instruction. `addr` is its place in the core's program."""
    groups: dict[str, list[Instruction]] = {}
    for one in core.instructions:
        line = one.span.line if one.span else 0
        groups.setdefault(f"{one.op} {one.pipe} {line}", []).append(one)
    return [
        {
            "instr": ones[0].op,
            "addr": hex(addresses.setdefault(key, 4 * len(addresses))),
            "pipe": core.lanes[ones[0].pipe],
            **_counted(timeline, ones),
            "detail": _details(ones),
        }
        for key, ones in groups.items()
    ]


def pipe_rows(timeline: Timeline, cores: Sequence[Core]) -> list[Row]:
    """`PipeUtilization.csv`."""
    return [{**_head(core, index), **_pipes(timeline, core)} for index, core in enumerate(cores)]


def arithmetic_rows(timeline: Timeline, cores: Sequence[Core]) -> list[Row]:
    """`ArithmeticUtilization.csv`."""
    return [{**_head(core, index), **_sums(timeline, core)} for index, core in enumerate(cores)]


def memory_rows(timeline: Timeline, cores: Sequence[Core]) -> list[Row]:
    """`Memory.csv`."""
    return [{**_head(core, index), **_moves(timeline, core)} for index, core in enumerate(cores)]


def l2_rows(recording: Recording, *, cold: bool) -> list[Row]:
    """`L2Cache.csv`: what L2 held, of each tensor and of all, in the whole launch."""
    rows: list[Row] = []
    total_moved = total_missed = 0
    for use in recording.tensors:
        missed = min(use.missing_cold if cold else use.missing_warm, use.moved_bytes)
        if use.moved_bytes:
            rows.append(_hits(use.name, use.moved_bytes, missed))
            total_moved, total_missed = total_moved + use.moved_bytes, total_missed + missed
    return [*rows, _hits("all", total_moved, total_missed)]


def bubble_rows(timeline: Timeline, cores: Sequence[Core]) -> list[Row]:
    """`bubbles.csv`: where a pipe stood still, the longest first, and what it waited for."""
    found = [(core, gap) for core in cores for gap in core.bubbles]
    found.sort(key=lambda one: (-_length(one[1]), one[1].start_cycle, one[1].lane))
    return [
        {
            "core": core.name,
            "pipe": core.lanes[gap.lane.rpartition(".")[2]],
            "start_cycle": gap.start_cycle,
            "cycles": _length(gap),
            "time(us)": _us(timeline, _length(gap)),
            "waits for": gap.cause,
        }
        for core, gap in found
    ]


def _length(gap: Bubble) -> int:
    return gap.end_cycle - gap.start_cycle


def _counted(timeline: Timeline, ones: Sequence[Instruction]) -> Row:
    cycles = sum(one.end_cycle - one.start_cycle for one in ones)
    return {"call_count": len(ones), "cycles": cycles, "running_time(us)": _us(timeline, cycles)}


def _details(ones: Sequence[Instruction]) -> str:
    parts = [f"bytes={sum(one.bytes for one in ones)}"] if any(one.bytes for one in ones) else []
    operations = sum(one.operations for one in ones)
    parts += [f"operations={operations}"] if operations else []
    parts += [f"dtype={ones[0].dtype}"] if ones[0].dtype else []
    return " ".join(parts)


def _head(core: Core, index: int) -> Row:
    kind = "cube0" if core.agent == "aic" else f"vector{core.agent.removeprefix('aiv')}"
    return {"block_id": core.instructions[0].block, "sub_block_id": kind}


def _time(timeline: Timeline, core: Core) -> Row:
    kind = core.agent[:3]
    return {f"{kind}_time(us)": _us(timeline, core.cycles), f"{kind}_total_cycles": core.cycles}


def _pipes(timeline: Timeline, core: Core) -> Row:
    kind = core.agent[:3]
    names = {"M": "cube", "V": "vec", "FIX": "fixpipe", "S": "scalar"}
    row = _time(timeline, core)
    for pipe in core.lanes:
        name, busy = names.get(pipe, pipe.lower()), core.busy(pipe)
        row[f"{kind}_{name}_time(us)"] = _us(timeline, busy)
        row[f"{kind}_{name}_ratio"] = _ratio(busy, core.cycles)
        if pipe in ("MTE2", "MTE3", "FIX"):
            rate = _rate(timeline, core.moved(pipe), busy)
            row[f"{kind}_{name}_active_bw(GB/s)"] = rate
    return row


def _sums(timeline: Timeline, core: Core) -> Row:
    row = _time(timeline, core)
    if core.agent == "aic":
        work = core.on("M")
        floats = [one for one in work if one.dtype in _FLOATS]
        halves = [one for one in work if one.dtype in ("float16", "bfloat16")]
        bytes_ = [one for one in work if one.dtype == "int8"]
        row["aic_cube_ratio"] = _ratio(core.busy("M"), core.cycles)
        row["aic_cube_fp16_ratio"] = _ratio(_busy(halves), core.cycles)
        row["aic_cube_int8_ratio"] = _ratio(_busy(bytes_), core.cycles)
        row["aic_cube_fops"] = sum(one.operations for one in floats)
        row["aic_cube_total_instr_number"] = len(work)
        row["aic_cube_fp_instr_number"] = len(floats)
        row["aic_cube_int_instr_number"] = len(work) - len(floats)
        return row
    work = core.on("V")
    row["aiv_vec_ratio"] = _ratio(core.busy("V"), core.cycles)
    known = {"fp32": "float32", "fp16": "float16", "int32": "int32", "int16": "int16"}
    for name, dtype in known.items():
        mine = [one for one in work if one.dtype == dtype]
        row[f"aiv_vec_{name}_ratio"] = _ratio(_busy(mine), core.cycles)
    rest = [one for one in work if one.dtype not in known.values()]
    row["aiv_vec_misc_ratio"] = _ratio(_busy(rest), core.cycles)
    row["aiv_vec_fops"] = sum(one.operations for one in work if one.dtype in _FLOATS)
    return row


def _moves(timeline: Timeline, core: Core) -> Row:
    row = _time(timeline, core)
    kind, ways = core.agent[:3], ("MTE2", "MTE3")
    read = core.moved("MTE2")
    written = core.moved("MTE3", "FIX")
    row[f"{kind}_main_mem_read_bw(GB/s)"] = _rate(timeline, read, core.cycles)
    row[f"{kind}_main_mem_write_bw(GB/s)"] = _rate(timeline, written, core.cycles)
    for pipe in ("MTE1", *ways) if kind == "aic" else ways:
        row[f"{kind}_{pipe.lower()}_instructions"] = len(core.on(pipe))
        row[f"{kind}_{pipe.lower()}_ratio"] = _ratio(core.busy(pipe), core.cycles)
    row["read_main_memory_datas(KB)"] = round(read / _KB, 3)
    row["write_main_memory_datas(KB)"] = round(written / _KB, 3)
    if kind == "aic":
        row["GM_to_L1_datas(KB)"] = round(read / _KB, 3)
        row["L0C_to_GM_datas(KB)"] = round(core.moved("FIX") / _KB, 3)
    else:
        row["GM_to_UB_datas(KB)"] = round(read / _KB, 3)
        row["UB_to_GM_datas(KB)"] = round(core.moved("MTE3") / _KB, 3)
    return row


def _hits(name: str, moved: int, missed: int) -> Row:
    return {
        "tensor": name,
        "moved_datas(KB)": round(moved / _KB, 3),
        "missed_datas(KB)": round(missed / _KB, 3),
        "total_hit_rate(%)": round(100 * (moved - missed) / max(moved, 1), 3),
    }


def _busy(ones: Sequence[Instruction]) -> int:
    return sum(one.end_cycle - one.start_cycle for one in ones)


def _us(timeline: Timeline, cycles: int) -> float:
    return round(cycles / timeline.clock_mhz, 6)


def _ratio(part: int, whole: int) -> float:
    return round(part / max(whole, 1), 6)


def _rate(timeline: Timeline, moved: int, cycles: int) -> float:
    return round(moved * timeline.clock_mhz / max(cycles, 1) / 1e3, 3)
