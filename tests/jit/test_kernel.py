"""The kernel object: calls, launches, what it tells about itself, its cache."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

import tlcourse.language as T
from tlcourse.diagnostics import TLError
from tlcourse.examples.minicv import minicv_expert
from tlcourse.jit import FindingWarning, Kernel, compile, lower
from tlcourse.jit.compiling import Compiler
from tlcourse.language import PrimFunc

BLOCK = 32


def vector_add(size: int, block: int = BLOCK) -> PrimFunc:
    @T.prim_func
    def add(
        A: T.Tensor((size,), "float32"),
        B: T.Tensor((size,), "float32"),
        C: T.Tensor((size,), "float32"),
    ):
        with T.Kernel(size // block, is_npu=True) as (cid, _):
            a = T.alloc_ub((block,), "float32")
            b = T.alloc_ub((block,), "float32")
            T.copy(A[cid * block : (cid + 1) * block], a)
            T.copy(B[cid * block : (cid + 1) * block], b)
            T.vadd(a, b, b)
            T.copy(b, C[cid * block : (cid + 1) * block])

    return add


@pytest.fixture(autouse=True)
def _functional(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TLCOURSE_EXECUTION", "functional")


@pytest.fixture
def pair() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(4)
    a, b = (torch.randn(128, generator=generator) for _ in range(2))
    return a.npu(), b.npu()


class TestCalls:
    @pytest.mark.parametrize("call", ["__call__", "launch"])
    def test_arguments_by_name(self, pair: tuple[torch.Tensor, torch.Tensor], call: str) -> None:
        a, b = pair
        kernel = compile(vector_add(128), out_idx=-1)
        with pytest.raises(TLError) as caught:
            getattr(kernel, call)(A=a, B=b)
        assert caught.value.code == "TL413"
        assert "A=.." in caught.value.diagnostic.what
        assert "call kernel(A, B)" in caught.value.diagnostic.fix
        assert len(caught.value.diagnostic.labels) == 1

    def test_options_belong_to_launch(self, pair: tuple[torch.Tensor, torch.Tensor]) -> None:
        with pytest.raises(TLError) as caught:
            compile(vector_add(128), out_idx=-1)(*pair, checks="all")
        assert caught.value.code == "TL413"
        assert "kernel.launch(A, B, checks=..)" in caught.value.diagnostic.fix

    def test_one_output_is_returned(self, pair: tuple[torch.Tensor, torch.Tensor]) -> None:
        a, b = pair
        c = compile(vector_add(128), out_idx=-1)(a, b)
        assert isinstance(c, torch.Tensor)
        torch.testing.assert_close(c, a + b, rtol=0, atol=0)

    def test_without_out_idx_the_caller_s_tensor_is_written(
        self, pair: tuple[torch.Tensor, torch.Tensor]
    ) -> None:
        a, b = pair
        c = torch.zeros(128).npu()
        assert compile(vector_add(128))(a, b, c) is None
        torch.testing.assert_close(c, a + b, rtol=0, atol=0)

    def test_several_outputs_are_a_list(self) -> None:
        @T.prim_func
        def split(
            A: T.Tensor((64,), "float32"),
            B: T.Tensor((32,), "float32"),
            C: T.Tensor((32,), "float32"),
        ):
            with T.Kernel(1, is_npu=True) as (_cid, _):
                a = T.alloc_ub((64,), "float32")
                T.copy(A, a)
                T.copy(a[0:32], B)
                T.copy(a[32:64], C)

        outputs = compile(split, out_idx=[2, 1])(torch.arange(64.0).npu())
        assert isinstance(outputs, list)
        assert [out[0].item() for out in outputs] == [32.0, 0.0]

    def test_symbols_come_from_the_shapes(self) -> None:
        N = T.symbolic("N")

        @T.prim_func
        def double(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
            with T.Kernel(N // 32, is_npu=True) as (cid, _):
                a = T.alloc_ub((32,), "float32")
                T.copy(A[cid * 32 : (cid + 1) * 32], a)
                T.vadd(a, a, a)
                T.copy(a, B[cid * 32 : (cid + 1) * 32])

        kernel = compile(double, out_idx=[1])
        assert kernel.symbolic == ("N",)
        for size in (32, 96):
            b = kernel(torch.ones(size).npu())
            assert isinstance(b, torch.Tensor)
            assert b.tolist() == [2.0] * size

    def test_fault_that_stops_the_run_is_raised_and_kept(self) -> None:
        @T.prim_func
        def beyond(A: T.Tensor((48,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(2, is_npu=True) as (cid, _):
                a = T.alloc_ub((32,), "float32")
                T.copy(A[cid * 32 : (cid + 1) * 32], a)
                T.copy(a, B[cid * 32 : (cid + 1) * 32])

        kernel = compile(beyond)
        with pytest.raises(TLError) as caught:
            kernel(torch.ones(48).npu(), torch.zeros(64).npu())
        assert caught.value.code == "TL501"
        assert "T.copy(A[cid * 32" in str(caught.value)
        assert kernel.last_launch is not None
        assert [f.diagnostic.code for f in kernel.last_launch.findings] == ["TL501"]

    def test_misfit_points_into_this_file(self) -> None:
        kernel = compile(vector_add(128))
        with pytest.raises(TLError) as caught:
            kernel(torch.zeros(128).npu(), torch.zeros(64).npu(), torch.zeros(128).npu())
        assert caught.value.code == "TL407"
        assert 'B: T.Tensor((size,), "float32")' in str(caught.value)


class TestLaunch:
    def test_all_there_is_to_see(self, pair: tuple[torch.Tensor, torch.Tensor]) -> None:
        kernel = compile(vector_add(128), out_idx=[2])
        launch = kernel.launch(*pair, execution="functional")
        assert kernel.last_launch is launch
        assert (len(launch.outputs), launch.findings) == (1, ())

    @pytest.mark.parametrize("word", ["execution", "backend", "checks"])
    def test_unknown_words(self, word: str, pair: tuple[torch.Tensor, torch.Tensor]) -> None:
        kernel = compile(vector_add(128), out_idx=[2])
        with pytest.raises(TLError) as caught:
            kernel.launch(*pair, **{word: "other"})  # type: ignore[arg-type]
        assert caught.value.code == "TL424"


class TestAbout:
    def test_names_and_shapes(self) -> None:
        kernel = compile(vector_add(128), out_idx=[-1])
        assert (kernel.kernel_name, kernel.out_idx, kernel.gridfunc) == ("add", (2,), "4")
        assert [parameter.name for parameter in kernel.params] == ["A", "B", "C"]
        assert kernel.param_info[2] == {"dtype": "float32", "shape": [128], "is_output": True}
        assert kernel.launch_signature.parameters == kernel.params
        assert repr(kernel) == "<kernel add(A, B, C), Expert>"

    def test_signature_says_how_arguments_are_passed(self) -> None:
        M = T.symbolic("M")

        @T.prim_func
        def scaled(A: T.Tensor((M,), "bfloat16"), n: T.int32, B: T.Tensor((M,), "int8")):
            with T.Kernel(1, is_npu=True) as (_cid, _):
                a = T.alloc_ub((16,), "bfloat16")
                T.copy(A[0:16], a)

        assert compile(scaled).signature == {0: "*bf16", 1: "i32", 2: "*i8", 3: "i32"}

    def test_mix_mode(self) -> None:
        assert compile(vector_add(128)).mix_mode == "aiv"
        assert compile(minicv_expert()).mix_mode == "mix"

    def test_tuner_result_is_kept_as_given(self) -> None:
        kernel = compile(vector_add(128))
        assert kernel.update_tuner_result(1.5, {"block": 32}, None) is kernel
        assert kernel.get_tuner_result() == {
            "latency": 1.5,
            "config": {"block": 32},
            "ref_latency": None,
        }

    def test_tuner_result_of_a_kernel_that_nobody_tuned(self) -> None:
        with pytest.raises(TLError) as caught:
            compile(vector_add(128)).get_tuner_result()
        assert caught.value.code == "TL453"

    def test_from_database_is_refused(self) -> None:
        with pytest.raises(TLError) as caught:
            Kernel.from_database(None, "source", "main.so")
        assert caught.value.code == "TL460"
        assert "tilelang.compile" in caught.value.diagnostic.fix


class TestSimulator:
    """What needs the whole compiler: the default way to run, and texts of its stages."""

    @pytest.fixture
    def kernel(self, monkeypatch: pytest.MonkeyPatch) -> Kernel:
        monkeypatch.delenv("TLCOURSE_EXECUTION")
        return compile(vector_add(128), out_idx=[2])

    def test_is_the_default(self, kernel: Kernel, pair: tuple[torch.Tensor, torch.Tensor]) -> None:
        c = kernel(*pair)
        assert isinstance(c, torch.Tensor)
        torch.testing.assert_close(c, pair[0] + pair[1], rtol=0, atol=0)
        assert kernel.last_launch is not None
        assert kernel.last_launch.timeline.kernel == "add"
        assert kernel.last_launch.timeline.cycles > 0
        assert kernel.mix_mode == "aiv"

    def test_element_that_nobody_writes_is_poison_and_a_warning(self) -> None:
        @T.prim_func
        def half(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(1, is_npu=True) as (_cid, _):
                a = T.alloc_ub((32,), "float32")
                T.copy(A[0:32], a)
                T.copy(a, B[0:32])

        kernel = compile(half, out_idx=[1])
        kernel = Kernel(
            kernel.module, kernel.sources, replace(kernel.settings, execution="simulator")
        )
        with pytest.warns(FindingWarning, match="TL528") as caught:
            b = kernel(torch.ones(64).npu())
        assert isinstance(b, torch.Tensor)
        assert (b[:32] == 1).all()
        assert b[32:].isnan().all()
        assert caught[0].filename == __file__

    def test_trace_is_stored_and_keeps_its_texts(self, kernel: Kernel) -> None:
        first, second = kernel.trace(), compile(vector_add(128), out_idx=[2]).trace("embedded")
        assert first == second
        assert (first.kernel, first.mode, first.target) == ("add", "Expert", "npuir")
        assert "T.vadd(a, b, b)" in next(iter(first.sources.values())).text

    def test_texts_of_the_stages(self, kernel: Kernel) -> None:
        assert "hivm.hir.vadd" in kernel.mlir_content
        assert lower(vector_add(128)) == compile(vector_add(128)).mlir_content
        assert "hivm.hir.pointer_cast" in kernel.get_kernel_source()


class TestMode:
    def test_is_fixed_when_the_kernel_is_made(self, monkeypatch: pytest.MonkeyPatch) -> None:
        func = vector_add(128)
        expert = compile(func)
        monkeypatch.setenv("TILELANG_ASCEND_MODE", "Developer")
        developer = compile(func)
        assert (expert.launch_signature.mode, developer.launch_signature.mode) == (
            "Expert",
            "Developer",
        )
        assert compile(func, mode="Expert").launch_signature.mode == "Expert"

    def test_traced_function_is_left_as_it_was(self) -> None:
        func = vector_add(128)
        before = str(func.module)
        compile(func, out_idx=[2], mode="Developer")
        assert str(func.module) == before


class TestCache:
    """A second kernel of the same text takes what the first one stored."""

    @pytest.fixture
    def compiled(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        """The executions for which passes ran."""
        made: list[str] = []
        generate = Compiler._generated

        def counted(self: Compiler, *args: str) -> object:
            made.append(args[0])
            return generate(self, *args)  # type: ignore[arg-type]

        monkeypatch.setattr(Compiler, "_generated", counted)
        return made

    def test_equal_kernels_compile_once(
        self, compiled: list[str], pair: tuple[torch.Tensor, torch.Tensor]
    ) -> None:
        for _ in range(2):
            c = compile(vector_add(128), out_idx=[2])(*pair)
            assert isinstance(c, torch.Tensor)
            torch.testing.assert_close(c, pair[0] + pair[1], rtol=0, atol=0)
        assert compiled == ["functional"]

    @pytest.mark.parametrize(
        "other",
        [
            lambda: compile(vector_add(64), out_idx=[2]),
            lambda: compile(vector_add(128)),
            lambda: compile(vector_add(128), out_idx=[2], mode="Developer"),
            lambda: compile(
                vector_add(128),
                out_idx=[2],
                pass_configs={"npuir.enable_auto_multi_buffer": False},
            ),
        ],
        ids=["shape", "out_idx", "mode", "pass_configs"],
    )
    def test_whatever_decides_the_code_is_in_the_key(
        self, compiled: list[str], other: object
    ) -> None:
        compile(vector_add(128), out_idx=[2]).program()
        assert callable(other)
        other().program()
        assert compiled == ["functional", "functional"]

    def test_switched_off(
        self, compiled: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("TILELANG_DISABLE_CACHE", "1")
        for _ in range(2):
            compile(vector_add(128)).program()
        assert compiled == ["functional", "functional"]
        assert not (tmp_path / "cache").exists()

    def test_one_kernel_compiles_once_an_executor(self, compiled: list[str]) -> None:
        kernel = compile(vector_add(128))
        assert kernel.program() is kernel.program("functional")
        assert compiled == ["functional"]

    def test_carets_survive(self, compiled: list[str]) -> None:
        for _ in range(2):
            kernel = compile(vector_add(128))
            assert kernel.program().sources == kernel.prim_func.sources  # type: ignore[union-attr]
        assert compiled == ["functional"]


def test_kernel_of_a_module_alone() -> None:
    """What a grader does: no traced function, only stamped Tile IR and its texts."""
    first = compile(vector_add(128), out_idx=[2])
    kernel = Kernel(first.module, first.sources, first.settings)
    c = kernel(torch.ones(128).npu(), torch.ones(128).npu())
    assert isinstance(c, torch.Tensor)
    assert (c == 2).all()
    assert kernel.prim_func is None
