"""Statements: blocks, loops, branches and calls for their effect."""

from __future__ import annotations

import ast
from contextlib import ExitStack

from xdsl.dialects import scf
from xdsl.ir import Block, Region

from tlcourse.language.assertions import check_assertion
from tlcourse.language.buffers import describe
from tlcourse.language.frames import Frame, Loop, loop_nest, opened
from tlcourse.language.parser.assignments import annotated, assign, augmented, bind
from tlcourse.language.parser.remainders import warn_of_remainders
from tlcourse.language.parser.tracer import Statements, Tracer
from tlcourse.language.scalar import Operand
from tlcourse.language.scalar_functions import condition


def _expression(tracer: Tracer, node: ast.stmt) -> None:
    assert isinstance(node, ast.Expr)
    tracer.evaluate(node.value)


def _nothing(tracer: Tracer, node: ast.stmt) -> None:
    del tracer, node


def _with(tracer: Tracer, node: ast.stmt) -> None:
    assert isinstance(node, ast.With)
    with ExitStack() as stack:
        for item in node.items:
            frame = tracer.evaluate(item.context_expr)
            if not isinstance(frame, Frame):
                raise _no_frame(tracer, item, frame)
            warn_of_remainders(tracer, item.context_expr)
            value = stack.enter_context(opened(frame, tracer.build))
            stack.enter_context(tracer.block(frame.kind))
            if item.optional_vars is not None:
                bind(tracer, item.optional_vars, value, as_let=False)
        tracer.run(node.body)


def _for(tracer: Tracer, node: ast.stmt) -> None:
    assert isinstance(node, ast.For)
    loop = tracer.evaluate(node.iter)
    if not isinstance(loop, Loop):
        raise _no_loop(tracer, node, loop)
    warn_of_remainders(tracer, node.iter)
    with loop_nest(loop, tracer.build) as variables, tracer.block("loop"):
        with tracer.build.at(tracer.span(node.target)):
            bind(
                tracer,
                node.target,
                variables[0] if len(variables) == 1 else variables,
                as_let=False,
            )
        tracer.run(node.body)


def _if(tracer: Tracer, node: ast.stmt) -> None:
    assert isinstance(node, ast.If)
    value = tracer.evaluate(node.test)
    if not isinstance(value, Operand):
        # Decided now: the other branch is not read, so it may hold what does not fit here.
        tracer.run(node.body if value else node.orelse)
        return
    with tracer.build.at(tracer.span(node.test)):
        cond = condition(value)
    then, other = Region(Block()), Region(Block() if node.orelse else ())
    tracer.build.emit(scf.IfOp(cond.value, (), then, other))
    _branch(tracer, then, node.body)
    if node.orelse:
        _branch(tracer, other, node.orelse)


def _branch(tracer: Tracer, region: Region, body: list[ast.stmt]) -> None:
    with tracer.build.inside(region.block):
        with tracer.block("branch"):
            tracer.run(body)
        tracer.build.emit(scf.YieldOp())


def _assert(tracer: Tracer, node: ast.stmt) -> None:
    assert isinstance(node, ast.Assert)
    value = tracer.evaluate(node.test)
    message = str(tracer.evaluate(node.msg)) if node.msg else ""
    check_assertion(value, message)


def _return(tracer: Tracer, node: ast.stmt) -> None:
    assert isinstance(node, ast.Return)
    if tracer.is_macro:
        tracer.returned = tracer.evaluate(node.value) if node.value else None
        return
    raise tracer.build.fail(
        "TL103",
        "a kernel returns nothing",
        why="its results are the tensors that it writes",
        fix="add a tensor parameter and copy the result to it; out_idx makes it an output",
    )


def _while(tracer: Tracer, node: ast.stmt) -> None:
    raise tracer.build.fail(
        "TL103",
        "a kernel has no `while`",
        why="no code generator has it: the number of iterations must be known before a loop",
        fix="write `for i in T.serial(n):` with the largest number, and `if` inside",
    )


def _jump(tracer: Tracer, node: ast.stmt) -> None:
    word = "break" if isinstance(node, ast.Break) else "continue"
    raise tracer.build.fail(
        "TL103",
        f"a kernel has no `{word}`",
        why="a loop of the NPU runs all its iterations",
        fix="put the rest of the body under an `if`",
    )


def _no_frame(tracer: Tracer, item: ast.withitem, value: object) -> Exception:
    with tracer.build.at(tracer.span(item.context_expr)):
        return tracer.build.fail(
            "TL103",
            f"`with` gets {describe(value)}",
            why="in a kernel it opens T.Kernel, T.Scope, T.rs, or T.If with T.Then and T.Else",
            fix="write `with T.Kernel(blocks, is_npu=True) as (cid, vid):`",
        )


def _no_loop(tracer: Tracer, node: ast.For, value: object) -> Exception:
    with tracer.build.at(tracer.span(node.iter)):
        return tracer.build.fail(
            "TL103",
            f"`for` gets {describe(value)}",
            why="a loop of a kernel counts: it is range, T.serial, T.Pipelined, T.Parallel, "
            "T.grid, T.unroll, T.vectorized or T.parallel",
            fix="write `for i in T.serial(n):`",
        )


STATEMENTS: Statements = {
    ast.Expr: _expression,
    ast.Pass: _nothing,
    ast.With: _with,
    ast.For: _for,
    ast.If: _if,
    ast.Assign: assign,
    ast.AnnAssign: annotated,
    ast.AugAssign: augmented,
    ast.Assert: _assert,
    ast.Return: _return,
    ast.While: _while,
    ast.Break: _jump,
    ast.Continue: _jump,
}
