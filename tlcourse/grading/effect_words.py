"""What grading says of an asked effect that was not seen, in English and in Chinese."""

from __future__ import annotations

EFFECT_WORDS: dict[str, tuple[str, str]] = {
    "both_kinds_of_core": (
        "the work is done by one kind of core; asked is cube and vector work",
        "只有一种核在工作；要求 cube 和 vector 都工作",
    ),
    "both_vector_cores": (
        "one vector core does all the vector work; asked is half for each",
        "全部 vector 工作由一个 vector 核完成；要求两个核各做一半",
    ),
    "bytes_written": (
        "the kernel writes {seen:.3g} times the bytes of its outputs to global memory; asked is "
        "at most {limit:.3g} times, each tile once",
        "内核写入全局内存的字节数是输出的 {seen:.3g} 倍；要求不超过 {limit:.3g} 倍，"
        "每个数据块只写一次",
    ),
    "ub_used": (
        "the tiles take {seen:.3g} % of UB; asked is at least {limit:.3g} %: a larger tile fits",
        "数据块占 UB 的 {seen:.3g} %；要求不低于 {limit:.3g} %：还放得下更大的数据块",
    ),
    "ub_asked": (
        "all tiles side by side would take {seen:.3g} % of UB; asked is at least {limit:.3g} %: "
        "each step of the chain has a tile of its own",
        "所有数据块并排放置会占 UB 的 {seen:.3g} %；要求不低于 {limit:.3g} %："
        "每一步都有自己的数据块",
    ),
    "changed_ops": (
        "{seen:.0f} operations differ from the given kernel; asked is at most {limit:.0f}: mend "
        "it, do not write it anew",
        "与给出的内核相比有 {seen:.0f} 个运算不同；要求不超过 {limit:.0f} 个：请修改，不要重写",
    ),
    "load_overlap": (
        "during {seen:.3g} % of the vector work the same core loads; asked is at least "
        "{limit:.3g} %: a pipe waits for more than it needs",
        "vector 工作的 {seen:.3g} % 时间里同一个核也在载入；要求不低于 {limit:.3g} %："
        "有流水等待了不必等的东西",
    ),
    "products_ahead": (
        "{seen:.0f} products are stored before the first weights are; asked is at least "
        "{limit:.0f}: the cube core runs ahead",
        "第一份权重写出之前写出了 {seen:.0f} 个乘积；要求不少于 {limit:.0f} 个：cube 核要走在前面",
    ),
    "cube_idle": (
        "the cube core waits {seen:.3g} % as long as it works; asked is at most {limit:.3g} %",
        "cube 核等待的时间是工作时间的 {seen:.3g} %；要求不超过 {limit:.3g} %",
    ),
    "hidden_work": (
        "during {seen:.3g} % of the time of the other pipes the busiest one works too; asked is at "
        "least {limit:.3g} %: let work go on while something is loaded or handed over",
        "其他流水工作的时间里，最忙的流水有 {seen:.3g} % 也在工作；要求不低于 {limit:.3g} %："
        "载入或交接时让计算继续",
    ),
    "busiest_vector_core": (
        "one vector core stores {seen:.3g} % of all rows; asked is at most {limit:.3g} %: half "
        "for each",
        "一个 vector 核写出全部行的 {seen:.3g} %；要求不超过 {limit:.3g} %：两个核各做一半",
    ),
    "busiest_block": (
        "one block stores {seen:.3g} times the tiles of a fair share; asked is at most "
        "{limit:.3g} times: share the tiles out over all blocks",
        "有一个逻辑块写出的数据块是平均份额的 {seen:.3g} 倍；要求不超过 {limit:.3g} 倍："
        "把数据块分给所有逻辑块",
    ),
    "blocks_started": (
        "the grid has {seen:.3g} times the blocks that are asked for; the number of blocks is "
        "given, so a block takes several tiles in a loop",
        "网格里的逻辑块是要求的 {seen:.3g} 倍；块数是给定的，所以一个块要用循环处理多个数据块",
    ),
    "is_placed": (
        "a tile lies in a memory where its user cannot work: factors of T.gemm belong in L1, its "
        "result in L0C, tiles of the vector cores in UB",
        "有数据块放在使用者无法工作的存储里：T.gemm 的因子放在 L1，结果放在 L0C，"
        "vector 核的数据块放在 UB",
    ),
    "are_apart": (
        "two blocks write the same elements of a workspace; asked is a slice for each block, "
        "since blocks run at the same time",
        "两个逻辑块写了工作区的同一些元素；要求每个逻辑块各有一片，因为它们同时运行",
    ),
    "bytes_read": (
        "the kernel reads {seen:.3g} times the bytes of its input from global memory; asked is at "
        "most {limit:.3g} times",
        "内核从全局内存读取的字节数是输入的 {seen:.3g} 倍；要求不超过 {limit:.3g} 倍",
    ),
    "product_work": (
        "the products take {seen:.3g} of the work of all tiles; asked is at most {limit:.3g}: "
        "leave out tiles that do not count",
        "乘积的工作量是全部数据块的 {seen:.3g}；要求不超过 {limit:.3g}：跳过不起作用的数据块",
    ),
    "scalar_elements": (
        "elements are read or written one by one, {seen:,.0f} times; asked are vector operations: "
        "see what the note of NpuLoopVectorize says of the loop",
        "元素被一个一个地读写了 {seen:,.0f} 次；要求使用向量运算：看看 NpuLoopVectorize "
        "的注记对这个循环怎么说",
    ),
}
