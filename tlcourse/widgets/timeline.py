"""The timeline of a launch, or of two: a viewer in a notebook, a figure where no script runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tlcourse.diagnostics import SourceFile, SourceMap
from tlcourse.records import Timeline
from tlcourse.widgets import svg
from tlcourse.widgets.labels import Language, label
from tlcourse.widgets.lanes import busy_share, caption, gap_table, timeline_rows, timeline_table
from tlcourse.widgets.pagefile import write_text
from tlcourse.widgets.timeline_figure import Span, merged, span_of, timeline_svg
from tlcourse.widgets.timeline_state import GAPS_LISTED, Track, comparison, page, title_of
from tlcourse.widgets.timeline_words import word

__all__ = ["TimelineView", "merged", "timeline_svg"]


@dataclass(frozen=True)
class TimelineView:
    """A timeline that shows itself in a notebook, alone or before another one.

    Args:
        timeline: the record of a launch.
        block: logical block whose core group is drawn; default: the first one in the figure,
            all that the record has in the viewer.
        language: `en` or `zh`.
        other: a second timeline, drawn under the first one with the same scale.
        sources: texts that the places in the records point into.
    """

    timeline: Timeline
    block: int | None = None
    language: Language = "en"
    other: Timeline | None = None
    sources: SourceMap = field(default_factory=lambda: dict[str, SourceFile](), compare=False)

    def __repr__(self) -> str:
        return f"TimelineView({' | '.join(self._summary(one) for one in self._timelines())})"

    def _repr_mimebundle_(self, **_: object) -> dict[str, object]:
        bundle: dict[str, object] = {"text/plain": repr(self), "text/html": self.to_html()}
        return {**self._viewer(), **bundle}

    @property
    def tracks(self) -> tuple[Track, ...]:
        """What the viewer shows."""
        titles = ("before", "after") if self.other else ("",)
        return tuple(
            Track(
                title=word(title, self.language) if title else "",
                timeline=timeline,
                block=self.block,
                sources=self.sources,
            )
            for title, timeline in zip(titles, self._timelines(), strict=True)
        )

    def to_html(self) -> str:
        """Figures and tables as HTML without a script."""
        span = self._span()
        parts = [self._figure(timeline, span) for timeline in self._timelines()]
        if self.other is None:
            return parts[0]
        return f"<p><b>{comparison(self.tracks, self.language)}</b></p>" + "".join(parts)

    def export_html(self, path: str | Path) -> Path:
        """Writes the viewer as one HTML file that works from disk with no network.

        The picture without a script and its tables stand in it as well. Returns the path.
        """
        return write_text(path, self.page())

    def page(self) -> str:
        """The text of the file that `export_html` writes."""
        twin = f'<noscript lang="{self.language}">{self.to_html()}</noscript>'
        return page(self.tracks, self.language, twin)

    def _timelines(self) -> Sequence[Timeline]:
        return (self.timeline,) if self.other is None else (self.timeline, self.other)

    def _viewer(self) -> dict[str, object]:
        """The notebook's handle of the viewer; nothing where its package is not installed."""
        try:
            from tlcourse.widgets.timeline_viewer import TimelineViewer
        except ImportError:
            return {}
        return TimelineViewer(self.tracks, self.language).handle()

    def _summary(self, timeline: Timeline) -> str:
        rows = timeline_rows(timeline, self.block)
        shares = ", ".join(f"{row.agent} {busy_share(timeline, row)}" for row in rows)
        return f"{caption(timeline, self.block, self.language)}; {shares}"

    def _span(self) -> Span | None:
        """Two timelines have one scale: that of the longer one, in microseconds."""
        if self.other is None:
            return None
        found = [span_of(one, self.block) for one in self._timelines()]
        return Span(start=min(one.start for one in found), end=max(one.end for one in found))

    def _figure(self, timeline: Timeline, span: Span | None) -> str:
        title = title_of((Track(title="", timeline=timeline),), self.language)
        head, rows = timeline_table(timeline, self.block, self.language)
        picture = timeline_svg(
            timeline, block=self.block, language=self.language, tooltips=False, span=span
        )
        words = [caption(timeline, self.block, self.language)]
        if timeline.launch_cycles:
            words.append(label("launch", self.language, timeline.launch_cycles))
        if timeline.replicated_blocks:
            words.append(label("replicated", self.language, timeline.replicated_blocks))
        shown = timeline_rows(timeline, self.block)
        longest = gap_table(timeline, shown, GAPS_LISTED, self.language)
        tables = svg.table_html(label("as_table", self.language), head, rows)
        tables += svg.table_html(word("gap_table", self.language), *longest)
        return svg.figure_html(
            picture, title, ("；" if self.language == "zh" else "; ").join(words), tables
        )
