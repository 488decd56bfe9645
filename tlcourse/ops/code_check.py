"""Reads the Python text of a Program before it runs, and lets nothing through but tile code.

Hashes tell whether a package is the one that was built; this tells whether what was built is a
kernel at all. Allowed is a short list of statements, torch functions and tensor methods.
"""

from __future__ import annotations

import ast
from functools import cache

from tlcourse.ops.refusals import no_kernel_code
from tlcourse.records import Program

_STATEMENTS = (
    ast.FunctionDef, ast.arguments, ast.arg, ast.Return, ast.Assign, ast.AugAssign, ast.For,
    ast.While, ast.If, ast.Expr, ast.Pass, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom,
    ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Compare, ast.Call, ast.keyword,
    ast.Constant, ast.Attribute, ast.Subscript, ast.Starred, ast.Name, ast.List, ast.Tuple,
    ast.Slice, ast.Dict, ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop,
)  # fmt: skip
_BUILTINS = frozenset({"abs", "bool", "divmod", "float", "int", "len", "max", "min", "range"})
_TORCH = frozenset(
    """abs add addmm arange atan2 bfloat16 bitwise_and bitwise_left_shift bitwise_not bitwise_or
    bitwise_right_shift bitwise_xor bool ceil clamp clamp_min cos div empty eq erf exp exp2
    float16 float32 float64 floor full ge gt int16 int32 int64 int8 isnan le log log2 lt maximum
    minimum mm mul ne neg ones pow reciprocal remainder round rsqrt sigmoid sin sqrt sub tanh
    tensor trunc uint16 uint32 uint64 uint8 where zeros zero_""".split()
)
_METHODS = frozenset(
    """T mT add_ addmm_ as_strided barrier baddbmm_ block check clamp_min_ clone contiguous copy_
    disagree dim double expand fill_ flatten float gather grid groups index item iteration load mul_
    n numel outside permute print reshape select set shape show size squeeze steps storage_offset
    store stray_index stride sub_ t to transpose unsqueeze vid view wait zero_""".split()
)


def check_program(program: Program, path: str) -> None:
    """Reads all code of a Program.

    Args:
        program: what a file held.
        path: the file, for messages.

    Raises:
        TL482: the code would do what no kernel does.
    """
    batched = program.options.get("batched")
    sources = [code.source for code in program.agents]
    sources += [batched["source"]] if batched else []
    for source in sources:
        _check_source(source, path)


def _check_source(source: str, path: str) -> None:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError) as problem:
        raise no_kernel_code(path, f"it is no Python: {problem}") from None
    is_run = len(tree.body) == 1 and isinstance(tree.body[0], ast.FunctionDef)
    if not is_run:
        raise no_kernel_code(path, "it is not one function")
    known = _local_names(tree) | _helpers() | _BUILTINS
    for node in ast.walk(tree.body[0]):
        wrong = _fault(node, known)
        if wrong:
            raise no_kernel_code(path, f"line {getattr(node, 'lineno', 0)} {wrong}")


def _fault(node: ast.AST, known: frozenset[str]) -> str:
    """What is wrong with one node of the syntax tree; empty if nothing is."""
    if not isinstance(node, _STATEMENTS):
        return f"has a {type(node).__name__}"
    if isinstance(node, ast.FunctionDef) and (node.name != "run" or _is_more_than_code(node)):
        return f"defines {node.name}"
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in known:
        return f"uses {node.id}"
    if isinstance(node, ast.Attribute):
        return _attribute_fault(node)
    return ""


def _attribute_fault(node: ast.Attribute) -> str:
    if not isinstance(node.ctx, ast.Load):
        return f"assigns to .{node.attr}"
    allowed = _METHODS
    if isinstance(node.value, ast.Name) and node.value.id in ("torch", "numeric"):
        allowed = _TORCH if node.value.id == "torch" else _numeric()
    return "" if node.attr in allowed else f"uses .{node.attr}"


def _is_more_than_code(node: ast.FunctionDef) -> bool:
    """Decorators, defaults and annotations run when a function is defined."""
    given = node.args
    parts = (node.decorator_list, given.defaults, given.kw_defaults, node.returns, given.kwonlyargs)
    return any(parts) or any(argument.annotation for argument in given.args)


def _local_names(tree: ast.AST) -> frozenset[str]:
    """Names that the code binds itself. Those of helpers keep their meaning."""
    nodes = list(ast.walk(tree))
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return frozenset(stored | {n.arg for n in nodes if isinstance(n, ast.arg)})


@cache
def _helpers() -> frozenset[str]:
    """What the executor defines for generated code, and the two modules it may ask."""
    from tlcourse.functional import batched_tiles, numbers, runtime

    found = {"torch", "numeric", "inf", "nan"}
    for module in (numbers, runtime, batched_tiles):
        named = vars(module).items()
        home = module.__name__
        found |= {name for name, value in named if getattr(value, "__module__", "") == home}
    return frozenset(name for name in found if not name.startswith("_"))


@cache
def _numeric() -> frozenset[str]:
    from tlcourse import tile_math

    named = vars(tile_math).items()
    own = {n for n, value in named if getattr(value, "__module__", "") == tile_math.__name__}
    return frozenset(name for name in own if not name.startswith("_"))
