"""The learner's side of exercises that ask for something else than a kernel.

An answer is a dictionary of words, IR is a text, a written answer is a text, and a pass is a
class that changes modules; each becomes one text, which is what is sealed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Set
from typing import cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern

from tlcourse.diagnostics import TLError, error
from tlcourse.dialects.text import context, from_text, to_text
from tlcourse.grading.rebuilt import check_order


def text_of(kind: str, entry: str, function: object) -> str:
    """What the learner's function hands over, as the text that is sealed.

    Raises:
        TL608: it hands over something else than asked.
    """
    if not callable(function) or isinstance(function, type):
        raise other_than_asked(entry, f"it is a {type(function).__name__}, not a function")
    value = cast(Callable[[], object], function)()
    return _words(entry, value) if kind == "answer" else _text(entry, value)


def _words(entry: str, value: object) -> str:
    if not isinstance(value, dict):
        raise other_than_asked(entry, f"it returns a {type(value).__name__}, not a dictionary")
    table = cast(dict[object, object], value)
    # `str.__str__` takes a word's own letters, whatever a class of the learner's makes of it.
    pairs = {
        str.__str__(key): str.__str__(word)
        for key, word in table.items()
        if isinstance(key, str) and isinstance(word, str)
    }
    if len(pairs) != len(table):
        raise other_than_asked(entry, "its dictionary holds something that is no string")
    return json.dumps(pairs, sort_keys=True, ensure_ascii=False)


def _text(entry: str, value: object) -> str:
    if not isinstance(value, str):
        raise other_than_asked(entry, f"it returns a {type(value).__name__}, not a string")
    return str.__str__(value)


def rewritten(entry: str, kind: object, text: str) -> str:
    """What the learner's pass or pattern makes of a module.

    Args:
        entry: name of the class.
        kind: the class: a `RewritePattern` or a `ModulePass`.
        text: the module.

    Raises:
        TL608: it is neither, or what it leaves does not verify.
    """
    if not isinstance(kind, type) or not issubclass(kind, RewritePattern | ModulePass):
        what = kind.__name__ if isinstance(kind, type) else type(kind).__name__
        raise other_than_asked(entry, f"{what} is no class of RewritePattern or ModulePass")
    ctx = context()
    module = from_text(text, ctx=ctx)
    given = set(module.walk())
    _apply(kind(), ctx, module)
    _check_homes(entry, module, given)
    try:
        module.verify()
        check_order(module, frozenset())
    # A module that is broken makes a verifier fail in any way.
    except Exception as problem:
        what = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise other_than_asked(entry, f"what it leaves does not verify: {what}") from problem
    return to_text(module)


def _check_homes(entry: str, module: ModuleOp, given: Set[Operation]) -> None:
    """TL608: an op takes the result of one that does not stand in the module."""
    inside = set(module.walk())
    for op in module.walk():
        for owner in (operand.owner for operand in op.operands):
            if not isinstance(owner, Operation) or owner in inside:
                continue
            uses = f"{op.name} uses the result of {_named(owner)}"
            if owner in given:
                raise other_than_asked(
                    entry,
                    f"{uses}, which was taken out of the module",
                    fix="give those who use its result another value first, as "
                    "rewriter.replace(op, new_op) does",
                )
            raise other_than_asked(
                entry,
                f"{uses}, which was built but never inserted into the module",
                fix="insert it in front of its first use: rewriter.replace(op, [first, last]) "
                "takes all new operations in their order, "
                "rewriter.insert(new, InsertPoint.before(op)) adds one",
            )


def _named(op: Operation) -> str:
    article = "an" if op.name[0] in "aeiou" else "a"
    return f"{article} {op.name}"


def _apply(one: RewritePattern | ModulePass, ctx: Context, module: ModuleOp) -> None:
    if isinstance(one, ModulePass):
        one.apply(ctx, module)
    else:
        PatternRewriteWalker(_Counted(one)).rewrite_module(module)


_MOST_REWRITES = 10_000


class _Counted(RewritePattern):
    """A pattern that is given up where it never comes to rest."""

    def __init__(self, inner: RewritePattern) -> None:
        self._inner = inner
        self._calls = 0

    def match_and_rewrite(self, op: object, rewriter: PatternRewriter, /) -> None:
        self._calls += 1
        if self._calls > _MOST_REWRITES:
            name = type(self._inner).__name__
            raise other_than_asked(name, f"it still changes ops after {_MOST_REWRITES:,} tries")
        self._inner.match_and_rewrite(op, rewriter)  # pyright: ignore[reportArgumentType]


def other_than_asked(
    entry: str, what: str, fix: str = "keep the form that the stub of the solution cell has"
) -> TLError:
    """TL608: what is handed over cannot be judged."""
    return error(
        "TL608",
        f"{entry} hands over something else than asked: {what}",
        why="what is judged is text: words, IR, or the modules that a pass leaves",
        fix=fix,
    )
