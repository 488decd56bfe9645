"""Attention to the 32 keys that each query was given."""

from __future__ import annotations

from tlcourse.examples.deepseek_v4_mini.showing import draw, show


def main() -> float:
    """Shows one call and returns its error."""
    indices = draw(5, 100).topk(32, -1).indices.int()
    kv = draw(100, 64, seed=1).half()
    return show("sparse_attention", draw(5, 16, 64).half(), kv, indices, draw(16))


if __name__ == "__main__":
    main()
