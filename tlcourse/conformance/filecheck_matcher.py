"""The matcher of the package filecheck, with LLVM's rule for CHECK-NOT.

LLVM looks for the excluded text up to where the next match begins; the package looks up to where
that match ends, and so finds in the match itself what must only not stand before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from filecheck.finput import InputRange
from filecheck.matcher import Matcher
from filecheck.ops import CheckOp

_Capture = dict[str, tuple[int, Callable[[str], int] | Callable[[str], str]]]


class LlvmMatcher(Matcher):
    """Matches lines in order; excluded text may stand in the match after it."""

    _began: int | None = None  # where the match of the present check begins

    def capture_results(self, match: re.Match[str], capture: _Capture, op: CheckOp) -> None:
        if self._began is None:
            self._began = match.start(0)
        super().capture_results(match, capture, op)

    def _pre_check(self, op: CheckOp) -> None:
        self._began = None
        super()._pre_check(op)

    def _post_check(self, op: CheckOp) -> None:
        start = self.ctx.negative_matches_start
        if start is not None and self._began is not None and op.name != "DAG":
            for excluded in self.ctx.negative_matches_stack:
                self.check_not(excluded, InputRange(start, self._began))
            self.ctx.negative_matches_start = None
            self.ctx.negative_matches_stack = []
        super()._post_check(op)
