"""Softmax of rows with a short last tile."""

from __future__ import annotations

from tlcourse.examples.deepseek_v4_mini.showing import draw, show


def main() -> float:
    """Shows one call and returns its error."""
    return show("softmax", draw(13, 300).half())


if __name__ == "__main__":
    main()
