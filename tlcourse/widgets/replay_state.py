"""What the replay's viewer is told: instructions, tiles with what was written, flags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tlcourse.diagnostics import SourceMap, Span
from tlcourse.replay import Change, Replay, ReplayStep
from tlcourse.widgets import palette, svg
from tlcourse.widgets.labels import Language
from tlcourse.widgets.replay_words import flag_words, table, tile_words, word

TileKey = tuple[str, str, str]


def tile_of(step: ReplayStep, change: Change) -> TileKey:
    """Core, memory and name of a tile that a step wrote; all cores share what lies in GM."""
    return "" if change.memory == "GM" else step.agent, change.memory, change.tile


def counted(flags: Sequence[str]) -> Counter[str]:
    """How often each flag is up; the record writes `2 x` before one that is up twice."""
    found: Counter[str] = Counter()
    for flag in flags:
        times, sign, name = flag.partition(" x ")
        found[name or flag] += int(times) if sign else 1
    return found


def said(step: ReplayStep, language: Language) -> str:
    """What a step reads and writes, in one line."""
    names = (("reads", step.reads), ("writes", tuple(change.tile for change in step.changes)))
    listed = [
        f"{word(key, language)} {', '.join(tile_words(name, language) for name in found)}"
        for key, found in names
        if found
    ]
    return ("；" if language == "zh" else "; ").join(listed) or word("moves_none", language)


def replay_data(
    replay: Replay, step: int, language: Language, sources: SourceMap
) -> dict[str, object]:
    """All that the viewer shows, as plain data."""
    tiles = sorted({tile_of(one, change) for one in replay.steps for change in one.changes})
    flags = sorted({flag for one in replay.steps for flag in counted(one.flags)})
    looks = [*palette.PIPES.values(), *palette.MEMORIES.values()]
    return {
        "labels": table(language),
        "title": word("title", language, replay.kernel, replay.block),
        "step": step,
        "tiles": [
            [core, memory, palette.memory(memory).key, tile_words(name, language)]
            for core, memory, name in tiles
        ],
        "flags": [flag_words(flag, language) for flag in flags],
        "steps": [_step(one, tiles, flags, language, sources) for one in replay.steps],
        "patterns": "".join(map(svg.pattern, looks)),
    }


def _step(
    one: ReplayStep,
    tiles: list[TileKey],
    flags: list[str],
    language: Language,
    sources: SourceMap,
) -> dict[str, object]:
    look = palette.pipe(one.pipe)
    return {
        "core": one.agent,
        "pipe": look.label,
        "key": look.key,
        "op": one.op,
        "turn": ", ".join(map(str, one.iteration)),
        "source": one.span.source if one.span else None,
        "line": one.span.line if one.span else 0,
        "code": code_at(one.span, sources),
        "said": said(one, language),
        "reads": [k for k, tile in enumerate(tiles) if _is_read(one, tile)],
        "writes": [
            [tiles.index(tile_of(one, change)), change.shape, change.before, change.after]
            for change in one.changes
        ],
        "flags": [[flags.index(flag), count] for flag, count in counted(one.flags).items()],
    }


def code_at(span: Span | None, sources: SourceMap) -> str:
    """The learner's line, where its text is known."""
    lines = sources[span.source].text.splitlines() if span and span.source in sources else []
    return lines[span.line - 1].strip() if span and span.line <= len(lines) else ""


def _is_read(step: ReplayStep, tile: TileKey) -> bool:
    core, _, name = tile
    return core in ("", step.agent) and name in step.reads
