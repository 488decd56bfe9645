"""Names of a kernel and how long they live.

A name ends with the block that binds it. Binding a name of an outer block again inside a
branch or loop makes a new name there; reading the outer one afterwards would give the old
value, against what the same lines mean in Python, and is refused.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import dataclass, field

from tlcourse.language.builder import Builder
from tlcourse.language.frames import FrameKind
from tlcourse.language.names import near_name

_BLOCK: dict[str, str] = {
    "kernel": "`with T.Kernel`",
    "scope": "`with T.Scope`",
    "loop": "the loop",
    "branch": "the `if`",
}


@dataclass(kw_only=True)
class _Block:
    kind: FrameKind
    names: dict[str, object] = field(default_factory=lambda: dict[str, object]())
    read_through: set[str] = field(default_factory=lambda: set[str]())
    rebound: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    ended: dict[str, str] = field(default_factory=lambda: dict[str, str]())


class Scopes:
    """The names that a kernel's text can use at the place being read."""

    def __init__(self, outside: Mapping[str, object]) -> None:
        self._outside = outside
        self._blocks = [_Block(kind="kernel")]

    def bind(self, name: str, value: object, build: Builder) -> None:
        """Binds a name in the innermost block.

        Raises:
            TL126: the name is read before in each iteration of a loop around it.
        """
        self._check_carried(name, build)
        block = self._blocks[-1]
        block.names[name] = value
        block.rebound.pop(name, None)

    def look_up(self, name: str, build: Builder) -> object:
        """The value of a name.

        Raises:
            TL104: nothing has this name here.
            TL126: the name was bound again in a block that has ended.
        """
        for depth in range(len(self._blocks) - 1, -1, -1):
            block = self._blocks[depth]
            if name in block.rebound:
                raise _lost(name, block.rebound[name], build)
            if name in block.names:
                for inner in self._blocks[depth + 1 :]:
                    inner.read_through.add(name)
                return block.names[name]
        if name in self._outside:
            return self._outside[name]
        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise self._unknown(name, build)

    def push(self, kind: FrameKind) -> None:
        """Opens a block."""
        self._blocks.append(_Block(kind=kind))

    def pop(self) -> None:
        """Ends the innermost block and the names bound in it."""
        block = self._blocks.pop()
        outer = self._blocks[-1]
        what = _BLOCK[block.kind]
        for name in (*block.names, *block.rebound):
            if self._is_bound(name) and name not in block.ended:
                outer.rebound[name] = what
            outer.ended[name] = what

    def _is_bound(self, name: str) -> bool:
        return any(name in block.names for block in self._blocks)

    def _check_carried(self, name: str, build: Builder) -> None:
        for block in reversed(self._blocks):
            if name in block.names:
                return
            if block.kind == "loop" and name in block.read_through:
                raise _carried(name, build)

    def _unknown(self, name: str, build: Builder) -> Exception:
        ended = next((b.ended[name] for b in reversed(self._blocks) if name in b.ended), None)
        if ended is not None:
            return build.fail(
                "TL104",
                f"`{name}` is not known here any more",
                why=f"it was bound inside {ended}, and ended with it",
                fix=f"bind `{name}` before {ended}, or use it inside",
            )
        known = [*(key for block in self._blocks for key in block.names), *self._outside]
        return build.fail(
            "TL104",
            f"`{name}` is not known here",
            why="no parameter, assignment, variable of the factory or global has this name",
            fix=f"{near_name(name, known)}bind it before it is used",
        )


def _lost(name: str, block: str, build: Builder) -> Exception:
    return build.fail(
        "TL126",
        f"`{name}` got another value inside {block}, and that value ended with it",
        why="a name is a fixed value, not a variable: which value would be meant here depends on "
        "what ran",
        fix=f"keep the value in a buffer of one element, or choose with T.if_then_else(cond, "
        f"new, {name})",
    )


def _carried(name: str, build: Builder) -> Exception:
    return build.fail(
        "TL126",
        f"`{name}` cannot carry a value from one iteration to the next",
        why="a name is a fixed value: each iteration would read the one from before the loop",
        fix="accumulate in a buffer: acc = T.alloc_ub((1,), dtype); acc[0] += ..., or compute "
        "the value from the loop variable",
    )
