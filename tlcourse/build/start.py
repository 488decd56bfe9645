"""What START_HERE calls: a look at the machine, a self-test without a score, a path to take."""

from __future__ import annotations

import difflib
import html
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from tlcourse.build.catalogue import Catalogue, Entry, read_catalogue
from tlcourse.build.source import Language
from tlcourse.build.timetable import Unit
from tlcourse.chinese import chosen_language
from tlcourse.diagnostics import error
from tlcourse.grading import progress_file
from tlcourse.grading.notebook import show_page

Pair = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question of the self-test: what its cell shows, and the lesson that leans on it."""

    id: str
    right: str
    about: Pair
    lesson: str


QUESTIONS = (
    Question(id="start.decorator", right="b", about=("decorators", "装饰器"), lesson="d2.anatomy"),
    Question(id="start.closure", right="a", about=("closures", "闭包"), lesson="d2.anatomy"),
    Question(
        id="start.slice",
        right="b",
        about=("slices past the end", "越界的切片"),
        lesson="d2.copy",
    ),
    Question(
        id="start.matmul",
        right="c",
        about=("shapes of a product", "矩阵乘的形状"),
        lesson="d2.fusion",
    ),
    Question(
        id="start.overflow",
        right="b",
        about=("exp that overflows", "exp 溢出"),
        lesson="d2.row_ops",
    ),
    Question(id="start.f16", right="a", about=("float16", "float16"), lesson="d2.fusion"),
    Question(
        id="start.core", right="c", about=("cores, not threads", "是核，不是线程"), lesson="d1.chip"
    ),
    Question(id="start.mode", right="b", about=("the mode", "模式"), lesson="d1.first_kernel"),
)
TIMES: dict[str, Pair] = {
    "five_days": ("five days of 5.5 hours", "五天，每天 5.5 小时"),
    "five_evenings": ("five evenings of 2 hours", "五个晚上，每晚 2 小时"),
    "twelve_weeks": ("twelve weeks of 3.5 hours", "十二周，每周 3.5 小时"),
}
BACKGROUNDS: dict[str, Pair] = {
    "python": (
        "You know Python. Read lesson 2.1 slowly: a kernel's body is traced once, it does not run "
        "line by line. Take half as long again for days 3 and 4, and open the glossary beside.",
        "你会 Python。2.1 节要慢慢读：内核的函数体只追踪一次，并不逐行运行。"
        "第 3、4 天请多留一半时间，并在旁边打开术语表。",
    ),
    "torch": (
        "You know torch. Every exercise states its task in torch, so start from there. New are "
        "tiles, memories and flags: do not skip lesson 1.1, the chip on one page.",
        "你会 torch。每个练习都用 torch 写明要求，可以从那里入手。"
        "新的是数据块、各级内存和标志：不要跳过 1.1 节“一页看懂芯片”。",
    ),
    "cuda": (
        "You write CUDA or Triton kernels. Three habits mislead here: T.Parallel starts no "
        "threads, a fragment is no register file, and a block is a group of three cores.",
        "你写过 CUDA 或 Triton 内核。有三个习惯在这里会误导你：T.Parallel 不启动线程，"
        "fragment 不是寄存器堆，一个逻辑块由三个核处理。",
    ),
}
_WORDS: dict[str, Pair] = {
    "number": ("no.", "序号"),
    "lessons": ("lessons", "课"),
    "cuts": ("in short", "选讲"),
    "exercises": ("exercises", "练习"),
    "minutes": ("minutes", "分钟"),
    "at_home": ("at home", "课外"),
    "topic": ("topic", "内容"),
    "yours": ("you chose", "你选了"),
    "shown": ("the run shows", "运行结果"),
    "read": ("comes up in", "哪一节会用到"),
}


def doctor() -> None:
    """Says in a few lines whether this machine can do the course."""
    code = "from tlcourse.cli import main; main()"
    command = [sys.executable, "-c", code, "doctor", "--short"]
    said = subprocess.run(command, capture_output=True, text=True)
    print((said.stdout + said.stderr).strip())


def self_test(*, language: Language | None = None) -> None:
    """Lists your answers beside what the cells show, and the lesson for each; there is no score."""
    spoken = language or chosen_language()
    chosen = progress_file.read().get("answers", {})
    lessons = read_catalogue().by_id
    rows = [
        (
            _said(one.about, spoken),
            chosen.get(one.id, "-"),
            one.right,
            _link(lessons.get(one.lesson), spoken) or html.escape(one.lesson),
        )
        for one in QUESTIONS
    ]
    _show_table(("topic", "yours", "shown", "read"), rows, spoken)


def offer_path(time: str, background: str, *, language: Language | None = None) -> None:
    """Shows a path through the course.

    Args:
        time: `five_days`, `five_evenings` or `twelve_weeks`.
        background: `python`, `torch` or `cuda`.
        language: `en` or `zh`; default: that of TLCOURSE_LANG.

    Raises:
        TL808: a word is none of these.
    """
    spoken = language or chosen_language()
    _check(time, TIMES)
    _check(background, BACKGROUNDS)
    catalogue = read_catalogue()
    stop = "。" if spoken == "zh" else ". "
    first = f"{_said(TIMES[time], spoken)}{stop}{_said(BACKGROUNDS[background], spoken)}"
    units = catalogue.timetables.units[time]
    rows = [_row(unit, catalogue, spoken) for unit in units]
    heads = ("number", "lessons", "cuts", "exercises", "minutes", "at_home")
    _show_table(heads, rows, spoken, first)


def _row(unit: Unit, catalogue: Catalogue, language: Language) -> tuple[str, ...]:
    known = catalogue.by_id

    def links(ids: Iterable[str]) -> str:
        return "<br>".join(_link(known[one], language) for one in ids if one in known)

    there = [one for one in (*unit.lessons, *unit.exercises) if one in known]
    cuts = [one for one in unit.lecture_cuts if one in known]
    minutes = sum(known[one].minutes for one in there)
    minutes += catalogue.timetables.cut_minutes * len(cuts)
    columns = (unit.lessons, unit.lecture_cuts, unit.exercises)
    return (str(unit.number), *map(links, columns), str(minutes), links(unit.at_home))


def _link(entry: Entry | None, language: Language) -> str:
    if entry is None:
        return ""
    part = "notebooks" if entry.kind == "lesson" else "exercises"
    folder = part if language == "en" else f"{part}/{language}"
    title = html.escape(entry.titled(language))
    return f'<a href="{folder}/{entry.path}">{title}</a>'


def _show_table(
    heads: Iterable[str], rows: Iterable[tuple[str, ...]], language: Language, first: str = ""
) -> None:
    listed = list(rows)
    head = "".join(f"<th>{_said(_WORDS[key], language)}</th>" for key in heads)
    body = "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in row)}</tr>" for row in listed)
    page = f"<p>{html.escape(first)}</p>" if first else ""
    page += f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    show_page(page)


def _said(pair: Pair, language: Language) -> str:
    return pair[language == "zh"]


def _check(word: str, known: dict[str, Pair]) -> None:
    if word in known:
        return
    near = difflib.get_close_matches(word, known, n=1)
    raise error(
        "TL808",
        f'there is no path for "{word}"',
        why="a path is chosen by your time and by what you know already",
        fix=f'did you mean "{near[0]}"?' if near else f"write one of {', '.join(known)}",
    )
