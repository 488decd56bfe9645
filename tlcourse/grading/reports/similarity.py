"""Which hand-ins are alike: fingerprints of their Tile IR, whatever names and sizes they use.

Each line of the IR becomes a word without names, numbers and places. Hashes of a few words in a
row are thinned out by winnowing: of each window the smallest is kept. Pairs are reported for a
person to look at; nothing follows from them.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

_WORDS, _WINDOW = 4, 4
_PLACES = re.compile(r' loc\((?:unknown|"[^"]*":\d+:\d+|callsite\(.*\)|fused<?.*)\)')
_NAMES = re.compile(r"%[\w#]+|@[\w]+|\^\w+")
_NUMBERS = re.compile(r"-?\d[\d.]*(?:e[+-]?\d+)?")
# Lines that say nothing of what is computed.
_EMPTY = re.compile(
    r"^\s*(?:\}|\^bb|builtin\.module|func\.|%[\w#]+ = (?:arith\.constant|tl\.let)|$)"
)
_LABEL = re.compile(r'(tl\.alloc) "[^"]*"')


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two groups of learners whose hand-ins for an exercise are alike.

    Args:
        exercise: its id.
        first: learners with one and the same kernel.
        second: learners with another; the same ones where all of a group are equal.
        alike: share of the fingerprints that both have, of those that one has.
        published: share of a published or earlier solution's fingerprints that the first has,
            of the one that is nearest.
    """

    exercise: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    alike: float
    published: float | None


def fingerprints(documents: Sequence[str]) -> tuple[int, ...]:
    """The fingerprints of the first case that was sealed; none where nothing was."""
    document = next((text for text in documents if text), "")
    return tuple(sorted(_winnowed(_words(document))))


def varies(documents: Sequence[str], least: float = 0.8) -> bool:
    """Whether the cases' kernels differ in more than sizes: a person should see why."""
    words = [Counter(_words(text)) for text in documents if text]
    return any(_alike_words(words[0], other) < least for other in words[1:])


def _alike_words(first: Counter[str], second: Counter[str]) -> float:
    return (first & second).total() / max((first | second).total(), 1)


def _words(document: str) -> list[str]:
    words = (_word(line) for line in document.partition("\n")[2].splitlines())
    return [word for word in words if word]


def _word(line: str) -> str:
    if _EMPTY.match(line):
        return ""
    bare = _LABEL.sub(r"\1", _PLACES.sub("", line).strip())
    return _NUMBERS.sub("#", _NAMES.sub("%", bare))


def _winnowed(words: Sequence[str]) -> set[int]:
    grams = ["\n".join(words[i : i + _WORDS]) for i in range(len(words) - _WORDS + 1)]
    hashes = [int.from_bytes(hashlib.sha256(gram.encode()).digest()[:6], "big") for gram in grams]
    windows = max(1, len(hashes) - _WINDOW + 1)
    return {min(hashes[i : i + _WINDOW]) for i in range(windows)} if hashes else set()


def pairs(
    handed: Iterable[tuple[str, str, tuple[int, ...]]],
    starters: Mapping[str, Iterable[int]],
    published: Mapping[str, Sequence[tuple[int, ...]]],
    *,
    least: float = 0.8,
    most: int = 200,
) -> list[Pair]:
    """The hand-ins of each exercise that are most alike.

    Args:
        handed: learner, exercise and fingerprints of each hand-in.
        starters: by exercise, fingerprints of the untouched one; they count for nothing.
        published: by exercise, fingerprints of solutions that anybody could have found.
        least: pairs that are less alike are left out.
        most: how many pairs are listed for an exercise.
    """
    groups: dict[str, dict[frozenset[int], list[str]]] = defaultdict(lambda: defaultdict(list))
    for learner, exercise, prints in handed:
        own = frozenset(prints) - frozenset(starters.get(exercise, ()))
        if own:
            groups[exercise][own].append(learner)
    found: list[Pair] = []
    for exercise, kernels in sorted(groups.items()):
        starter = frozenset(starters.get(exercise, ()))
        solutions = [frozenset(one) - starter for one in published.get(exercise, ())]
        alike = sorted(_alike(kernels, least), key=lambda row: (-row[2], *row[:2]))
        names = list(kernels)
        found += [
            Pair(
                exercise=exercise,
                first=tuple(sorted(set(kernels[names[i]]))),
                second=tuple(sorted(set(kernels[names[j]]))),
                alike=round(share, 2),
                published=_share(names[i], solutions),
            )
            for i, j, share in alike[:most]
        ]
    return found


def _share(prints: frozenset[int], solutions: Iterable[frozenset[int]]) -> float | None:
    shares = [len(prints & solution) / len(solution) for solution in solutions if solution]
    return round(max(shares), 2) if shares else None


def _alike(
    kernels: Mapping[frozenset[int], Sequence[str]], least: float
) -> Iterable[tuple[int, int, float]]:
    """Pairs of different kernels by position, and each kernel that several handed in."""
    for index, learners in enumerate(kernels.values()):
        if len(set(learners)) > 1:
            yield index, index, 1.0
    order = {one: place for place, one in enumerate(sorted({o for k in kernels for o in k}))}
    table = np.zeros((len(kernels), len(order)), dtype=np.float32)
    for row, prints in enumerate(kernels):
        table[row, [order[one] for one in prints]] = 1
    sizes = table.sum(axis=1)
    for row in range(len(kernels) - 1):
        both = table[row + 1 :] @ table[row]
        shares = both / (sizes[row] + sizes[row + 1 :] - both)
        for offset in np.flatnonzero(shares >= least):
            yield row, row + 1 + int(offset), float(shares[offset])
