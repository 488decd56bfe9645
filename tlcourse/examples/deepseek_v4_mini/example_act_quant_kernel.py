"""Activations to int8 with a scale for each 128 numbers."""

from __future__ import annotations

from tlcourse.examples.deepseek_v4_mini.showing import draw, show


def main() -> float:
    """Shows one call and returns its error."""
    return show("act_quant", draw(45, 256).half())


if __name__ == "__main__":
    main()
