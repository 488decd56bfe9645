"""IR texts and their differences packed small, for a viewer that unpacks them.

A line is an entry of one table: a template and the names that fill it. MLIR numbers values
through, so a number is written by its distance from the number expected next. A text is
written from the text before it: lines that stayed are copied, and their values are numbered
anew, so that only lines that are really new take room.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from tlcourse.widgets.carried import carried
from tlcourse.widgets.diff import Row, Words
from tlcourse.widgets.lines import VALUE, Form, Line, Place, Reader

VALUE_MARK = "\x7f"
_KINDS = {"same": 0, "removed": 1, "added": 2, "changed": 3, "renamed": 4, "moved": 5}
_NAMED, _BASE = -2, -1
_Key = tuple[int, tuple[str, ...], tuple[int, ...]]
PackedText = tuple[int, list[list[int]], list[int], list[int]]


class _Entry(NamedTuple):
    """A template, the names that fill it as `relative_names` writes them, and its places.

    `fresh` has the new values by their place. `steps` says of each value how a copy finds it: -2
    by the same name, -1 as the value of the base, 0 under the expected number, else under a
    number, plus 1.
    """

    number: int
    template: int
    codes: tuple[str, ...]
    places: tuple[int, ...]
    fresh: tuple[int, ...]
    steps: tuple[int, ...]


class _Written(NamedTuple):
    """A line as a viewer has it: its entry, and its names."""

    entry: _Entry
    names: tuple[str, ...]


@dataclass(slots=True)
class _Numbering:
    """The number expected for the next new value, and what values of the base are called now."""

    expected: int = 0
    now: dict[str, str] = field(default_factory=lambda: dict[str, str]())

    def copies(self, before: _Written, names: tuple[str, ...]) -> bool:
        """Whether a copy of a line of the base has just these names; if so, it is counted."""
        entry, old = before
        now, after = self.now.get, self.expected
        for step, name, there in zip(entry.steps, names, old, strict=True):
            if step == _BASE:
                wanted = now(there, there)
            elif step == _NAMED:
                wanted = there
            else:
                after = step or after + 1
                wanted = f"%{after - 1}"
            if name != wanted:
                return False
        self.expected = after
        return True

    def bind(self, before: _Written, here: _Written) -> None:
        """New values of a line of the base are those of its partner here."""
        for k, place in zip(before.entry.fresh, here.entry.fresh, strict=False):
            self.now[before.names[k]] = here.names[place]


@dataclass(slots=True)
class Texts:
    """Texts of IR that share their lines.

    Args:
        sources: ids of the learner's texts; places in other texts are left out.
        reader: what took the lines of the texts apart before, if anything did.
    """

    sources: list[str]
    reader: Reader = field(default_factory=Reader)
    texts: list[PackedText] = field(default_factory=lambda: list[PackedText]())
    _written: list[list[_Written]] = field(default_factory=lambda: list[list[_Written]]())
    _numbers: dict[str, int] = field(default_factory=lambda: dict[str, int]())
    _entries: dict[_Key, _Entry] = field(default_factory=lambda: dict[_Key, _Entry]())
    _templates: dict[str, int] = field(default_factory=lambda: dict[str, int]())
    _template_of: dict[Form, int] = field(default_factory=lambda: dict[Form, int]())

    def number(self, text: str, base: int = -1, rows: tuple[Row, ...] = ()) -> int:
        """The place of a text with locations among `texts`; it is added where it is new.

        Args:
            text: the text.
            base: the place of the text that it is written from; -1 is the empty text.
            rows: what differs between the two; empty where nothing is known.
        """
        if text not in self._numbers:
            self._numbers[text] = len(self.texts)
            bare, places = self.reader.split(text)
            lines = self.reader.read(bare)
            if not rows:
                base = -1
                rows = tuple(Row("added", after=k) for k in range(len(lines)))
            self._add(list(zip(lines, self._known_places(lines, places), strict=True)), base, rows)
        return self._numbers[text]

    def packed(self) -> dict[str, object]:
        """The tables as plain data.

        `lines` has one entry a line: template, then its names. A text is the place of its base,
        the rows between the two (see `packed_rows`), the entries of its new lines, and the
        distances between rows whose line cannot be copied though it stayed. An entry is 0 where
        it is used for the first time, else how many came after it. Places are pairs of source and
        line; a single 1 behind them says that they were carried here from a neighbouring op.
        """
        entries = self._entries.values()
        lines = [" ".join([str(entry.template), *entry.codes]) for entry in entries]
        places = [list(entry.places) for entry in entries]
        return {
            "templates": list(self._templates),
            "lines": "\n".join(lines),
            "places": places if any(places) else [],
            "texts": self.texts,
        }

    def _add(
        self, lines: list[tuple[Line, tuple[int, ...]]], base: int, rows: tuple[Row, ...]
    ) -> None:
        old = self._written[base] if base >= 0 else []
        numbering, written = _Numbering(), list[_Written]()
        entries: list[int] = []
        odd: list[int] = []
        for number, row in enumerate(rows):
            if row.after is None:
                continue
            before = None if row.before is None else old[row.before]
            line, places = lines[row.after]
            here = None
            if before is not None and row.kind != "changed":
                here = self._copy(before, line, places, numbering)
            if here is None:
                codes, numbering.expected = relative_names(line, numbering.expected)
                here, code = self._entry(line, codes, places)
                entries.append(code)
                odd += [number] if row.kind in ("same", "renamed") else []
            written.append(here)
            if before is not None and before.entry.fresh:
                numbering.bind(before, here)
        distances = [b - a for a, b in zip([0, *odd], odd, strict=False)]
        self.texts.append((base, packed_rows(rows), entries, distances))
        self._written.append(written)

    def _copy(
        self, before: _Written, line: Line, places: tuple[int, ...], numbering: _Numbering
    ) -> _Written | None:
        """The line as a copy of its partner, if that gives just this line."""
        entry = before.entry
        known = self._template_of.get(line.form)
        template = self._template(line) if known is None else known
        if template != entry.template or places != entry.places:
            return None
        if not numbering.copies(before, line.names):
            return None
        return before if before.names == line.names else _Written(entry, line.names)

    def _template(self, line: Line) -> int:
        number = self._template_of.get(line.form)
        if number is None:
            text = VALUE.sub(VALUE_MARK, line.text)
            number = self._templates.setdefault(text, len(self._templates))
            self._template_of[line.form] = number
        return number

    def _entry(
        self, line: Line, codes: tuple[str, ...], places: tuple[int, ...]
    ) -> tuple[_Written, int]:
        """A line written out, and what stands for its entry."""
        key = (self._template(line), codes, places)
        fresh, entry = len(self._entries), self._entries.get(key)
        if entry is None:
            new = tuple(k for k, code in enumerate(codes) if is_new(code))
            entry = self._entries[key] = _Entry(fresh, *key, new, tuple(map(_step, codes)))
        return _Written(entry, line.names), fresh - entry.number

    def _known_places(
        self, lines: list[Line], own: list[tuple[Place, ...]]
    ) -> Iterator[tuple[int, ...]]:
        """The places of lines as flat (source number, line) pairs, 1 behind those carried."""
        for places, before in zip(carried(lines, own), own, strict=True):
            known = self._known(places) if places else ()
            yield known if before or not known else (*known, 1)

    def _known(self, places: tuple[Place, ...]) -> tuple[int, ...]:
        known = [(self.sources.index(s), line) for s, line in places if s in self.sources]
        return tuple(number for pair in known for number in pair)


def _step(code: str) -> int:
    if code[:1] == ":":
        return _NAMED
    if not is_new(code):
        return _BASE
    return int(code[1:]) + 1 if code else 0


def is_new(code: str) -> bool:
    """Whether a code of `relative_names` stands for a new value."""
    return not code or code[0] in "=:"


def relative_names(line: Line, expected: int) -> tuple[tuple[str, ...], int]:
    """The names of a line as written, and the number expected for the next new value.

    A new value is empty where its number is the expected one, else `=` and its number, or `:`
    and its name. A value that is read is its distance back, in front of the line, or its name;
    `~` stands before a name that could be taken for something else.
    """
    written: list[str] = []
    after = expected
    for name, new in zip(line.names, line.form.defines, strict=True):
        word = name[1:]
        if not word.isdecimal() or str(int(word)) != word:
            plain = word[0].isalpha() or word[0] == "_"
            written.append(f":{word}" if new else word if plain else f"~{word}")
        elif new:
            written.append("" if int(word) == after else f"={word}")
            after = int(word) + 1
        else:
            written.append(str(expected - int(word)))
    return tuple(written), after


def packed_rows(rows: tuple[Row, ...]) -> list[list[int]]:
    """Rows as [kind, count] runs; a changed row as [kind, 4 numbers a stretch].

    Kinds: same, removed, added, changed, renamed, moved away, moved here. The four numbers
    are: equal columns before it, columns on the left, on the right, renamed or not.
    In a renamed row all that differs is value names, so its stretches can be found again.
    """
    packed: list[list[int]] = []
    for row in rows:
        kind = _KINDS[row.kind] + (row.kind == "moved" and row.before is None)
        if row.kind == "changed":
            packed.append([kind, *_cuts(row.words)])
        elif packed and packed[-1][0] == kind:
            packed[-1][1] += 1
        else:
            packed.append([kind, 1])
    return packed


def _cuts(found: tuple[Words, ...]) -> list[int]:
    flat: list[int] = []
    column = 0
    for words in found:
        left, right = words.before_end - words.before_start, words.after_end - words.after_start
        flat += [words.before_start - column, left, right, int(words.renamed)]
        column = words.before_end
    return flat
