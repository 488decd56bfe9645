"""Field log, group G: numbers of attention kernels."""

from __future__ import annotations

import math

import pytest
import torch

import tlcourse.language as T
from tlcourse.diagnostics import TLError
from tlcourse.examples.flash_attention import flash_attention, online_softmax
from tlcourse.jit import compile as compile_kernel
from tlcourse.jit.testing import torch_assert_close


def _reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    scores = q.float() @ k.float().mT * q.shape[-1] ** -0.5
    return (scores.softmax(-1) @ v.float()).to(q.dtype)


@pytest.mark.parametrize(("S", "D"), [(1024, 128), (128, 64)])
def test_f56_flash_attention_in_bfloat16(developer, S: int, D: int) -> None:
    """The example was right in float16, and wrong in bfloat16 in 73 of 100 elements."""
    if developer.execution == "simulator" and S > 128:
        S, D = 256, 128
    torch.manual_seed(56)
    q, k, v = (torch.randn(1, S, D).bfloat16() for _ in "qkv")
    func = flash_attention(1, S, D, 64, 64, "bfloat16")
    developer.gives(func, (q, k, v), _reference(q, k, v))


def _with_tail(S: int, D: int, block: int, masked: bool) -> T.PrimFunc:
    """One block of queries; keys pass in blocks whose last one reaches behind S."""

    @T.prim_func
    def attention(
        Q: T.Tensor((S, D), "float16"),
        K: T.Tensor((S, D), "float16"),
        V: T.Tensor((S, D), "float16"),
        Y: T.Tensor((S, D), "float32"),
    ):
        with T.Kernel(1, is_npu=True):
            q = T.alloc_shared((S, D), "float16")
            k = T.alloc_shared((block, D), "float16")
            v = T.alloc_shared((block, D), "float16")
            p = T.alloc_shared((S, block), "float16")
            s = T.alloc_fragment((S, block), "float32")
            pv = T.alloc_fragment((S, D), "float32")
            acc = T.alloc_fragment((S, D), "float32")
            m = T.alloc_fragment((S, 1), "float32")
            m_now = T.alloc_fragment((S, 1), "float32")
            l = T.alloc_fragment((S, 1), "float32")  # noqa: E741
            l_now = T.alloc_fragment((S, 1), "float32")
            shrink = T.alloc_fragment((S, 1), "float32")
            T.copy(Q, q)
            T.vbrc(0.0, acc)
            T.vbrc(0.0, l)
            T.vbrc(-T.infinity("float32"), m)
            for j in T.serial(T.ceildiv(S, block)):
                n = T.min(block, S - j * block)
                T.vbrc(0.0, k)
                T.vbrc(0.0, v)
                T.copy(K[j * block : j * block + n, :], k[0:n, :])
                T.copy(V[j * block : j * block + n, :], v[0:n, :])
                T.gemm(q, k, s, initC=True, b_transpose=True)
                T.vmul(s, D**-0.5, s)
                if masked:
                    if n < block:
                        T.vbrc(-T.infinity("float32"), s[:, n:block])
                online_softmax(s, m, l, shrink, m_now, l_now)
                T.vcast(s, p)
                T.gemm(p, v, pv, initC=True)
                T.vmul(acc, shrink, acc)
                T.vadd(acc, pv, acc)
            T.vdiv(acc, l, acc)
            T.copy(acc, Y)

    return attention


def test_f57_keys_behind_the_end_are_masked(developer) -> None:
    """Zero columns behind the last key entered the softmax."""
    torch.manual_seed(57)
    q, k, v = (torch.randn(40, 16).half() for _ in "qkv")
    wanted = (q.float() @ k.float().T / 4).softmax(-1).half().float() @ v.float()
    outputs = {masked: torch.zeros(40, 16) for masked in (True, False)}
    for masked, y in outputs.items():
        assert developer.run(_with_tail(40, 16, 32, masked), q, k, v, y) == ()
    torch.testing.assert_close(outputs[True], wanted, rtol=1e-3, atol=1e-3)
    assert (outputs[False] - wanted).abs().max() > 0.03


def _masked_softmax(sentinel: float) -> T.PrimFunc:
    @T.prim_func
    def attention(
        Q: T.Tensor((2, 1), "float32"),
        K: T.Tensor((1, 2), "float32"),
        V: T.Tensor((1, 2), "float32"),
        Y: T.Tensor((2, 1), "float32"),
    ):
        with T.Kernel(1, is_npu=True):
            q = T.alloc_ub((2, 1), "float32")
            k = T.alloc_ub((1, 2), "float32")
            v = T.alloc_ub((1, 2), "float32")
            s = T.alloc_ub((2, 2), "float32")
            m = T.alloc_ub((2, 1), "float32")
            y = T.alloc_ub((2, 1), "float32")
            T.copy(Q, q)
            T.copy(K, k)
            T.copy(V, v)
            T.vmul(q, k, s)
            T.vbrc(sentinel, s[:, 1:2])
            T.reduce_max(s, m, dim=1)
            T.vsub(s, m, s)
            T.vexp(s, s)
            T.reduce_sum(s, m, dim=1)
            T.vdiv(s, m, s)
            T.vmul(s, v, s)
            T.reduce_sum(s, y, dim=1)
            T.copy(y, Y)

    return attention


@pytest.mark.parametrize(("sentinel", "wanted"), [(-math.inf, [1.0, 1.0]), (-1e4, [100.0, 1.0])])
def test_f58_masked_key_below_every_score(anywhere, sentinel: float, wanted: list[float]) -> None:
    """A finite mask of -10,000 let the masked key win over a score of -20,000."""
    q, k, v = (
        torch.tensor([[-20000.0], [0.0]]),
        torch.tensor([[1.0, 0]]),
        torch.tensor([[1, 100.0]]),
    )
    anywhere.gives(_masked_softmax(sentinel), (q, k, v), torch.tensor(wanted)[:, None])


def _causal(rows: int, keys: int, D: int) -> T.PrimFunc:
    """Bottom-right: the last query sees all keys; a row without keys gives 0."""

    @T.prim_func
    def attention(
        Q: T.Tensor((rows, D), "float16"),
        K: T.Tensor((keys, D), "float16"),
        V: T.Tensor((keys, D), "float16"),
        Y: T.Tensor((rows, D), "float32"),
    ):
        with T.Kernel(1, is_npu=True):
            q = T.alloc_shared((rows, D), "float16")
            k = T.alloc_shared((keys, D), "float16")
            v = T.alloc_shared((keys, D), "float16")
            p = T.alloc_shared((rows, keys), "float16")
            s = T.alloc_fragment((rows, keys), "float32")
            m = T.alloc_fragment((rows, 1), "float32")
            l = T.alloc_fragment((rows, 1), "float32")  # noqa: E741
            y = T.alloc_fragment((rows, D), "float32")
            T.copy(Q, q)
            T.copy(K, k)
            T.copy(V, v)
            T.gemm(q, k, s, initC=True, b_transpose=True)
            T.vmul(s, D**-0.5, s)
            for i in T.serial(rows):
                for j in T.serial(keys):
                    if j > i + keys - rows:
                        s[i, j] = -T.infinity("float32")
            T.reduce_max(s, m, dim=1)
            # A row without keys: exp(-inf - m) is 0 only if m is finite, and 0 / l if l is not 0.
            T.vmax(m, -1e30, m)
            T.vsub(s, m, s)
            T.vexp(s, s)
            T.reduce_sum(s, l, dim=1)
            T.vmax(l, 1e-30, l)
            T.vdiv(s, l, s)
            T.vcast(s, p)
            T.gemm(p, v, y, initC=True)
            T.copy(y, Y)

    return attention


def test_f59_causal_with_fewer_keys_than_queries(developer) -> None:
    """Queries that see no key gave NaN, and which keys a query sees was not stated."""
    torch.manual_seed(59)
    q, k, v = torch.randn(6, 16).half(), torch.randn(4, 16).half(), torch.randn(4, 16).half()
    scores = q.float() @ k.float().T / 4
    hidden = torch.ones(6, 4).tril(4 - 6) == 0
    weights = scores.masked_fill(hidden, -math.inf).softmax(-1).nan_to_num(0.0)
    wanted = weights.half().float() @ v.float()
    y = torch.full((6, 16), torch.nan)
    assert developer.run(_causal(6, 4, 16), q, k, v, y) == ()
    assert torch.equal(y[:2], torch.zeros(2, 16))
    torch.testing.assert_close(y, wanted, rtol=1e-3, atol=1e-3)


def _scores(workspace: str) -> T.PrimFunc:
    @T.prim_func
    def scores(
        Q: T.Tensor((16, 64), "float16"),
        K: T.Tensor((16, 64), "float16"),
        W: T.Tensor((16, 16), workspace),
        Y: T.Tensor((16, 16), "float32"),
    ):
        with T.Kernel(1, is_npu=True):
            q = T.alloc_shared((16, 64), "float16")
            k = T.alloc_shared((16, 64), "float16")
            s = T.alloc_fragment((16, 16), "float32")
            w = T.alloc_fragment((16, 16), workspace)
            T.copy(Q, q)
            T.copy(K, k)
            T.gemm(q, k, s, initC=True, b_transpose=True)
            T.copy(s, w)
            T.copy(w, W)
            T.copy(w, s)
            T.vmul(s, 0.125, s)
            T.copy(s, Y)

    return scores


def test_f60_scores_beyond_float16(developer, found) -> None:
    """Scaling behind a float16 product is too late: 230,400 is infinite there."""
    q = torch.full((16, 64), 60.0).half()
    raw = torch.full((16, 16), 230400.0)
    developer.gives(_scores("float32"), (q, q), raw, raw / 8)
    func = _scores("float16")
    w, y = torch.zeros(16, 16).half(), torch.zeros(16, 16)
    findings = developer.run(func, q, q, w, y)
    found(findings, func.sources, "TL509", "T.copy(s, w)", "inf is stored here first", "65,504")
    assert w.isposinf().all()
    assert y.isposinf().all()


def _grouped(heads: int, kv_heads: int, whole_groups: bool) -> T.PrimFunc:
    group = heads // kv_heads
    blocks = kv_heads * group if whole_groups else heads

    @T.prim_func
    def grouped(
        K: T.Tensor((kv_heads, 16), "float32"),
        Y: T.Tensor((heads, 16), "float32"),
    ):
        with T.Kernel(blocks, is_npu=True) as (head, _):
            k = T.alloc_ub((1, 16), "float32")
            T.copy(K[head // group, 0], k)
            T.copy(k, Y[head, 0])

    return grouped


def test_f61_query_heads_in_no_whole_groups(anywhere, found) -> None:
    """5 query heads over 2 key heads: the fifth reads a key head that is not there."""
    func = _grouped(5, 2, whole_groups=False)
    findings = anywhere.run(func, torch.ones(2, 16), torch.zeros(5, 16))
    found(findings, func.sources, "TL501", "T.copy(K[head // group, 0], k)", "K", "block 4")


def test_f61_output_of_the_last_head_is_never_written(found) -> None:
    """A grid of whole groups leaves the fifth head's output unwritten."""
    func = _grouped(5, 2, whole_groups=True)
    kernel = compile_kernel(func, out_idx=[1])
    launch = kernel.launch(torch.ones(2, 16).npu(), execution="simulator")
    found(launch.findings, func.sources, "TL528", "Y: T.Tensor((heads, 16)", "Y[4, 0]")


def test_f62_very_large_equal_scores(developer) -> None:
    """Inputs of 133,120 in bfloat16 gave NaN in a fused path."""
    x = torch.full((1, 64, 64), 133120.0).bfloat16()
    developer.gives(flash_attention(1, 64, 64, 32, 32, "bfloat16"), (x, x, x), x)


def test_f63_checker_compares_rows_of_nan() -> None:
    """The reference had rows of NaN and the checker did not look at them."""
    with_nan = torch.tensor([[1.0, 2.0], [torch.nan, torch.nan]])
    numbers = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    torch_assert_close(with_nan, with_nan.clone())
    for found, wanted in ((with_nan, numbers), (numbers, with_nan)):
        with pytest.raises(TLError, match="TL435"):
            torch_assert_close(found, wanted, max_mismatched_ratio=1.0)
