"""Root mean square norm of rows."""

from __future__ import annotations

from tlcourse.examples.deepseek_v4_mini.showing import draw, show


def main() -> float:
    """Shows one call and returns its error."""
    return show("rms_norm", draw(13, 300).half(), draw(300, seed=1).half())


if __name__ == "__main__":
    main()
