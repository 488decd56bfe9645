"""The measured kernels compute what torch computes, and the simulator finds nothing wrong."""

from __future__ import annotations

import pytest
import torch

TOLERANCE = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-4}
DTYPES = {name: getattr(torch, name) for name in TOLERANCE}


def _agree(found: torch.Tensor, wanted: torch.Tensor, dtype: str, more: float = 1.0) -> None:
    bound = TOLERANCE[dtype] * more
    torch.testing.assert_close(found.float(), wanted.float(), atol=bound, rtol=bound)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("chunked", [False, True])
def test_lerp_with_a_short_last_tile(kernels, launched, dtype, chunked) -> None:
    a, b, w = (torch.rand(5000).to(DTYPES[dtype]) for _ in range(3))
    function = kernels("lerp").lerp(5000, 512, dtype, cores=4, chunked=chunked)
    (out,), codes = launched(function, "Developer", [-1], a, b, w)
    assert codes == []
    _agree(out, torch.lerp(a, b, w), dtype)


def test_rounds_make_a_lerp_stop_early(kernels, launched) -> None:
    """Of 10 tiles on 4 cores, one round does the first four."""
    a, b, w = (torch.rand(5000) for _ in range(3))
    function = kernels("lerp").lerp(5000, 512, "float32", cores=4, rounds=1)
    (out,), _ = launched(function, "Developer", [-1], a, b, w)
    _agree(out[:2048], torch.lerp(a, b, w)[:2048], "float32")


def test_copy_probe(kernels, launched) -> None:
    a, b, w = (torch.rand(5000) for _ in range(3))
    function = kernels("lerp").copy_probe(5000, 512, "float32", cores=4)
    (out,), codes = launched(function, "Developer", [-1], a, b, w)
    assert codes == []
    _agree(out, a + b + w, "float32")


def test_swiglu(kernels, launched) -> None:
    x = torch.randn(48, 128).half()
    function = kernels("swiglu").swiglu(48, 128, 16, 32, cores=4)
    (out,), codes = launched(function, "Developer", [-1], x)
    assert codes == []
    left, right = x.float().chunk(2, dim=1)
    _agree(out, torch.nn.functional.silu(left) * right, "float16")


def test_mean(kernels, launched) -> None:
    x, out = torch.rand(48, 256), torch.zeros(1, 1).npu()
    function = kernels("mean").mean(48 * 256, 8, 256, cores=4)
    _, codes = launched(function, "Developer", None, x, out)
    assert codes == []
    _agree(out.cpu(), x.mean().reshape(1, 1), "float32")


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(
    ("batch", "S", "heads", "rows", "group", "merged"),
    [(1, 60, 1, 8, 1, False), (2, 20, 4, 6, 4, True), (2, 20, 4, 6, 2, False)],
)
def test_rope(kernels, launched, dtype, batch, S, heads, rows, group, merged) -> None:
    D = 64
    x = torch.randn(batch * S, heads, D).to(DTYPES[dtype])
    angle = torch.rand(S, D // 2) * 6
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    function = kernels("rope").rope(batch, S, heads, D, rows, group, dtype, merged, cores=4)
    (out,), codes = launched(function, "Developer", [-1], x, cos, sin)
    assert codes == []
    lo, hi = x.float().chunk(2, dim=-1)
    c, s = (t.float()[:, None, :].repeat(batch, 1, 1) for t in (cos, sin))
    _agree(out, torch.cat([lo * c - hi * s, hi * c + lo * s], -1), dtype)


def test_gemm(kernels, launched) -> None:
    a, b = torch.randn(2 * 64, 128).half(), torch.randn(2 * 128, 256).half()
    function = kernels("gemm").gemm(64, 256, 128, 64, 128, 64, batch=2)
    (out,), codes = launched(function, "Developer", [-1], a, b)
    assert codes == []
    _agree(
        out,
        torch.bmm(a.view(2, 64, 128).float(), b.view(2, 128, 256).float()).flatten(0, 1),
        "float16",
        10,
    )


@pytest.mark.parametrize("block_K", [32, 128])
def test_gemm_staying(kernels, launched, block_K) -> None:
    a, b = torch.randn(192, 128).half(), torch.randn(128, 256).half()
    function = kernels("gemm").gemm_staying(192, 256, 128, 64, 128, block_K, cores=4)
    (out,), codes = launched(function, "Expert", [-1], a, b, by_hand=True)
    assert codes == []
    _agree(out, a.float() @ b.float(), "float16", 10)


def _attention(S: int, D: int) -> tuple[list[torch.Tensor], torch.Tensor]:
    q, k, v = (torch.randn(S, D).half() for _ in range(3))
    weights = torch.softmax(q.float() @ k.float().T * D**-0.5, -1)
    return [q, k, v], weights @ v.float()


@pytest.mark.parametrize("hoisted", [False, True])
def test_attention_in_two_phases(kernels, launched, hoisted) -> None:
    """256 rows in blocks of 96: the last block has 64."""
    S, D, block_N = 256, 64, 64
    inputs, wanted = _attention(S, D)
    spaces = (torch.zeros(s).half() for s in ((S, S), (S, S), (S, S // block_N * D)))
    function = kernels("flash_attention").two_phase(S, D, 96, block_N, hoisted=hoisted)
    (out,), codes = launched(function, "Expert", [3], *inputs, *spaces)
    assert codes == []
    _agree(out, wanted, "float16")


def test_attention_in_turn(kernels, launched) -> None:
    S, D, block_N = 256, 64, 64
    inputs, wanted = _attention(S, D)
    spaces = (torch.zeros(s).half() for s in ((S, block_N), (S, block_N), (S, D)))
    function = kernels("flash_attention").in_turn(S, D, 96, block_N)
    (out,), codes = launched(function, "Expert", [3], *inputs, *spaces)
    assert codes == []
    _agree(out, wanted, "float16")


@pytest.mark.parametrize(
    ("block_M", "block_N", "between", "inside"),
    [
        (64, 64, "float32", "float32"),
        (44, 128, "float16", "float32"),
        (44, 128, "float16", "float16"),
    ],
)
def test_attention_in_a_chain(kernels, launched, block_M, block_N, between, inside) -> None:
    S, D = 256, 64
    inputs, wanted = _attention(S, D)
    spaces = (
        torch.zeros(24, 2, block_M, block_N, dtype=DTYPES[between]),
        torch.zeros(24, 2, block_M, block_N).half(),
        torch.zeros(24, 2, block_M, D),
    )
    make = kernels("flash_chain").flash_chain
    function = make(S, D, block_M, block_N, between=between, inside=inside)
    (out,), codes = launched(function, "Expert", [3], *inputs, *spaces, by_hand=True)
    assert codes == []
    _agree(out, wanted, "float16")


def _scan(B: int, chunks: int, Q: int, H: int, P: int, N: int) -> tuple[list, torch.Tensor]:
    S = chunks * Q
    x, cb, C, state = (
        (torch.randn(*shape) * 0.3).half()
        for shape in ((B, S, H, P), (B, chunks, Q, Q), (B, S, N), (B, chunks, H, P, N))
    )
    decay = -torch.rand(B, H, chunks, Q).cumsum(-1) * 0.1
    dt = (torch.rand(B, H, chunks, Q) + 0.1).half()
    past = torch.einsum("bcln,bchpn->bclhp", C.float().view(B, chunks, Q, N), state.float())
    past = past * decay.exp().permute(0, 2, 3, 1)[..., None]
    gaps = (decay[..., :, None] - decay[..., None, :]).exp() * torch.tril(torch.ones(Q, Q))
    weights = cb.float()[:, None] * gaps * dt.float()[..., None, :]
    inner = torch.einsum("bhcls,bcshp->bclhp", weights, x.float().view(B, chunks, Q, H, P))
    tiles, slices = Q // 64, P // 64
    spaces = [
        torch.zeros(24, 2, slices, tiles, 64, N).half(),
        torch.zeros(24, 2, slices, tiles, tiles, 64, 64).half(),
    ]
    return [x, cb, decay, C, state, dt, *spaces], (past + inner).reshape(B, S, H, P)


@pytest.mark.parametrize("hoisted", [False, True])
@pytest.mark.parametrize("two_sums", [False, True])
@pytest.mark.parametrize("early", [False, True])
def test_chunk_scan(kernels, launched, hoisted, two_sums, early) -> None:
    """30 tasks on 24 core groups: some have a second one, in the other slot."""
    inputs, wanted = _scan(1, 1, 128, 30, 64, 32)
    function = kernels("chunk_scan").chunk_scan(
        1, 1, 128, 30, 64, 32, hoisted=hoisted, two_sums=two_sums, early=early
    )
    (out,), codes = launched(function, "Expert", [-1], *inputs, by_hand=True)
    assert codes == []
    _agree(out, wanted, "float16", 2)


def test_a_scan_that_is_not_split_writes_everything_twice(kernels, launched) -> None:
    """Both vector cores store the same numbers to the same place, as the measured kernel did."""
    inputs, wanted = _scan(1, 1, 128, 2, 64, 32)
    function = kernels("chunk_scan").chunk_scan(1, 1, 128, 2, 64, 32, split=False)
    (out,), codes = launched(function, "Expert", [-1], *inputs, by_hand=True)
    assert set(codes) == {"TL522"}
    _agree(out, wanted, "float16", 2)
