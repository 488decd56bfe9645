"""`%load_ext tlcourse` and `%tlcourse traceback`: how much of an error a notebook shows.

An error of ours is shown as its message alone, with a caret under the learner's line. Who wants
to see which of our functions raised it turns the whole traceback on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from tlcourse.diagnostics import TLError, error

if TYPE_CHECKING:
    from types import TracebackType

    from IPython.core.interactiveshell import InteractiveShell

_USAGE = "%tlcourse traceback, %tlcourse traceback on, %tlcourse traceback off"
Handler = Callable[..., list[str] | None]


class Magic:
    """The line magic of one shell; it starts with messages alone."""

    def __init__(self, shell: InteractiveShell) -> None:
        self._shell = shell
        self.whole = False

    def run(self, line: str) -> None:
        """What `%tlcourse LINE` does.

        Raises:
            TL735: the line is none of the known ones.
        """
        words = line.split()
        if words[:1] != ["traceback"] or words[1:] not in ([], ["on"], ["off"]):
            raise error(
                "TL735",
                f"%tlcourse {line}".rstrip() + " is not known",
                why="the magic says how much of an error is shown",
                fix=f"write one of {_USAGE}",
            )
        self.show_whole(not self.whole if words == ["traceback"] else words[1] == "on")
        print("errors show " + ("the whole traceback" if self.whole else "their message alone"))

    def show_whole(self, whole: bool) -> None:
        """Turns whole tracebacks on, or off again."""
        self.whole = whole
        handler = cast(Any, self._whole_traceback)
        cast(Any, self._shell).set_custom_exc((TLError,) if whole else (), handler)

    def _whole_traceback(
        self,
        shell: InteractiveShell,
        kind: type[BaseException],
        value: BaseException,
        frames: TracebackType | None,
        tb_offset: int | None = None,
    ) -> list[str]:
        """All frames as IPython draws them, then the message with its carets."""
        made = cast(Any, shell).InteractiveTB.structured_traceback(
            kind, value, frames, tb_offset=tb_offset
        )
        lines = cast("list[str]", made)
        cast(Any, shell)._showtraceback(kind, value, lines)
        return lines


def load(shell: InteractiveShell) -> Magic:
    """Registers `%tlcourse` in a shell."""
    magic = Magic(shell)
    cast(Any, shell).register_magic_function(magic.run, "line", "tlcourse")
    return magic
