"""Scores by which an indexer chooses keys."""

from __future__ import annotations

from tlcourse.examples.deepseek_v4_mini.showing import draw, show


def main() -> float:
    """Shows one call and returns its error."""
    return show(
        "index_scores", draw(5, 16, 32).half(), draw(100, 32, seed=1).half(), draw(5, 16, seed=2)
    )


if __name__ == "__main__":
    main()
