"""Which value of one IR text is which value of another, found line by line."""

from __future__ import annotations

from dataclasses import dataclass, field

from tlcourse.widgets.lines import Line

_Side = dict[str, str | None]  # None: the value has no partner


@dataclass(frozen=True, slots=True)
class Renaming:
    """The partners of the values met so far.

    Args:
        forward: values of the left text to those of the right one.
        back: values of the right text to those of the left one.
    """

    forward: _Side = field(default_factory=lambda: dict[str, str | None]())
    back: _Side = field(default_factory=lambda: dict[str, str | None]())

    def bind(self, left: str, right: str) -> None:
        """Two values are one from here on."""
        self.forward[left], self.back[right] = right, left

    def join(self, left: Line, right: Line) -> None:
        """The values that two lines define are the same ones."""
        for one, other in zip(left.made, right.made, strict=True):
            self.bind(one, other)

    def drop_left(self, line: Line) -> None:
        """The values that a line of the left text defines have no partner."""
        for name in line.made:
            self.forward[name] = None

    def drop_right(self, line: Line) -> None:
        """The values that a line of the right text defines have no partner."""
        for name in line.made:
            self.back[name] = None

    def agree(self, left: str, right: str) -> bool:
        """Whether two values that are read may be one; values never seen before are."""
        there, here = self.forward.get(left, ""), self.back.get(right, "")
        if there == right and here == left:
            return True
        if there is None and here is None:
            return left == right
        if there == "" and here == "":
            self.bind(left, right)
            return True
        return False

    def all_agree(self, left: Line, right: Line) -> bool:
        """Whether two lines of one template read the same values; if so, they define the same."""
        there, here = self.forward.get, self.back.get
        for one, other in zip(left.uses, right.uses, strict=True):
            if (there(one) != other or here(other) != one) and not self.agree(one, other):
                return False
        for one, other in zip(left.made, right.made, strict=True):
            self.forward[one], self.back[other] = other, one
        return True
