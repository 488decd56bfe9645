"""Causal attention, four query heads to a key head."""

from __future__ import annotations

from tlcourse.examples.deepseek_v4_mini.showing import draw, show


def main() -> float:
    """Shows one call and returns its error."""
    k, v = draw(2, 100, 64, seed=1).half(), draw(2, 100, 64, seed=2).half()
    return show("flash_attention", draw(8, 100, 64).half(), k, v, True)


if __name__ == "__main__":
    main()
