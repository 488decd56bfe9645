"""The body of a mixed loop as a graph: who needs what, and which core does it.

A node is one op, or all ops around a buffer that a load fills. Ops that need no core and no
tile (indices, views of global memory, empty tiles) are no nodes: every work item that needs
one gets its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from xdsl.dialects import arith, memref, scf, tensor
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import is_side_effect_free

from tlcourse.dialects.annotation import MarkOp
from tlcourse.dialects.bufferization import ToTensorOp
from tlcourse.dialects.hivm.base import PipeOp
from tlcourse.dialects.hivm.dma import FixpipeOp, LoadOp, StoreOp
from tlcourse.dialects.memref_ext import AllocWorkspaceOp
from tlcourse.passes.npuir.buffers import roots, users
from tlcourse.passes.npuir.cube_vector import Core, core_of

_TILE_VIEWS = (
    tensor.ExtractSliceOp,
    tensor.InsertSliceOp,
    tensor.CollapseShapeOp,
    tensor.ExpandShapeOp,
    arith.SelectOp,
)


@dataclass(eq=False, kw_only=True)
class Node:
    """Ops that stay together.

    Args:
        ops: the ops in program order.
        core: the core that runs them.
        level: how many borders between the cores lie before it.
    """

    ops: list[Operation]
    core: Core
    level: int = 0
    sources: list[tuple[Node, int]] = field(default_factory=lambda: list[tuple["Node", int]]())


@dataclass(kw_only=True)
class Graph:
    """The nodes of a loop body in program order.

    Args:
        loop: the loop.
        nodes: its nodes.
        of: the node of each op that belongs to one.
        workspaces: the tiles that carry values over a border, by the op that fills each.
    """

    loop: scf.ForOp
    nodes: list[Node] = field(default_factory=lambda: list[Node]())
    of: dict[Operation, Node] = field(default_factory=lambda: dict[Operation, Node]())
    workspaces: dict[Operation, AllocWorkspaceOp] = field(
        default_factory=lambda: dict[Operation, AllocWorkspaceOp]()
    )

    @property
    def body(self) -> Block:
        """The body of the loop."""
        return self.loop.body.block

    def node_of(self, value: SSAValue) -> Node | None:
        """The node that makes a value; None for one from outside, or that any item can make."""
        return self.of.get(value.owner) if isinstance(value.owner, Operation) else None

    def yielded(self) -> list[SSAValue]:
        """What an iteration hands to the next."""
        last = self.body.last_op
        assert isinstance(last, scf.YieldOp)
        return list(last.operands)


def graph_of(loop: scf.ForOp) -> Graph | None:
    """The graph of a loop body; None where the pass does not understand an op."""
    graph = Graph(loop=loop)
    for op in _inner_ops(loop):
        if op in graph.of or is_workspace_part(op):
            continue
        needed = [node for value in reads_of(op) if (node := graph.node_of(value))]
        core = _core(op, needed)
        cluster = list(_cluster(op))
        if core is None and not needed and not cluster:
            if not _is_free(op):
                return None
            continue
        node = _node(cluster or [op], core)
        if node is None:
            return None
        graph.nodes.append(node)
        graph.of |= dict.fromkeys(node.ops, node)
        for inner in node.ops:
            if not _note_workspace(inner, graph):
                return None
    return graph if all(_connect(node, graph) for node in graph.nodes) else None


def reads_of(op: Operation) -> Iterator[SSAValue]:
    """What an op reads, inside its regions as well."""
    for inner in op.walk():
        yield from inner.operands


def is_workspace_part(op: Operation) -> bool:
    """Whether an op only names a workspace tile: its allocation, its mark, its tensor."""
    if isinstance(op, AllocWorkspaceOp):
        return True
    if isinstance(op, (ToTensorOp, MarkOp)):
        return isinstance(op.operands[0].owner, AllocWorkspaceOp)
    return False


def _inner_ops(loop: scf.ForOp) -> list[Operation]:
    return [op for op in loop.body.block.ops if not isinstance(op, scf.YieldOp)]


def _core(op: Operation, needed: Iterable[Node]) -> Core | None:
    """The core of an op; of a slice, that of whoever makes the tile."""
    cores: set[Core] = {core for inner in op.walk() if (core := core_of(inner))}
    if isinstance(op, _TILE_VIEWS):
        cores |= {node.core for node in needed}
    return cores.pop() if len(cores) == 1 else None


def _node(ops: list[Operation], core: Core | None) -> Node | None:
    cores: set[Core] = {found for op in ops if (found := _core(op, ()))}
    if core is not None:
        cores.add(core)
    return Node(ops=ops, core=cores.pop()) if len(cores) == 1 else None


def _cluster(op: Operation) -> Iterator[Operation]:
    """All ops of the loop body around a buffer that one of them fills."""
    if not isinstance(op, memref.AllocOp):
        return
    body = op.parent
    assert body is not None
    around = {op} | {body.find_ancestor_op_in_block(user) for user in users(op.memref)}
    yield from (inner for inner in body.ops if inner in around)


def _is_free(op: Operation) -> bool:
    return not op.regions and is_side_effect_free(op) and not isinstance(op, PipeOp)


def _note_workspace(op: Operation, graph: Graph) -> bool:
    """Notes which tile an op fills; False where it writes what others may read."""
    if isinstance(op, (FixpipeOp, StoreOp)) and op.results:
        tile = op.dst.owner
        place = tile.memref.owner if isinstance(tile, ToTensorOp) else None
        if not isinstance(place, AllocWorkspaceOp) or place.parent is not op.parent:
            return False
        if len(list(op.results[0].uses)) != 1:
            return False  # both cores read it
        graph.workspaces[op] = place
    return True


def _connect(node: Node, graph: Graph) -> bool:
    """Notes what a node needs; False where a value crosses between the cores without a tile."""
    for value in (value for op in node.ops for value in reads_of(op)):
        source = graph.node_of(value)
        if source is None or source is node:
            continue
        if source.core != node.core and value.owner not in graph.workspaces:
            return False
        node.sources.append((source, int(source.core != node.core)))
    return True


def global_buffers(node: Node, kinds: tuple[type[Operation], ...]) -> set[SSAValue]:
    """The buffers in global memory that loads, or stores, of a node touch."""
    found: set[SSAValue] = set()
    for op in (inner for op in node.ops for inner in op.walk()):
        if isinstance(op, kinds):
            side = op.operands[0] if isinstance(op, LoadOp) else op.operands[1]
            if isinstance(side.type, MemRefType):
                found.update(roots(side))
    return found
