"""The fixed texts of grading, each in English and in Chinese."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from tlcourse.chinese import chinese_errors
from tlcourse.grading.effect_words import EFFECT_WORDS
from tlcourse.grading.package_words import PACKAGE_WORDS

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")

_LONGEST = 400
_MOST_LINES = 24


@dataclass(frozen=True, kw_only=True)
class Phrase:
    """A text of the table below with the values that fill its holes."""

    key: str
    values: Mapping[str, object] = field(default_factory=lambda: dict[str, object]())

    def say(self, language: Language) -> str:
        """The text in a language."""
        return say(self.key, language, **self.values)


def say(key: str, language: Language, **values: object) -> str:
    """A text of the table in a language, its holes filled."""
    english, chinese = WORDS[key]
    if language == "en":
        return english.format(**values)
    known = chinese_errors().get(str(values.get("code")))
    return chinese.format(**values | ({"code": f"{values['code']} {known.title}"} if known else {}))


def number(value: float) -> str:
    """A value of a tensor in three digits."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "infinity" if value > 0 else "-infinity"
    return f"{value:.3g}"


def plain(text: str) -> str:
    """Somebody else's text on one line, without control characters and not too long."""
    words = " ".join(_printable(text).split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"


def block(text: str) -> str:
    """Somebody else's text of several lines, without control characters and not too long."""
    lines = text.splitlines()[:_MOST_LINES]
    return "\n".join(_printable(line)[:_LONGEST] for line in lines)


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


WORDS: dict[str, tuple[str, str]] = {
    # the first words of a verdict
    "PASS": ("Right: all checks pass.", "正确：所有检查通过。"),
    "PASS public": (
        "Right on the public cases; hidden cases count {points:g} more points at hand-in.",
        "公开用例正确；隐藏用例在提交评分时另计 {points:g} 分。",
    ),
    "PARTIAL": ("Partly right.", "部分正确。"),
    "FAIL": ("Not right yet.", "还不正确。"),
    "TODO": (
        "Not started: write your solution into the solution cell.",
        "尚未开始：请在解答单元格中编写解答。",
    ),
    "TIMEOUT": ("Stopped: it ran too long.", "已停止：运行时间过长。"),
    "ERROR": ("The grader failed. This costs you nothing.", "评分程序出错，不影响你的分数。"),
    # the report
    "cause": ("Likely cause: {cause}.", "可能原因：{cause}。"),
    "fix": ("To mend it: {fix}.", "改法：{fix}。"),
    "line": (" (line {line})", "（第 {line} 行）"),
    "case": ("{shapes} ({words})", "{shapes}（{words}）"),
    "colon": (": ", "："),
    "check": ("check", "检查"),
    "points": ("points", "得分"),
    "result": ("result", "结果"),
    "why limit": ("why this limit", "为什么是这个界限"),
    # the checks
    "reads": ("notebook", "笔记本"),
    "cells": ("cells", "单元格"),
    "runs": ("runs", "运行"),
    "lowers": ("compiles", "编译"),
    "numbers": ("numbers, {case}", "数值，{case}"),
    "effects": ("work on the chip", "芯片上的工作"),
    "hidden": ("hidden cases", "隐藏用例"),
    "grader": ("grader", "评分程序"),
    # how it went
    "untouched": ("the exercise is untouched", "练习尚未改动"),
    "compiles": ("the kernel compiles for every case", "内核在所有用例上均可编译"),
    "compiles not": ("{code}: {what}", "{code}：{what}"),
    "compiles not hidden": (
        "no kernel for a hidden case ({case}): {code}",
        "隐藏用例（{case}）没有得到内核：{code}",
    ),
    "item": ("{name}", "{name}"),
    "item right": ("right", "正确"),
    "item open": ("no answer yet", "还没有作答"),
    "item wrong": ("{got} is not right", "{got} 不正确"),
    "enough": (
        "{count} right answers earn all points",
        "答对 {count} 题即得满分",
    ),
    "foreign item": (
        "{names} is no question of this exercise",
        "{names} 不是本练习的问题",
    ),
    "ops left": ("{name} is left in it; asked is none", "其中还有 {name}；要求不再有"),
    "ops missing": ("there is no {name} in it", "其中没有 {name}"),
    "structure": ("form of the IR", "IR 的形式"),
    "reads IR": ("reads and verifies", "可读入并通过校验"),
    "ir reads": ("the IR can be read and verifies", "IR 可以读入并通过校验"),
    "not rewritten": (
        "the pass left the module {given} as it was; asked is to rewrite it",
        "pass 没有改动模块 {given}；要求改写它",
    ),
    "touched": (
        "the pass changed the module {given}, which it must leave alone",
        "pass 改动了模块 {given}；它不应被改动",
    ),
    "touched hidden": (
        "the pass changed a hidden module ({case}) that it must leave alone",
        "pass 改动了一个不应被改动的隐藏模块（{case}）",
    ),
    "not rewritten hidden": (
        "the pass left a hidden module ({case}) as it was; asked is to rewrite it",
        "pass 没有改动一个应被改写的隐藏模块（{case}）",
    ),
    "bytes kept": (
        "the kernel moves {after:,} bytes of global memory, {before:,} before the pass; asked is "
        "fewer",
        "内核搬运全局内存 {after:,} 字节，pass 之前是 {before:,} 字节；要求减少",
    ),
    "nothing rewritten": (
        "leaving a module alone counts once another one is rewritten rightly",
        "至少正确改写一个模块之后，不改动才计分",
    ),
    "no IR": ("there is no IR for this case", "该用例没有 IR"),
    "person": ("read by a person", "人工评阅"),
    "person later": (
        "handed in; a person reads it and gives the points",
        "已提交；由人评阅并给分",
    ),
    "no kernel": ("there is no kernel for this case", "该用例没有内核"),
    "equal": ("equal to torch within rounding", "在舍入误差内与 torch 相等"),
    "hidden later": (
        "{count} hidden cases are judged at hand-in",
        "{count} 个隐藏用例在提交评分时判定",
    ),
    "raised": ("{what}", "{what}"),
    "raised hidden": (
        "{what} was raised for a hidden case ({case})",
        "隐藏用例（{case}）引发了 {what}",
    ),
    "two cells": (
        "the notebook has {count} solution cells; all ran, the last definition counts",
        "笔记本中有 {count} 个解答单元格；已全部运行，以最后的定义为准",
    ),
    # how it ended too early
    "timeout": (
        "the cell did not end within {seconds} seconds of computing",
        "单元格在 {seconds} 秒计算时间内没有结束",
    ),
    "timeout fix": ("look for a loop that never ends", "检查是否有不会结束的循环"),
    "judge timeout": (
        "the kernel did not end on the simulated chip within {seconds:g} seconds",
        "内核在模拟芯片上 {seconds:g} 秒内没有结束",
    ),
    "judge timeout fix": (
        "look for a loop in the kernel that turns far too often",
        "检查内核中循环次数过多的循环",
    ),
    "killed": (
        "the system stopped the cell before a kernel was made",
        "在得到内核之前，系统停止了该单元格",
    ),
    "killed fix": (
        "look for data that grows without end, or for calls that end the process",
        "检查无限增长的数据，或结束进程的调用",
    ),
    "memory": (
        "the cell asked for more memory than it may use ({gib} GiB)",
        "单元格申请的内存超过了上限（{gib} GiB）",
    ),
    "memory fix": ("make smaller tensors in the cell", "在单元格中使用更小的张量"),
    "ended": (
        "the cell ended the Python process before a kernel was made",
        "在得到内核之前，单元格结束了 Python 进程",
    ),
    "ended fix": (
        "remove calls such as os._exit from the cell",
        "从单元格中去掉 os._exit 之类的调用",
    ),
    "forged": (
        "the cell left a result behind that tracing a kernel does not make",
        "单元格留下了并非由内核生成的结果",
    ),
    "forged fix": (
        "write no files named result.json; only the kernel is judged",
        "不要写 result.json 文件；只评判内核",
    ),
    "grader failed": ("the grader failed: {what}", "评分程序失败：{what}"),
    "grader fix": ("nothing is lost, it is graded again", "没有丢失任何东西，会再次评分"),
    # what is wrong with numbers
    "wrong": (
        "{name}: {where}; first at {first}: got {got}, want {want}",
        "{name}：{where}；第一处在 {first}：得到 {got}，应为 {want}",
    ),
    "wrong everywhere a little": ("{name}: {where}", "{name}：{where}"),
    "wrong hidden": ("{name} is wrong", "{name} 不正确"),
    "modified": ("the kernel changed its input {name}", "内核改动了输入 {name}"),
    "stopped": ("the run stopped: {what}", "运行停止：{what}"),
    "steps": ("the kernel takes more steps than it may", "内核的步数超过了上限"),
    "stopped hidden": ("the run stopped ({code})", "运行停止（{code}）"),
    "arises": (
        "a number grows beyond its dtype: the first inf or NaN arises at the line shown",
        "有数超出了数据类型的范围：第一个 inf 或 NaN 出现在所示的行",
    ),
    "to look at": ("for the teacher", "供教师查看"),
    "other kernel": (
        "for a hidden case ({case}) the kernel has other operations",
        "在一个隐藏用例（{case}）中，内核使用了别的运算",
    ),
    "lost": (
        "nothing of {inputs} reaches {name} in the kernel",
        "内核中 {inputs} 的内容没有到达 {name}",
    ),
    "independent": (
        "{name} does not depend on the inputs: the kernel computes nothing from them",
        "{name} 与输入无关：内核没有用输入计算",
    ),
    "never written": (
        "what is NaN there was never written, or was computed from memory that held nothing",
        "NaN 处从未写入，或由没有内容的内存计算而来",
    ),
    "largest error": (
        "The largest error is {worst} times its limit.",
        "最大误差是其界限的 {worst} 倍。",
    ),
    "frobenius": (
        "The relative error of the whole is {relative}, the limit is {limit}.",
        "整体相对误差为 {relative}，界限为 {limit}。",
    ),
    "limit": (
        "|y - r| <= {factor:g} x 2^{exponent} x S for each element, with S = {scale}: {why}",
        "每个元素满足 |y - r| <= {factor:g} x 2^{exponent} x S，其中 S = {scale}：{why}",
    ),
    "limit exact": ("integers are exact", "整数必须完全相等"),
    # which elements are wrong
    "transposed": ("the result is transposed", "结果被转置了"),
    "all nan": ("every element is NaN", "所有元素都是 NaN"),
    "all zero": ("every element is 0", "所有元素都是 0"),
    "all scaled": (
        "every element is {factor} times what it should be",
        "所有元素都是应有值的 {factor} 倍",
    ),
    "all": ("every element is wrong", "所有元素都不对"),
    "some": ("{wrong} of {total} elements are wrong", "{total} 个元素中有 {wrong} 个不对"),
    "nearly all": ("{wrong} of {total} elements are wrong", "{total} 个元素中有 {wrong} 个不对"),
    "a little off": ("every element is a little off", "所有元素都略有偏差"),
    "elements": (
        "elements {first} to {last} are wrong",
        "第 {first} 到 {last} 个元素不对",
    ),
    "last elements": (
        "the last {count} elements are wrong, from element {first} on",
        "最后 {count} 个元素不对，从第 {first} 个起",
    ),
    "second element": (
        "every second element is wrong, from element {first} on",
        "从第 {first} 个起每隔一个元素不对",
    ),
    "element": ("one element is wrong", "有一个元素不对"),
    "row": ("row {first} is wrong", "第 {first} 行不对"),
    "rows": ("rows {first} to {last} are wrong", "第 {first} 到 {last} 行不对"),
    "last row": ("the last row is wrong, row {first}", "最后一行（第 {first} 行）不对"),
    "last rows": (
        "the last {count} rows are wrong, from row {first} on",
        "最后 {count} 行不对，从第 {first} 行起",
    ),
    "second row": (
        "every second row is wrong, from row {first} on",
        "从第 {first} 行起每隔一行不对",
    ),
    "column": ("column {first} is wrong", "第 {first} 列不对"),
    "columns": ("columns {first} to {last} are wrong", "第 {first} 到 {last} 列不对"),
    "last column": (
        "the last column is wrong, column {first}",
        "最后一列（第 {first} 列）不对",
    ),
    "last columns": (
        "the last {count} columns are wrong, from column {first} on",
        "最后 {count} 列不对，从第 {first} 列起",
    ),
    "second column": (
        "every second column is wrong, from column {first} on",
        "从第 {first} 列起每隔一列不对",
    ),
    "block": (
        "one block is wrong: rows {first_row} to {last_row}, columns {first_column} to "
        "{last_column}",
        "有一块区域不对：第 {first_row} 到 {last_row} 行，第 {first_column} 到 {last_column} 列",
    ),
    "outside block": (
        "only the first {rows} rows and {columns} columns are right",
        "只有前 {rows} 行、前 {columns} 列正确",
    ),
    # what is seen on the chip
    "effects hold": (
        "all that is asked beside the numbers holds",
        "数值之外的要求全部满足",
    ),
    "effects later": (
        "judged as soon as the numbers of one case are right",
        "只要有一个用例数值正确就会判定",
    ),
    "fault hidden": (
        "the simulator saw a fault in a hidden case ({case}): {code}",
        "模拟器在隐藏用例（{case}）中发现问题：{code}",
    ),
    "cycles": ("cycles", "周期"),
    "cycles seen": (
        "{seen:,} cycles; {slow:,} earn nothing, {fast:,} earn all",
        "{seen:,} 个周期；{slow:,} 个不得分，{fast:,} 个得满分",
    ),
    "cycles later": (
        "counted as soon as all numbers are right and no fault is left",
        "所有数值正确并且没有问题之后才计算",
    ),
    # hints, answers, progress
    "hint": ("Hint {index}/{count}: {words}", "提示 {index}/{count}：{words}"),
    "more hints": (
        "For the next hint: tlcourse hint {exercise} --level {level}",
        "下一条提示：tlcourse hint {exercise} --level {level}",
    ),
    "no hints": ("{exercise} has no hints.", "{exercise} 没有提示。"),
    "no choice": (
        "Write your choice in place of ?, then run this cell again.",
        "请把 ? 换成你的选择，再运行此单元格。",
    ),
    "stored": ("{question}: {value} is stored", "{question}：已保存 {value}"),
    "open": ("open", "未做"),
    "capped": (
        "; at most {percent} % counts, for a checkpoint",
        "；用过检查点，最多计 {percent} %",
    ),
    "nothing yet": ("Nothing checked yet.", "还没有检查过任何练习。"),
} | {**EFFECT_WORDS, **PACKAGE_WORDS}
