"""`jit` with and without parentheses, its memory, and wrong use."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

import tlcourse.language as T
from tlcourse.diagnostics import Diagnostic, TLError
from tlcourse.jit import Kernel, compile, jit
from tlcourse.jit.report import KernelWarning
from tlcourse.language import PrimFunc


@pytest.fixture(autouse=True)
def _functional(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TLCOURSE_EXECUTION", "functional")


def copy_kernel(size: int, dtype: str = "float32") -> PrimFunc:
    @T.prim_func
    def duplicate(A: T.Tensor((size,), dtype), B: T.Tensor((size,), dtype)):
        with T.Kernel(1, is_npu=True) as (_cid, _):
            a = T.alloc_ub((size,), dtype)
            T.copy(A, a)
            T.copy(a, B)

    return duplicate


FORMS: dict[str, Callable[[], Callable[..., Kernel]]] = {
    "bare": lambda: jit(copy_kernel),
    "parentheses": lambda: jit()(copy_kernel),
    "arguments": lambda: jit(target="npuir", execution_backend="cython")(copy_kernel),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(form: str) -> None:
    make = FORMS[form]()
    b = torch.zeros(64).npu()
    make(64)(torch.ones(64).npu(), b)
    assert (b == 1).all()
    assert make.__name__ == "copy_kernel"
    assert getattr(make, "__jit_impl__").func is copy_kernel


def test_out_idx_reaches_the_kernel() -> None:
    b = jit(out_idx=[-1])(copy_kernel)(64)(torch.ones(64).npu())
    assert isinstance(b, torch.Tensor)
    assert (b == 1).all()


class TestMemory:
    def test_equal_arguments_give_the_same_kernel(self) -> None:
        make = jit(copy_kernel)
        assert make(64) is make(64)
        assert make(64, dtype="float16") is make(64, dtype="float16")

    def test_other_arguments_give_another(self) -> None:
        make = jit(copy_kernel)
        assert make(64) is not make(32)
        assert make(64) is not make(64, dtype="float16")

    @pytest.mark.parametrize(
        ("first", "second"),
        [(1, True), (1, 1.0), (0.0, -0.0), ((1, 2), (1, 2.0))],
        ids=repr,
    )
    def test_equal_numbers_of_other_types_give_another(self, first: object, second: object) -> None:
        seen: list[object] = []

        def factory(value: object) -> PrimFunc:
            seen.append(value)
            return copy_kernel(32)

        make = jit(factory)
        assert make(first) is not make(second)
        assert make(first) is make(first)
        assert [repr(value) for value in seen] == [repr(first), repr(second)]

    def test_each_function_has_its_own(self) -> None:
        assert jit(copy_kernel)(64) is not jit(copy_kernel)(64)

    def test_other_mode_gives_another_and_the_first_comes_back(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make = jit(copy_kernel)
        expert = make(64)
        monkeypatch.setenv("TILELANG_ASCEND_MODE", "Developer")
        developer = make(64)
        monkeypatch.setenv("TILELANG_ASCEND_MODE", "Expert")
        assert (expert.launch_signature.mode, developer.launch_signature.mode) == (
            "Expert",
            "Developer",
        )
        assert make(64) is expert


def test_hidden_parameters_of_a_tuner_are_merged_into_the_call() -> None:
    make = jit(copy_kernel)
    tuned = make(64, __tune_params={"dtype": "float16"})  # type: ignore[call-arg]
    assert tuned.signature == {0: "*fp16", 1: "*fp16"}
    assert tuned is make(64, dtype="float16")


class TestWrongUse:
    def test_above_a_prim_func(self) -> None:
        with pytest.raises(TLError) as caught:
            jit(copy_kernel(64))  # type: ignore[call-overload]
        assert caught.value.code == "TL432"
        assert "@tilelang.jit stands above a PrimFunc" in caught.value.diagnostic.what

    @pytest.mark.parametrize(
        ("make", "what"),
        [
            (lambda: jit(lambda: None)(), "<lambda> needs a T.prim_func, but got None"),
            (lambda: jit(lambda: 3)(), "<lambda> needs a T.prim_func, but got a int"),
            (
                lambda: compile(copy_kernel),
                "tilelang.compile needs a T.prim_func, but got a function",
            ),
        ],
        ids=["None", "a number", "the factory itself"],
    )
    def test_no_prim_func(self, make: Callable[[], object], what: str) -> None:
        with pytest.raises(TLError) as caught:
            make()
        assert (caught.value.code, caught.value.diagnostic.what) == ("TL420", what)

    def test_argument_that_can_change(self) -> None:
        with pytest.raises(TLError) as caught:
            jit(copy_kernel)([64])  # type: ignore[arg-type]
        assert caught.value.code == "TL423"

    def test_tensors(self) -> None:
        with pytest.raises(TLError) as caught:
            jit(copy_kernel)(torch.ones(64).npu())  # type: ignore[arg-type]
        assert caught.value.code == "TL428"
        assert "kernel = copy_kernel(..sizes..)" in caught.value.diagnostic.fix

    @pytest.mark.parametrize(
        ("call", "what", "fix"),
        [
            (
                lambda make: make(64, dtyp="float16"),
                "keyword argument 'dtyp'",
                "did you mean dtype?",
            ),
            (lambda make: make(sise=64), "keyword argument 'sise'", "did you mean size?"),
            (
                lambda make: make(),
                "missing a required argument: 'size'",
                "copy_kernel(size, dtype)",
            ),
            (lambda make: make(1, "float16", 3), "too many", "copy_kernel(size, dtype)"),
        ],
        ids=["unknown", "misspelt", "missing", "too many"],
    )
    def test_arguments_that_do_not_fit(
        self, call: Callable[[Callable[..., Kernel]], object], what: str, fix: str
    ) -> None:
        with pytest.raises(TLError) as caught:
            call(jit(copy_kernel))
        assert caught.value.code == "TL426"
        assert what in caught.value.diagnostic.what
        assert fix in caught.value.diagnostic.fix
        assert "lambda make: make(" in str(caught.value)

    def test_the_factory_raises(self) -> None:
        def divided(size: int, block: int) -> PrimFunc:
            count = size // block
            return copy_kernel(count)

        with pytest.raises(TLError) as caught:
            jit(divided)(64, 0)
        assert caught.value.code == "TL429"
        assert caught.value.diagnostic.what.startswith("divided raised ZeroDivisionError: ")
        assert "| " + " " * 12 + "count = size // block" in str(caught.value)
        cause = caught.value.__cause__
        assert isinstance(cause, ZeroDivisionError)
        assert cause.__traceback__ is not None
        assert cause.__traceback__.tb_frame.f_code.co_filename == __file__

    def test_an_error_of_ours_in_the_factory_stays(self) -> None:
        with pytest.raises(TLError) as caught:
            jit(copy_kernel)(0)
        assert caught.value.code == "TL117"

    def test_target(self) -> None:
        with pytest.raises(TLError) as caught:
            compile(copy_kernel(64), target="cuda")
        assert caught.value.code == "TL422"

    def test_out_idx(self) -> None:
        with pytest.raises(TLError) as caught:
            compile(copy_kernel(64), out_idx=[2])
        assert caught.value.code == "TL421"


def test_what_the_language_warns_about_is_heard_here() -> None:
    quiet = copy_kernel(64)
    lint = Diagnostic(code="TL190", severity="warning", what="w", why="y", fix="f")
    noisy = PrimFunc(name=quiet.name, module=quiet.module, sources=quiet.sources, warnings=(lint,))
    with pytest.warns(KernelWarning, match=r"warning\[TL190\]") as caught:
        compile(noisy)
    assert caught[0].filename == __file__
