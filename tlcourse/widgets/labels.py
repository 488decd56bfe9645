"""The words that widgets show, in English and in Chinese."""

from __future__ import annotations

from tlcourse.chinese import Language, chosen_language
from tlcourse.diagnostics import error

__all__ = ["Language", "label", "spoken", "table"]

_LABELS: dict[str, tuple[str, str]] = {
    "deadlock": ("Who waits for whom", "谁在等谁"),
    "short_flag": ("flag {0}", "标志 {0}"),
    "short_cross": ("cross-core flag {0}", "跨核标志 {0}"),
    "nobody": ("nobody", "没有任何核"),
    "program": ("its program", "它的程序"),
    "waits": ("waits", "等待者"),
    "flag": ("for", "等待的标志"),
    "raised_by": ("which is raised by", "由谁置起"),
    "raise_line": ("line of the raise", "置起所在行"),
    "reason": ("why it does not come", "为什么等不到"),
    "passes": ("passes", "个 pass"),
    "changed_of": ("{0} of {1} passes changed the IR", "{1} 个 pass 中 {0} 个改变了 IR"),
    "failed_of": ("{0} failed", "{0} 个失败"),
    "pass_list": ("Passes", "Pass 列表"),
    "filter": ("filter passes  ( / )", "筛选 pass（/）"),
    "nowhere": (
        "A pass made this line; it comes from no line of yours alone.",
        "此行由 pass 生成，不对应你的某一行。",
    ),
    "near": ("line of a neighbouring op", "取自相邻算子的行"),
    "find": ("find in the IR  ( ? )", "在 IR 中查找（?）"),
    "before": ("before", "之前"),
    "after": ("after", "之后"),
    "input": ("input", "输入"),
    "changed": ("changed", "有改变"),
    "unchanged": ("unchanged", "无改变"),
    "failed": ("failed", "失败"),
    "skipped": ("skipped", "跳过"),
    "tir": ("TIR phase", "TIR 阶段"),
    "codegen": ("code generation", "代码生成"),
    "npuir": ("AscendNPU IR phase", "AscendNPU IR 阶段"),
    "mlir": ("progressive lowering", "逐级下降（lowering）"),
    "real": ("real compiler", "真实编译器"),
    "embedded": ("embedded pass", "内嵌 pass"),
    "lines": ("lines", "行"),
    "renamed": ("only value names differ", "仅值名不同"),
    "moved": ("moved", "移动"),
    "removed": ("removed", "删除"),
    "added": ("added", "新增"),
    "same_text": ("This pass left the IR as it was.", "这个 pass 没有改变 IR。"),
    "source": ("your source", "你的源码"),
    "ops": ("ops", "算子"),
    "previous": ("previous changed pass  (↑ k PageUp)", "上一个有改变的 pass（↑ k PageUp）"),
    "next": ("next changed pass  (↓ j PageDown)", "下一个有改变的 pass（↓ j PageDown）"),
    "all": ("show unchanged passes too  (u)", "也显示无改变的 pass（u）"),
    "expand": ("show every line  (e)", "显示所有行（e）"),
    "stack": ("one column  (v)", "单栏显示（v）"),
    "show_source": ("show source  (s)", "显示源码（s）"),
    "larger": ("larger type  (+)", "放大字体（+）"),
    "smaller": ("smaller type  (-)", "缩小字体（-）"),
    "lecture": ("lecture mode, full screen  (f)", "授课模式，全屏（f）"),
    "theme": ("light or dark  (d)", "浅色或深色（d）"),
    "equal_lines": ("{0} equal lines", "{0} 行相同"),
    "more_rows": ("{0} more rows: open the explorer", "还有 {0} 行：请打开 pass 查看器"),
    "more_passes": (
        "{0} more changed passes: open the explorer",
        "还有 {0} 个改变的 pass：请打开查看器",
    ),
    "no_match": ("no pass matches", "没有匹配的 pass"),
    "keys": (
        "↑↓ j k PgUp PgDn: step   n p: changes   "
        "u: all passes   e: all lines   v: one column   l: list   s: source   + -: type   "
        "d: dark   f: lecture   / ?: filter, find   w: switches   o: original   "
        "t: other compile   c: compare   i m: time, numbers   Esc: back",
        "↑↓ j k PgUp PgDn：步进   n p：改变处   "
        "u：所有 pass   e：所有行   v：单栏   l：列表   s：源码   + -：字体   "
        "d：深色   f：授课   / ?：筛选、查找   w：开关   o：原始   "
        "t：另一次编译   c：对比   i m：用时、数值   Esc：返回",
    ),
    "measure_time": ("time of each pass  (i)", "各 pass 用时（i）"),
    "measure_numbers": ("numbers of each pass  (m)", "各 pass 的数值（m）"),
    "measuring": ("measuring ...", "正在测量……"),
    "not_measured": (
        "Only embedded passes of this kernel can be measured.",
        "只能测量此 kernel 的内嵌 pass。",
    ),
    "done_in": ("done in {0} s", "用时 {0} 秒"),
    "numbers_same": ("numbers kept", "数值不变"),
    "numbers_differs": ("numbers differ by {0}", "数值相差 {0}"),
    "switch_board": ("switches of the passes  (w)", "pass 开关（w）"),
    "compiles": ("compiles", "编译"),
    "original": ("original", "原始"),
    "compare": ("compare  (c)", "对比（c）"),
    "back": ("back to the original  (o)", "回到原始（o）"),
    "was": ("was {0}", "原为 {0}"),
    "not_followed": ("real compiler only", "仅真实编译器遵循"),
    "compiling": ("compiling ...", "正在编译……"),
    "no_kernel": (
        "the kernel has not answered yet; the stored compile stays",
        "内核尚未应答；仍显示已存的编译",
    ),
    "read_only": (
        "Run the cell in a notebook to compile with other switches.",
        "在 notebook 中运行单元格即可用其他开关重新编译。",
    ),
    "kept": (
        "This does not compile. The compile before it is still shown.",
        "编译失败。仍显示之前的编译。",
    ),
    "differs": ("differs from the other compile", "与另一次编译不同"),
    "only_here": ("runs in one compile only", "仅在其中一次编译中运行"),
    "alike": ("the same IR in both compiles", "两次编译的 IR 相同"),
    "timeline": ("Timeline of {0}", "{0} 的时间线"),
    "timeline_of": (
        "{0}: {1:,} cycles, {2} on {3}; block {4} shown",
        "{0}：{1:,} 周期，{2}，芯片 {3}；显示逻辑块 {4}",
    ),
    "launch": (
        "the first instruction comes after {0:,} cycles of launch",
        "启动占 {0:,} 周期，之后才是第一条指令",
    ),
    "aic": ("AIC, cube core", "AIC，cube 核"),
    "aiv0": ("AIV 0, vector core", "AIV 0，vector 核"),
    "aiv1": ("AIV 1, vector core", "AIV 1，vector 核"),
    "as_table": ("the same as a table", "同样内容的表格"),
    "cycles": ("cycles", "周期"),
    "lane": ("lane", "泳道"),
    "instructions": ("instructions", "指令数"),
    "busy": ("busy cycles", "忙周期"),
    "busy_share": ("busy, % of total", "忙占总时间 %"),
    "waiting": ("waiting cycles", "等待周期"),
    "main_wait": ("waits longest for", "等待最久的原因"),
    "cycle_range": ("cycles {0:,} to {1:,}", "周期 {0:,} 到 {1:,}"),
    "busy_percent": ("busy {0}%", "忙 {0}%"),
    "at_line": ("line {0}", "第 {0} 行"),
    "waits_for": ("waits for {0}", "等待 {0}"),
    "bubble": ("waiting", "等待"),
    "replicated": (
        "{0:,} further blocks are timed by the ones that were run",
        "另有 {0:,} 个逻辑块以已运行的逻辑块代表计时",
    ),
    "no_instructions": ("No instruction was recorded.", "没有记录到指令。"),
    "memory": ("On-chip memory of {0}", "{0} 的片上内存"),
    "memory_any": ("On-chip memory", "片上内存"),
    "capacity": ("capacity", "容量"),
    "in_place": (
        "hatched: the op at {2} reads {0} for the last time and writes {1} in its place",
        "阴影线：位置 {2} 的操作最后一次读 {0}，并在原处写入 {1}",
    ),
    "overlap": (
        "hatched: {0} and {1} share bytes {2:,} to {3:,} from {4} to {5}: "
        "one value under two names, or one overwrites the other",
        "阴影线：{0} 与 {1} 在 {4} 到 {5} 期间共用字节 {2:,} 到 {3:,}："
        "同一个值的两个名字，或者一个覆盖另一个",
    ),
    "peak": ("peak", "峰值"),
    "program_order": ("program order", "程序顺序"),
    "buffer": ("buffer", "缓冲"),
    "space": ("memory", "内存"),
    "offset": ("offset, B", "偏移，B"),
    "size": ("size, B", "大小，B"),
    "copies": ("copies", "份数"),
    "live": ("live", "存活"),
    "line": ("line", "行号"),
    "fits": ("fits", "是否放得下"),
    "yes": ("yes", "是"),
    "no": ("no: ends {0:,} B past the limit", "否：超出上限 {0:,} B"),
    "buffer_place": (
        "{0}: bytes {1:,} to {2:,}, live {3} to {4}",
        "{0}：字节 {1:,} 到 {2:,}，存活 {3} 到 {4}",
    ),
    "no_buffers": ("No buffer was planned.", "没有规划缓冲。"),
    "tiles": (
        "Tiles of C = A @ B: block {0} makes rows {1} to {2}, columns {3} to {4} of C",
        "C = A @ B 的分块：逻辑块 {0} 计算 C 的第 {1} 到 {2} 行、第 {3} 到 {4} 列",
    ),
    "tiles_short": ("Tiles of C = A @ B", "C = A @ B 的分块"),
    "tile_place": ("block cid = {0} of {1}", "逻辑块 cid = {0}，共 {1} 个"),
    "tile_row": (
        "row of tiles: {0} // {1} = {2}, bx = {3}",
        "数据块行：{0} // {1} = {2}，bx = {3}",
    ),
    "tile_column": (
        "column of tiles: {0} % {1} = {2}, by = {3}",
        "数据块列：{0} % {1} = {2}，by = {3}",
    ),
    "tile_c": ("the tile of C that this block makes", "这个逻辑块计算的 C 的数据块"),
    "tile_strips": ("the strips of A and B that it reads", "它读取的 A、B 的条带"),
    "tile_trip": ("the part in L1 on trip k = {0}", "第 k = {0} 次循环在 L1 中的部分"),
    "tile_missed": (
        "no block makes these: {0} rows, {1} columns",
        "没有逻辑块计算这里：{0} 行，{1} 列",
    ),
}


def spoken(language: Language | None) -> Language:
    """The language that is asked for; None is that of TLCOURSE_LANG.

    Raises:
        TL424: there are no words in it.
    """
    if language not in (None, "en", "zh"):
        raise error(
            "TL424",
            f"language = {language!r} is not known",
            why="widgets speak English and Chinese",
            fix='write language="en" or language="zh", or set TLCOURSE_LANG for all',
        )
    return language or chosen_language()


def label(key: str, language: Language, *values: object) -> str:
    """The words for `key`, with `values` filled in."""
    words = _LABELS[key][1 if language == "zh" else 0]
    return words.format(*values) if values else words


def table(language: Language) -> dict[str, str]:
    """All words of one language, for a viewer."""
    return {key: words[1 if language == "zh" else 0] for key, words in _LABELS.items()}
