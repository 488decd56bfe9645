"""Cutting the body of a mixed loop into work items.

Each border between the cores starts a new item: what lies before it fills a workspace tile,
what lies behind it reads the tile.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue

from tlcourse.dialects.hivm.dma import FixpipeOp, LoadOp, StoreOp
from tlcourse.passes.npuir.cube_vector import Core
from tlcourse.passes.npuir.pipelining.nodes import Graph, Node, global_buffers, reads_of

_ORDER: dict[Core, int] = {"CUBE": 0, "VECTOR": 1}


@dataclass(eq=False, kw_only=True)
class WorkItem:
    """What one core does between two borders.

    Args:
        core: the core.
        ops: its ops in program order.
        carried: positions of the loop's carried values that live in it.
        handed_on: values that later items of the same core read.
    """

    core: Core
    ops: list[Operation]
    carried: list[int]
    handed_on: list[SSAValue]


def work_items(graph: Graph) -> list[WorkItem] | None:
    """The work items of a loop in their order; None where the loop cannot be cut."""
    groups = _carried_groups(graph)
    if groups is None or not _settle(graph, list(groups.values())):
        return None
    _sink(graph, list(groups.values()))
    keys = sorted({_key(node) for node in graph.nodes})
    if len({order for _, order in keys}) < len(_ORDER) or not _keeps_memory_order(graph):
        return None
    items = [_item(graph, key, groups) for key in keys]
    return items if all(_can_hand_on(item) for item in items) else None


def _key(node: Node) -> tuple[int, int]:
    return node.level, _ORDER[node.core]


def _carried_groups(graph: Graph) -> dict[int, list[Node]] | None:
    """By position of a carried value, the nodes that use or make it: they share an item."""
    groups: dict[int, list[Node]] = {}
    for index, made in enumerate(graph.yielded()):
        argument = graph.body.args[index + 1]
        using = [node for node in graph.nodes if any(argument in reads_of(op) for op in node.ops)]
        maker = graph.node_of(made)
        if maker is None and (made is not argument or using):
            return None
        group = [*using, *([maker] if maker is not None else [])]
        if any(node.core == "CUBE" for node in group):
            return None  # L0C has no room for several sums
        groups[index] = group
    return groups


def _settle(graph: Graph, groups: Sequence[Sequence[Node]]) -> bool:
    """Gives each node the lowest level that all rules allow; False where there is none."""
    limit = len(graph.nodes)
    changed = True
    while changed:
        changed = False
        for node in graph.nodes:
            lowest = max((source.level + border for source, border in node.sources), default=0)
            changed |= _raise(node, lowest)
        for group in groups:
            for node in group:
                changed |= _raise(node, max(other.level for other in group))
        if any(node.level > limit for node in graph.nodes):
            return False
    return True


def _raise(node: Node, level: int) -> bool:
    if node.level >= level:
        return False
    node.level = level
    return True


def _sink(graph: Graph, groups: Sequence[Sequence[Node]]) -> None:
    """Moves nodes down to their first reader, so that fewer values have to be kept."""
    fixed = {node for group in groups for node in group}
    readers: dict[Node, list[int]] = {}
    for node in reversed(graph.nodes):
        if node not in fixed and node in readers:
            node.level = min(readers[node])
        for source, border in node.sources:
            readers.setdefault(source, []).append(node.level - border)


def _keeps_memory_order(graph: Graph) -> bool:
    """Whether no buffer in global memory is stored to in one item and touched in another."""
    stored = {node: global_buffers(node, (StoreOp, FixpipeOp)) for node in graph.nodes}
    touched = {node: stored[node] | global_buffers(node, (LoadOp,)) for node in graph.nodes}
    return not any(
        stored[a] & touched[b] for a in graph.nodes for b in graph.nodes if _key(a) != _key(b)
    )


def _item(graph: Graph, key: tuple[int, int], groups: dict[int, list[Node]]) -> WorkItem:
    nodes = [node for node in graph.nodes if _key(node) == key]
    inside = {op for node in nodes for op in node.ops}
    others = [op for op in graph.of if op not in inside]
    read_later = {value for op in others for value in reads_of(op)}
    made = [value for op in graph.body.ops if op in inside for value in op.results]
    return WorkItem(
        core=nodes[0].core,
        ops=[op for op in graph.body.ops if op in inside],
        carried=[index for index, group in groups.items() if group and group[0] in nodes],
        handed_on=[
            value for value in made if value in read_later and value.owner not in graph.workspaces
        ],
    )


def _can_hand_on(item: WorkItem) -> bool:
    """Vector tiles of fixed shape can be kept in copies; what the cube core made cannot."""
    tiles = all(
        isinstance(value.type, TensorType) and value.type.has_static_shape()
        for value in item.handed_on
    )
    return tiles and not (item.handed_on and item.core == "CUBE")
