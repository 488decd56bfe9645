"""The words of the timeline, in English and in Chinese, and causes of waiting in both."""

from __future__ import annotations

import re

from tlcourse.widgets import palette
from tlcourse.widgets.labels import Language

_WORDS: dict[str, tuple[str, str]] = {
    "colon": (": ", "："),
    "comma": (", ", "，"),
    "before": ("before", "之前"),
    "after": ("after", "之后"),
    "timeline_pair": ("Timelines of {0} and {1}", "{0} 与 {1} 的时间线"),
    "timeline_twice": ("Timelines of {0}, {1} and {2}", "{0} 的时间线，{1}与{2}"),
    "several": (
        "{0}: {1:,} cycles, {2:.2f} us on {3}; blocks {4} shown",
        "{0}：{1:,} 周期，{2:.2f} us，芯片 {3}；显示逻辑块 {4}",
    ),
    "faster": ("{0:.2f} times as fast", "速度为原来的 {0:.2f} 倍"),
    "slower": ("{0:.2f} times as slow", "耗时为原来的 {0:.2f} 倍"),
    "as_fast": ("as fast as before", "与之前一样快"),
    "from_to": (
        "{0:.2f} us before, {1:.2f} us after: {2}",
        "之前 {0:.2f} us，之后 {1:.2f} us：{2}",
    ),
    "stands": ("{0} stands still", "{0} 停等"),
    "cycles_in": ("{0} cycles, {1} to {2}", "{0} 周期，{1} 到 {2}"),
    "waits_for": ("waits for {0}", "等待 {0}"),
    "waited_for": ("waited for", "等待过"),
    "lets_go": ("lets go", "放行"),
    "many": ("{0} instructions, busy {1}%", "{0} 条指令，忙 {1}%"),
    "block": ("block {0}", "逻辑块 {0}"),
    "line": ("line {0}", "第 {0} 行"),
    "bytes": ("{0} B through GM", "经 GM {0} B"),
    "launch": ("launch", "启动"),
    "nothing": (
        "Click an instruction or a gap, or press an arrow key.",
        "点击一条指令或一段空隙，或按方向键。",
    ),
    "arrows_stall": ("arrows: waits that stop a pipe", "箭头：使流水线停等的等待"),
    "arrows_all": ("arrows: all set/wait pairs", "箭头：所有 set/wait 对"),
    "arrows_none": ("arrows: of the chosen one", "箭头：仅所选指令"),
    "arrows": ("which arrows are drawn  (x)", "绘制哪些箭头（x）"),
    "titled": ("{0}: {1}", "{0}：{1}"),
    "crossing": ("; dashed: between cores", "；虚线：核间"),
    "zoom_in": ("zoom in  (w)", "放大（w）"),
    "zoom_out": ("zoom out  (s)", "缩小（s）"),
    "left": ("to the left  (a)", "向左（a）"),
    "right": ("to the right  (d)", "向右（d）"),
    "fit": ("the whole timeline  (0)", "整条时间线（0）"),
    "next_gap": ("next longest gap  (n PageDown)", "下一个最长空隙（n PageDown）"),
    "previous_gap": ("gap before  (p PageUp)", "上一个空隙（p PageUp）"),
    "theme": ("light or dark  (t)", "浅色或深色（t）"),
    "larger": ("larger type  (+)", "放大字体（+）"),
    "smaller": ("smaller type  (-)", "缩小字体（-）"),
    "lecture": ("lecture mode, full screen  (f)", "授课模式，全屏（f）"),
    "overview": ("whole timeline, the part shown is framed", "整条时间线，框内为当前显示部分"),
    "picture": ("lanes over time", "各泳道随时间的活动"),
    "detail": ("what is chosen", "所选内容"),
    "gap_of": ("gap {0} of {1} by length", "按长度第 {0} 个空隙，共 {1} 个"),
    "gap_table": ("longest gaps", "最长的空隙"),
    "lane": ("lane", "泳道"),
    "cause": ("waits for", "等待"),
    "start": ("from cycle", "起始周期"),
    "length": ("cycles", "周期数"),
    "share": ("% of total", "占总时间 %"),
    "keys": (
        "w s: zoom   a d: move   0: all   ← →: along a lane   ↑ ↓: lanes   Enter: zoom to it   "
        "n p PageDown PageUp: gaps by length   x: arrows   + -: type   t: dark   f: lecture   "
        "wheel: zoom, Shift+wheel: move   Esc: back",
        "w s：缩放   a d：平移   0：全部   ← →：沿泳道   ↑ ↓：换泳道   Enter：放大到它   "
        "n p PageDown PageUp：按长度看空隙   x：箭头   + -：字体   t：深色   f：授课   "
        "滚轮：缩放，Shift+滚轮：平移   Esc：返回",
    ),
}

_CORES = {
    "the cube core": "cube 核",
    "vector core 0": "vector 核 0",
    "vector core 1": "vector 核 1",
}
_WORK = re.compile(
    r"(?P<op>\S+) on (?P<pipe>\w+)(?: of (?P<core>the cube core|vector core \d))?"
    r"(?:, line (?P<line>\d+))?"
)
_BARRIER = re.compile(r"barrier of (\w+)")


def word(key: str, language: Language, *values: object) -> str:
    """The words for `key`, with `values` filled in."""
    words = _WORDS[key][1 if language == "zh" else 0]
    return words.format(*values) if values else words


def table(language: Language) -> dict[str, str]:
    """All words of one language, for a viewer."""
    return {key: words[1 if language == "zh" else 0] for key, words in _WORDS.items()}


def cause_words(cause: str, language: Language) -> str:
    """What a pipe waited for, with the names that the lanes have; unknown forms stay."""
    if found := _BARRIER.fullmatch(cause):
        pipe = palette.pipe(found[1]).label
        return f"{pipe} 的屏障" if language == "zh" else f"barrier of {pipe}"
    if cause == "issue":
        return "SCALAR 发射指令" if language == "zh" else "the scalar unit to issue it"
    found = _WORK.fullmatch(cause)
    if found is None:
        return cause
    pipe, core, line = palette.pipe(found["pipe"]).label, found["core"], found["line"]
    if language == "zh":
        parts = [
            pipe,
            *([_CORES.get(core, core)] if core else []),
            *([f"第 {line} 行"] if line else []),
        ]
        return f"{found['op']}（{'，'.join(parts)}）"
    return (
        f"{found['op']} on {pipe}"
        + (f" of {core}" if core else "")
        + (f", line {line}" if line else "")
    )
