"""Places for ops that lost theirs: the compiler's own passes make ops without a location.

An op without a place gets that of the first op that reads its values, else of an op that
says the same and reads nothing, else of what made its operands; the parameters of a function
have the function's. Constants serve many lines and get none.
"""

from __future__ import annotations

from collections.abc import Sequence

from tlcourse.widgets.lines import Line, Place

Places = tuple[Place, ...]


def carried(lines: Sequence[Line], places: Sequence[Places]) -> list[Places]:
    """The places of the lines of one text, with those that can be told filled in.

    Args:
        lines: the lines.
        places: what the text itself says of each of them.
    """
    found = list(places)
    if any(found):
        _from_readers(lines, found)
        _from_twins(lines, found)
        _from_operands(lines, found)
    return found


def _wants(line: Line) -> bool:
    form = line.form
    return bool(form.op) and not form.op.endswith((".constant", ".func", ".module"))


def _from_readers(lines: Sequence[Line], found: list[Places]) -> None:
    wanted: dict[str, Places] = {}
    for k in range(len(lines) - 1, -1, -1):
        line = lines[k]
        if not found[k] and wanted and _wants(line):
            found[k] = next((wanted[name] for name in line.made if name in wanted), ())
        for name in line.made:
            wanted.pop(name, None)
        if found[k]:
            wanted |= dict.fromkeys(line.uses, found[k])


def _from_twins(lines: Sequence[Line], found: list[Places]) -> None:
    alone = {
        line.form.template: place
        for line, place in zip(reversed(lines), reversed(found), strict=True)
        if place and not line.uses and line.made
    }
    for k, line in enumerate(lines):
        if not found[k] and not line.uses and _wants(line):
            found[k] = alone.get(line.form.template, ())


def _from_operands(lines: Sequence[Line], found: list[Places]) -> None:
    made: dict[str, Places] = {}
    for k, line in enumerate(lines):
        if not found[k] and _wants(line):
            found[k] = next((made[name] for name in line.uses if made.get(name)), ())
        made |= dict.fromkeys(line.made, found[k])
