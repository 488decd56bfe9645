"""Gates and mixing matrix of hyper-connections."""

from __future__ import annotations

from tlcourse.examples.deepseek_v4_mini.showing import draw, show


def main() -> float:
    """Shows one call and returns its error."""
    return show("hc_split_sinkhorn", draw(100, 24), draw(3, seed=1), draw(24, seed=2))


if __name__ == "__main__":
    main()
