"""T.Kernel, T.Scope and T.rs: the blocks in which a kernel's work stands."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, Region, SSAValue

from tlcourse.dialects import tl
from tlcourse.language.affine import Index, ssa
from tlcourse.language.buffers import index_of, known
from tlcourse.language.builder import Builder, builder
from tlcourse.language.calls import expression, statement
from tlcourse.language.dtype_rules import INDEX
from tlcourse.language.frames import Frame, FrameKind
from tlcourse.language.names import near_name
from tlcourse.language.pipes import warn_of_pipe
from tlcourse.language.scalar import Expr

CORES: dict[str, tl.Core] = {"Cube": "cube", "Vector": "vector"}


@dataclass(frozen=True, kw_only=True)
class KernelFrame(Frame):
    """`with T.Kernel(..)`: the grid of blocks."""

    grid: tuple[Index, ...]
    is_npu: bool
    kind: FrameKind = "kernel"

    def open(self, build: Builder) -> Generator[object]:
        """Yields the block indices, and vid behind them in the NPU form."""
        grid = self._extents()
        block = Block(arg_types=[i32] * (len(grid) + 1))
        for arg, name in zip(block.args, _argument_names(len(grid)), strict=True):
            arg.name_hint = name
        build.emit(tl.KernelOp(grid, Region(block)))
        build.in_kernel = True
        with build.inside(block):
            yield self._value(tuple(Expr(arg, INDEX) for arg in block.args))
        build.in_kernel = False

    def _extents(self) -> list[SSAValue]:
        """The extents of the op: a third dimension of the GPU form is joined to the second."""
        first, *others = [ssa(extent) for extent in self.grid]
        if len(others) < 2:
            return [first, *others]
        joined = builder().emit(arith.MuliOp(others[0], others[1])).result
        return [first, joined]

    def _value(self, indices: tuple[Expr, ...]) -> object:
        if self.is_npu:
            return indices
        if len(self.grid) < 3:
            return indices[0] if len(self.grid) == 1 else list(indices[:-1])
        second = self.grid[1]
        return [indices[0], indices[1] % second, indices[1] // second]


@dataclass(frozen=True, kw_only=True)
class ScopeFrame(Frame):
    """`with T.Scope("Cube")`: code for one kind of core."""

    core: tl.Core
    kind: FrameKind = "scope"

    def open(self, build: Builder) -> Generator[object]:
        """Yields nothing of use."""
        block = Block()
        build.emit(tl.ScopeOp(self.core, Region(block)))
        build.cores.append(self.core)
        with build.inside(block):
            yield None
        build.cores.pop()


@dataclass(frozen=True, kw_only=True)
class PipeFrame(Frame):
    """`with T.rs("PIPE_V")`: names the pipe of the flag and sync calls inside."""

    pipe: str
    kind: FrameKind = "pipe"

    def open(self, build: Builder) -> Generator[object]:
        """Yields nothing of use; no op is emitted."""
        build.pipes.append(self.pipe)
        yield None
        build.pipes.pop()


@expression
def Kernel(
    *blocks: object,
    threads: object = None,
    is_cpu: bool = False,
    prelude: object = None,
    is_npu: bool = False,
    pipeline: bool = False,
) -> Frame:
    """The grid of a kernel: `with T.Kernel(m_num * n_num, is_npu=True) as (cid, vid):`.

    Args:
        blocks: one or two extents. The first counts logical blocks, which run on the cores in
            waves; the second is a loop around the body of each block. The GPU form takes a
            third one, a loop around the second.
        threads: accepted as upstream does, without effect: a core has no threads.
        is_cpu: accepted as upstream does, without effect.
        prelude: accepted as upstream does, without effect.
        is_npu: the NPU form, which yields `vid` (0 or 1, the vector core of the block) behind
            the block indices. Without it the GPU form: one index for one extent, else a list
            of them, and no vid.
        pipeline: accepted as upstream does, without effect.

    Raises:
        TL110: the kernel has a T.Kernel already.
        TL111: the grid has no extent, or more than two.
        TL112: an extent is a number below 1.
    """
    build = builder()
    _check_single(build)
    if not 1 <= len(blocks) <= (2 if is_npu else 3):
        raise build.fail(
            "TL111",
            f"T.Kernel has {len(blocks)} extents",
            why="the grid of an NPU kernel is 1-D or 2-D; the GPU form may be 3-D",
            fix="multiply extents, T.Kernel(nx * ny, is_npu=True), and take // and % of cid",
        )
    grid = tuple(index_of(extent, "an extent of T.Kernel") for extent in blocks)
    for axis, extent in enumerate(grid):
        _check_positive(build, known(extent), f"blocks{axis}")
    build.kernels.append(build.span)
    return KernelFrame(grid=grid, is_npu=is_npu)


@statement
def Scope(name: str) -> Frame:
    """Code for one kind of core: `with T.Scope("Cube"):` or `with T.Scope("Vector"):`.

    Args:
        name: "Cube" for the cube core (AIC), "Vector" for the vector cores (AIV) of the block.

    Raises:
        TL113: another name, or a scope inside a scope.
    """
    build = builder()
    if name not in CORES:
        hint = near_name(str(name), CORES)
        raise build.fail(
            "TL113",
            f"there is no core {name!r}",
            why="a block has a cube core and two vector cores",
            fix=f'{hint}write T.Scope("Cube") or T.Scope("Vector")',
            at={"name": ""},
        )
    if build.cores:
        raise build.fail(
            "TL113",
            f'T.Scope("{name}") stands inside another T.Scope',
            why="code belongs to one kind of core",
            fix="put the two scopes one after the other",
        )
    return ScopeFrame(core=CORES[name])


@statement
def rs(pipe: str) -> Frame:
    """Names the pipe that runs the flag and sync calls inside: `with T.rs("PIPE_MTE2"):`.

    Args:
        pipe: for example PIPE_MTE2, PIPE_V, PIPE_MTE3, PIPE_FIX. One that does not exist is a
            warning (TL114), and an error where a flag or sync call stands inside.

    Raises:
        TL114: it is no text.
    """
    warn_of_pipe(pipe)
    return PipeFrame(pipe=pipe)


ResourceSpecialize = rs


def _argument_names(dimensions: int) -> tuple[str, ...]:
    return ("cid", "vid") if dimensions == 1 else ("bx", "by", "vid")


def _check_single(build: Builder) -> None:
    if build.kernels:
        raise build.fail(
            "TL110",
            "the kernel has a second T.Kernel",
            why="one T.prim_func is one launch with one grid",
            fix="write a second T.prim_func, or join the two bodies",
        )
    if build.block.parent is not None:
        raise build.fail(
            "TL110",
            "T.Kernel stands inside a loop or branch",
            why="the grid is laid out once, before anything runs",
            fix="put the loop or branch into the body of T.Kernel",
        )


def _check_positive(build: Builder, extent: int | None, parameter: str) -> None:
    if extent is None or extent > 0:
        return
    raise build.fail(
        "TL112",
        f"the grid has {extent} blocks",
        why="a launch needs at least one block; a quotient such as M // block_M is 0 for M < "
        "block_M",
        fix="count blocks with T.ceildiv(M, block_M) and treat the tail with T.min",
        at={parameter: f"this is {extent}"},
    )
