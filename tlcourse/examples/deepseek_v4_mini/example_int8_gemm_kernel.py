"""A product of int8 matrices, the activations' scales by stretches."""

from __future__ import annotations

import torch

from tlcourse.examples import mini_ops
from tlcourse.examples.deepseek_v4_mini.showing import draw, show


def main() -> float:
    """Shows one call and returns its error."""
    a, a_scale = mini_ops.act_quant(draw(45, 256).half())
    b, b_scale = mini_ops.act_quant(draw(100, 128, seed=1).half().repeat(1, 2))
    return show("int8_gemm", a, a_scale, b, b_scale[:, 0].contiguous(), torch.float16)


if __name__ == "__main__":
    main()
