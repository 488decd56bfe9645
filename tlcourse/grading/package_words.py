"""The fixed texts of verdicts on packages, each in English and in Chinese."""

from __future__ import annotations

PACKAGE_WORDS: dict[str, tuple[str, str]] = {
    "rule precompiled": ("precompiled", "预编译"),
    "precompiled holds": ("the artefacts are those of the kernels", "产物与内核一致"),
    "not precompiled": (
        "the package was not precompiled after its kernels were written ({what})",
        "写好内核之后没有预编译（{what}）",
    ),
    "rule registered": ("registered", "注册"),
    "registered holds": (
        "torch has the operator once the package is imported",
        "导入包之后 torch 有这个算子",
    ),
    "not registered": (
        "torch.ops.{package} has no {operator} after the import: the registry lacks it",
        "导入之后 torch.ops.{package} 中没有 {operator}：注册表里缺少它",
    ),
    "package stops": ("the package stops: {what}", "算子包中断：{what}"),
    "rule alone": ("loads alone", "独立载入"),
    "alone holds": ("loading brings no compiler", "载入时不带编译器"),
    "brings compiler": (
        "importing the package also imports {module}, which only compiling needs",
        "导入包时还导入了 {module}，只有编译才需要它",
    ),
    "rule operator": ("the operator", "算子"),
    "operator holds": (
        "calls give what torch gives, and follow the kernel",
        "调用结果与 torch 一致，并且来自内核",
    ),
    "operator wrong": (
        "a call of {operator} gives something else than torch",
        "调用 {operator} 的结果与 torch 不同",
    ),
    "not its kernel": (
        "{operator} gives the same whatever its kernel computes",
        "不管内核计算什么，{operator} 的结果都一样",
    ),
    "rule tests": ("its tests", "包的测试"),
    "tests holds": (
        "the tests pass, and each fails on every broken copy",
        "测试通过，并且在每个坏副本上都失败",
    ),
    "no tests": (
        "there is no test in tests/test_{operator}.py that runs: {what}",
        "tests/test_{operator}.py 中没有可运行的测试：{what}",
    ),
    "tests fail": ("the tests fail on the package as it is: {what}", "测试在原包上失败：{what}"),
    "tests miss scaled": (
        "the tests pass on a copy whose results are twice too large",
        "副本的结果大了一倍，测试仍然通过",
    ),
    "tests miss last row": (
        "the tests pass on a copy whose last row is 0",
        "副本的最后一行是 0，测试仍然通过",
    ),
    "tests miss last input": (
        "the tests pass on a copy that takes its last input for 1",
        "副本把最后一个输入当作 1，测试仍然通过",
    ),
    "rule lines": ("lines of the model", "模型的改动行"),
    "lines holds": ("two lines are new, the rest is as it was", "只有两行是新的，其余不变"),
    "model untouched": ("model.py is as it was given", "model.py 还是原样"),
    "lines changed": (
        "{new} lines of model.py are new and {gone} are gone; asked is at most {most}",
        "model.py 中新增 {new} 行、删去 {gone} 行；要求不超过 {most} 行",
    ),
    "rule model": ("logits", "logits"),
    "model holds": (
        "logits are torch's at each step, and follow the kernel",
        "每一步的 logits 与 torch 一致，并且来自内核",
    ),
    "old operator": (
        "no kernel of {package} runs in the model: it still calls its old {operator}",
        "模型中没有运行 {package} 的内核：它仍在调用原来的 {operator}",
    ),
    "logits differ": (
        "the logits of step {step} differ from those of torch",
        "第 {step} 步的 logits 与 torch 的不同",
    ),
    "logits blind": (
        "the logits do not follow the kernel of {operator}: a call does not reach {package}",
        "logits 没有跟随 {operator} 的内核：有的调用没有到达 {package}",
    ),
}
