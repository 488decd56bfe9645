"""Which memories a tile can move between, as far as the allocation calls name them.

The table lists moves that no chip of this family has in any mode. Buffers of the Developer
form carry no memory yet; the compiler chooses one, and routes moves through a workspace.
"""

from __future__ import annotations

from dataclasses import dataclass

from tlcourse.language.buffers import Region, Space
from tlcourse.language.builder import builder

_CORE: dict[str, str] = {
    "UB": "the vector core (AIV)",
    "L1": "the cube core (AIC)",
    "L0A": "the cube core (AIC)",
    "L0B": "the cube core (AIC)",
    "L0C": "the cube core (AIC)",
}
_LEGAL: frozenset[tuple[Space, Space]] = frozenset(
    (("GM", "UB"), ("UB", "GM"), ("UB", "UB"), ("GM", "L1"), ("L0C", "GM"))
)


@dataclass(frozen=True, kw_only=True)
class _Advice:
    why: str
    fix: str


_CROSS = _Advice(
    why="the two cores share only global memory; no data path joins UB and the cube core's "
    "memories",
    fix="write the tile to a workspace in GM in one T.Scope, read it back in the other, with "
    "T.sync_block_set / T.sync_block_wait between",
)
_CUBE = _Advice(
    why="the matrix unit fills L0A, L0B and L0C itself; L1 is loaded from global memory, and L0C "
    "leaves through the FIX pipe to global memory",
    fix="load operands with T.copy(gm, l1), multiply with T.gemm(l1_a, l1_b, l0c), store with "
    "T.copy(l0c, gm)",
)
_GLOBAL = _Advice(
    why="data moves through the chip; the data movers have one end on it",
    fix="copy to a buffer on the chip first: T.copy(A[i, 0], tile) and T.copy(tile, B[i, 0])",
)


def check_path(
    src: Region,
    dst: Region,
    *,
    op: str,
    sources: tuple[Space, ...] = (),
    targets: tuple[Space, ...] = (),
) -> None:
    """Refuses a move between memories that no data path joins.

    Args:
        src: what is read.
        dst: what is written.
        op: name of the T function.
        sources: memories that the op can read; all if empty.
        targets: memories that the op can write; all if empty.

    Raises:
        TL203: a buffer's memory is certain, and the move does not exist.
    """
    a, b = src.buffer.space, dst.buffer.space
    if a == "GM" and b == "GM":
        raise _refused(a, b, op, _GLOBAL)
    if a is None or b is None:
        return
    narrowed = (sources and a not in sources) or (targets and b not in targets)
    if (a, b) in _LEGAL and not narrowed:
        return
    raise _refused(a, b, op, _CROSS if "UB" in (a, b) and (a, b) not in _LEGAL else _CUBE)


def _refused(a: Space, b: Space, op: str, advice: _Advice) -> Exception:
    return builder().fail(
        "TL203",
        f"T.{op} cannot move a tile from {a} to {b}",
        why=advice.why,
        fix=advice.fix,
        at={"src": _belongs(a), "dst": _belongs(b)},
    )


def _belongs(space: Space) -> str:
    return f"{space} belongs to {_CORE[space]}" if space in _CORE else "global memory"
