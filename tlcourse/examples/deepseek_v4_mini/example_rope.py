"""Rotary positions of three heads."""

from __future__ import annotations

from tlcourse.examples.deepseek_v4_mini.showing import draw, show


def main() -> float:
    """Shows one call and returns its error."""
    angles = draw(37, 32)
    return show("rope", draw(37, 3, 64).half(), angles.cos(), angles.sin())


if __name__ == "__main__":
    main()
