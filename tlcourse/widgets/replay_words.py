"""The words of the replay, in English and in Chinese."""

from __future__ import annotations

import re

from tlcourse.widgets.labels import Language

_WORDS: dict[str, tuple[str, str]] = {
    "title": ("Replay of {0}, block {1}", "{0} 的回放，逻辑块 {1}"),
    "step": ("step", "步"),
    "at_step": ("step {0} of {1}", "第 {0} / {1} 步"),
    "core": ("core", "核"),
    "pipe": ("pipe", "流水线"),
    "instruction": ("instruction", "指令"),
    "instructions": ("Instructions in the order of execution", "按执行顺序排列的指令"),
    "turn": ("loop turn", "循环轮次"),
    "line": ("line", "行号"),
    "at_line": ("line {0}", "第 {0} 行"),
    "reads": ("reads", "读取"),
    "writes": ("writes", "写入"),
    "moves_none": ("reads and writes no tile", "不读写数据块"),
    "memory": ("memory", "内存"),
    "buffer": ("buffer", "缓冲"),
    "buffers": ("Buffers", "缓冲"),
    "shape": ("shape", "形状"),
    "before": ("before", "之前"),
    "after": ("after", "之后"),
    "this_step": ("this step", "本步"),
    "written": ("written", "写入"),
    "read": ("read", "读取"),
    "flags": ("Flags", "标志"),
    "flag": ("flag", "标志"),
    "no_flags": ("No flag is up, before or after.", "之前和之后都没有置起的标志。"),
    "flags_up": ("flags that are up", "已置起的标志"),
    "up": ("up", "置起"),
    "up_often": ("up {0} times", "置起 {0} 次"),
    "down": ("down", "落下"),
    "raised": ("raised", "置起"),
    "lowered": ("lowered", "落下"),
    "none": ("none", "无"),
    "note": (
        "The first elements of each tile; a dash is what nobody has written yet. "
        "A value over both columns is the same before and after.",
        "每个数据块的前几个元素；短横表示尚未写入。横跨两列的值前后相同。",
    ),
    "all_steps": ("all {0} steps, {1} more left out", "全部 {0} 步，另有 {1} 步未列出"),
    "all_steps_kept": ("all {0} steps", "全部 {0} 步"),
    "previous": ("step before  (← ↑ k PageUp)", "上一步（← ↑ k PageUp）"),
    "next": ("next step  (→ ↓ j PageDown)", "下一步（→ ↓ j PageDown）"),
    "list": ("list of instructions  (l)", "指令列表（l）"),
    "larger": ("larger type  (+)", "放大字体（+）"),
    "smaller": ("smaller type  (-)", "缩小字体（-）"),
    "theme": ("light or dark  (t)", "浅色或深色（t）"),
    "lecture": ("lecture mode, full screen  (f)", "授课模式，全屏（f）"),
    "keys": (
        "← → ↑ ↓ j k PageUp PageDown: step   n p: next, previous one that writes   Home End   "
        "l: list   + -: type   t: dark   f: lecture   Esc: back",
        "← → ↑ ↓ j k PageUp PageDown：步进   n p：下一个、上一个写入的指令   Home End   "
        "l：列表   + -：字体   t：深色   f：授课   Esc：返回",
    ),
}


def word(key: str, language: Language, *values: object) -> str:
    """The words for `key`, with `values` filled in."""
    return _WORDS[key][language == "zh"].format(*values)


def table(language: Language) -> dict[str, str]:
    """All words of one language, for a viewer."""
    return {key: words[language == "zh"] for key, words in _WORDS.items()}


# What the simulator calls a flag, and how that reads in Chinese.
_FLAGS = (
    (re.compile(r"flag (\d+) of (\w+) for (\w+) in (\w+)"), r"\4：标志 \1，\2 置起，\3 等待"),
    (re.compile(r"cross-core flag (\d+) of (.+) for (\w+)"), r"跨核标志 \1，\2 置起，\3 等待"),
    (re.compile(r"the (\w+) core"), r"\1 核"),
    (re.compile(r"(\w+) core (\d+)"), r"\1 核 \2"),
)


def flag_words(flag: str, language: Language) -> str:
    """A flag of the record in the language of the screen."""
    if language == "zh":
        for english, chinese in _FLAGS:
            flag = english.sub(chinese, flag)
    return flag


def tile_words(name: str, language: Language) -> str:
    """The name of a tile: the learner's own, or what the simulator calls memory of its own."""
    return "工作区" if language == "zh" and name == "the workspace" else name


def up_words(count: int, language: Language) -> str:
    """How often a flag is up."""
    key = "up_often" if count > 1 else "up" if count else "down"
    return word(key, language, count)
