"""A small model of DeepSeek-V4's shape: hyper-connections, sparse attention, int8 experts.

The shape is that of the public description, the sizes are a laptop's: two layers, 16 heads of 64,
a vocabulary of 128. Weights are drawn from a seed. The head is no copy of the embedding: with a
shared one the model would repeat its last token whatever the layers compute.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from tlcourse.examples.deepseek_v4_mini.inference import torch_ops as ops


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Sizes of the model. The operators are compiled for these widths of heads."""

    vocabulary: int = 128
    width: int = 256
    layers: int = 2
    heads: int = 16
    key_heads: int = 4
    head_width: int = 64
    index_width: int = 32
    top: int = 32
    experts: int = 2
    expert_width: int = 256
    streams: int = 4
    seed: int = 0


class Int8Linear(nn.Module):
    """A linear layer with int8 weights and activations."""

    def __init__(self, weight: torch.Tensor) -> None:
        super().__init__()
        scale = weight.abs().amax(1) / 127
        self.register_buffer("scale", scale)
        self.register_buffer("weight", (weight / scale[:, None]).round().to(torch.int8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        small, scales = ops.act_quant(x)
        return ops.int8_gemm(small, scales, self.weight, self.scale, x.dtype)


class Experts(nn.Module):
    """Gated experts, each weighed by the router's softmax."""

    def __init__(self, sizes: Sizes, draw: Draw) -> None:
        super().__init__()
        self.router = draw(sizes.experts, sizes.width)
        wide = (2 * sizes.expert_width, sizes.width)
        self.up = nn.ModuleList(Int8Linear(draw(*wide).float()) for _ in range(sizes.experts))
        back = (sizes.width, sizes.expert_width)
        self.down = nn.ModuleList(Int8Linear(draw(*back).float()) for _ in range(sizes.experts))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weights = ops.softmax(x @ self.router.T)
        total = torch.zeros_like(x)
        for index, (up, down) in enumerate(zip(self.up, self.down, strict=True)):
            gate, value = up(x).chunk(2, -1)
            total = total + down(nn.functional.silu(gate) * value) * weights[:, index : index + 1]
        return total


class Attention(nn.Module):
    """Attention in two kinds: causal over all keys, or over those that an indexer chooses."""

    def __init__(self, sizes: Sizes, draw: Draw, *, sparse: bool) -> None:
        super().__init__()
        self.sizes, self.sparse = sizes, sparse
        inner = sizes.heads * sizes.head_width
        keys = sizes.head_width if sparse else 2 * sizes.key_heads * sizes.head_width
        self.to_q, self.to_kv = draw(inner, sizes.width), draw(keys, sizes.width)
        self.out = draw(sizes.width, inner)
        self.index_q = draw(sizes.heads * sizes.index_width, sizes.width)
        self.index_k = draw(sizes.index_width, sizes.width)
        self.index_w = draw(sizes.heads, sizes.width)
        self.sink = draw(sizes.heads, 1).float()[:, 0]

    def forward(self, x: torch.Tensor, cosines: torch.Tensor, sines: torch.Tensor) -> torch.Tensor:
        q = (x @ self.to_q.T).unflatten(1, (self.sizes.heads, -1))
        q = ops.rope(q, cosines, sines)
        mixed = self._sparse if self.sparse else self._causal
        return mixed(x, q, cosines, sines).flatten(1) @ self.out.T

    def _causal(
        self, x: torch.Tensor, q: torch.Tensor, cosines: torch.Tensor, sines: torch.Tensor
    ) -> torch.Tensor:
        keys, values = (x @ self.to_kv.T).chunk(2, -1)
        k = ops.rope(keys.unflatten(1, (self.sizes.key_heads, -1)), cosines, sines)
        v = values.unflatten(1, (self.sizes.key_heads, -1))
        heads_first = (one.transpose(0, 1).contiguous() for one in (q, k, v))
        return ops.flash_attention(*heads_first, True).transpose(0, 1)

    def _sparse(
        self, x: torch.Tensor, q: torch.Tensor, cosines: torch.Tensor, sines: torch.Tensor
    ) -> torch.Tensor:
        kv = ops.rope((x @ self.to_kv.T)[:, None], cosines, sines)[:, 0]
        return ops.sparse_attention(q, kv, self._chosen(x), self.sink)

    def _chosen(self, x: torch.Tensor) -> torch.Tensor:
        """The keys up to each query that its indexer wants most; -1 where there are fewer."""
        asked = (x @ self.index_q.T).unflatten(1, (self.sizes.heads, -1))
        scores = ops.index_scores(asked, x @ self.index_k.T, (x @ self.index_w.T).float())
        beyond = torch.ones_like(scores, dtype=torch.bool).triu(1)
        count = min(self.sizes.top, len(x))
        best = scores.masked_fill(beyond, float("-inf")).topk(count, -1)
        indices = best.indices.int().masked_fill(best.values.isinf(), -1)
        return nn.functional.pad(indices, (0, self.sizes.top - count), value=-1)


class Layer(nn.Module):
    """Attention and experts, each between gates of the hyper-connections."""

    def __init__(self, sizes: Sizes, draw: Draw, *, sparse: bool) -> None:
        super().__init__()
        self.streams = sizes.streams
        self.parts = nn.ModuleList([Attention(sizes, draw, sparse=sparse), Experts(sizes, draw)])
        self.norms = [1 + 0.1 * draw(sizes.width, 1)[:, 0] for _ in self.parts]
        mixes = (2 + sizes.streams) * sizes.streams
        self.mixers = [draw(mixes, sizes.streams * sizes.width).float() for _ in self.parts]
        self.bases = [draw(mixes, 1).float()[:, 0] for _ in self.parts]

    def forward(
        self, streams: torch.Tensor, cosines: torch.Tensor, sines: torch.Tensor
    ) -> torch.Tensor:
        angles = ((cosines, sines), ())
        for index, part in enumerate(self.parts):
            before, after, matrix = self._gates(streams, index)
            x = (before[..., None] * streams).sum(1)
            y = part(ops.rms_norm(x.half(), self.norms[index]), *angles[index])
            streams = matrix.mT @ streams + after[..., None] * y.float()[:, None]
        return streams

    def _gates(
        self, streams: torch.Tensor, index: int
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        flat = streams.flatten(1)
        shrink = torch.rsqrt(flat.square().mean(-1, keepdim=True) + 1e-6)
        return ops.hc_split_sinkhorn(
            (flat @ self.mixers[index].T) * shrink, torch.ones(3), self.bases[index]
        )


class Draw:
    """Draws weights in float16, scaled by the inputs' number, from one generator."""

    def __init__(self, seed: int) -> None:
        self.generator = torch.Generator().manual_seed(seed)

    def __call__(self, *shape: int) -> torch.Tensor:
        return (torch.randn(shape, generator=self.generator) * shape[-1] ** -0.5).half()


class Model(nn.Module):
    """Tokens [S] to logits [S, vocabulary] in float32."""

    def __init__(self, sizes: Sizes | None = None) -> None:
        super().__init__()
        self.sizes = sizes or Sizes()
        draw = Draw(self.sizes.seed)
        self.embedding = draw(self.sizes.vocabulary, self.sizes.width) * self.sizes.width**0.5
        self.layers = nn.ModuleList(
            Layer(self.sizes, draw, sparse=index % 2 == 1) for index in range(self.sizes.layers)
        )
        self.norm = 1 + 0.1 * draw(self.sizes.width, 1)[:, 0]
        self.head = draw(self.sizes.vocabulary, self.sizes.width)

    @torch.no_grad()
    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        cosines, sines = angles_of(len(tokens), self.sizes.head_width)
        streams = self.embedding[tokens].float()[:, None].repeat(1, self.sizes.streams, 1)
        for layer in self.layers:
            streams = layer(streams, cosines, sines)
        x = ops.rms_norm(streams.mean(1).half(), self.norm)
        return x.float() @ self.head.T.float()


def angles_of(length: int, width: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosines and sines of the positions, [length, width / 2] float32."""
    speeds = 10_000.0 ** (-torch.arange(0, width, 2) / width)
    angles = torch.arange(length)[:, None] * speeds
    return angles.cos(), angles.sin()


def forced(model: Model, tokens: torch.Tensor, start: int) -> torch.Tensor:
    """Logits of the next token after each prefix of given tokens, from `start` on."""
    return torch.stack([model(tokens[:stop])[-1] for stop in range(start, len(tokens) + 1)])


def generate(model: Model, tokens: torch.Tensor, steps: int) -> torch.Tensor:
    """Appends the likeliest next token, `steps` times."""
    for _ in range(steps):
        tokens = torch.cat([tokens, model(tokens)[-1].argmax()[None]])
    return tokens
