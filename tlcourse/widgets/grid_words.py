"""The words of the grid viewer, in English and in Chinese."""

from __future__ import annotations

from tlcourse.widgets.labels import Language

_WORDS: dict[str, tuple[str, str]] = {
    "title": ("Blocks of {0}", "{0} 的逻辑块"),
    "deal": ("{0:,} blocks on {1} {2} of {3}: {4}", "{3} 的 {1} 个{2}上有 {0:,} 个逻辑块：{4}"),
    "deal_one": ("1 block on {1} {2} of {3}: {4}", "{3} 的 {1} 个{2}上有 1 个逻辑块：{4}"),
    "round_one": ("1 round", "1 轮"),
    "rounds": ("{0:,} rounds", "{0:,} 轮"),
    "idle": (
        "{0}; {1} of {2} slots of the last round stand empty",
        "{0}；最后一轮 {2} 个中有 {1} 个空闲",
    ),
    "cube": ("cube cores", " cube 核"),
    "vector": ("vector cores", " vector 核"),
    "mix": ("core groups", "核组"),
    "round": ("round {0}", "第 {0} 轮"),
    "more_rounds": ("{0} more rounds", "另有 {0} 轮"),
    "chip": ("chip  (c)", "芯片（c）"),
    "cube_one": ("cube core", "cube 核"),
    "vector_one": ("vector core", "vector 核"),
    "mix_one": ("core group", "核组"),
    "place": ("block {0}: {1} {2}, round {3}", "逻辑块 {0}：{1} {2}，第 {3} 轮"),
    "block": ("block", "逻辑块"),
    "slot": ("runs on", "运行于"),
    "in_round": ("round", "轮次"),
    "reads": ("reads", "读"),
    "writes": ("writes", "写"),
    "box": ("{0}[{1}:{2}, {3}:{4}]", "{0}[{1}:{2}, {3}:{4}]"),
    "box_flat": ("{0}[{1}:{2}]", "{0}[{1}:{2}]"),
    "as_matrix": ("as {0} x {1}", "按 {0} x {1} 显示"),
    "tiles_of_others": ("frames: tiles that the other blocks write", "边框：其他逻辑块写的数据块"),
    "no_tiles": (
        "This kernel decides by numbers which tiles it touches.",
        "此 kernel 根据数值决定访问哪些数据块。",
    ),
    "not_looked": ("Tiles of the first {0} blocks are known.", "只给出前 {0} 个逻辑块的数据块。"),
    "order": (
        "A further block goes to the slot that is free first; equal blocks keep this order.",
        "后续逻辑块交给最先空闲的核；相同的逻辑块保持此顺序。",
    ),
    "picture": ("Blocks by core and round", "逻辑块与核、轮次"),
    "as_table": ("the same as a table", "同样内容的表格"),
    "previous": ("block before  (← k PageUp)", "上一个逻辑块（← k PageUp）"),
    "next": ("next block  (→ j PageDown)", "下一个逻辑块（→ j PageDown）"),
    "larger": ("larger type  (+)", "放大字体（+）"),
    "smaller": ("smaller type  (-)", "缩小字体（-）"),
    "theme": ("light or dark  (t)", "浅色或深色（t）"),
    "lecture": ("lecture mode, full screen  (f)", "授课模式，全屏（f）"),
    "keys": (
        "← → j k PageUp PageDown: block   ↑ ↓: same core, other round   Home End   c: chip   "
        "+ -: type   t: dark   f: lecture   Esc: back",
        "← → j k PageUp PageDown：逻辑块   ↑ ↓：同一个核的其他轮次   Home End   c：芯片   "
        "+ -：字体   t：深色   f：授课   Esc：返回",
    ),
}


def word(key: str, language: Language, *values: object) -> str:
    """The words for `key`, with `values` filled in."""
    return _WORDS[key][language == "zh"].format(*values)


def table(language: Language) -> dict[str, str]:
    """All words of one language, for a viewer."""
    return {key: words[language == "zh"] for key, words in _WORDS.items()}
