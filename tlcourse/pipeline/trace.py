"""Keeping the text of a module after every pass."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from tlcourse.diagnostics import SourceMap
from tlcourse.records import PassTrace, Phase, Snapshot, TraceMode

_OP = re.compile(r'^\s*(?:%[^=]*=\s*)?"?([a-z_]\w*(?:\.\w+)+)', re.MULTILINE)
_ID_DIGITS = 12

Status = Literal["changed", "unchanged", "failed"]


@dataclass(kw_only=True)
class Recorder:
    """Collects snapshots. Texts that occur again are kept once."""

    kernel: str
    mode: TraceMode
    target: str
    sources: SourceMap
    texts: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    snapshots: list[Snapshot] = field(default_factory=lambda: list[Snapshot]())

    def add(
        self,
        phase: Phase,
        pass_name: str,
        text: str,
        *,
        options: dict[str, str] | None = None,
        real: bool = False,
        failed: str = "",
        notes: tuple[str, ...] = (),
    ) -> None:
        """Keeps what a pass left; `failed` says why it could not."""
        text_id = hashlib.sha256(text.encode()).hexdigest()[:_ID_DIGITS]
        self.texts.setdefault(text_id, text)
        self.snapshots.append(
            Snapshot(
                index=len(self.snapshots),
                phase=phase,
                pass_name=pass_name,
                options=options or {},
                origin="real" if real else "embedded",
                status="failed" if failed else self._status(text_id),
                text_id=text_id,
                op_counts=op_counts(text),
                notes=(failed,) if failed else notes,
            )
        )

    def trace(self) -> PassTrace:
        """The snapshots so far."""
        return PassTrace(
            kernel=self.kernel,
            mode=self.mode,
            target=self.target,
            texts=dict(self.texts),
            snapshots=tuple(self.snapshots),
            sources=dict(self.sources),
        )

    def _status(self, text_id: str) -> Status:
        same = bool(self.snapshots) and self.snapshots[-1].text_id == text_id
        return "unchanged" if same else "changed"


def op_counts(text: str) -> dict[str, int]:
    """How often each op occurs in a module's text, names in alphabetical order."""
    return dict(sorted(Counter(_OP.findall(text)).items()))
