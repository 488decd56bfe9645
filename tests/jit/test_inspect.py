"""Finding the kernel that a command speaks of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tlcourse.diagnostics import TLError
from tlcourse.jit.inspect import load_kernel

KERNEL = """
import tilelang
import tilelang.language as T


def make(n=64):
    @T.prim_func
    def {name}(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            A_ub = T.alloc_ub((n,), "float32")
            B_ub = T.alloc_ub((n,), "float32")
            T.copy(A, A_ub)
            T.vexp(A_ub, B_ub)
            T.copy(B_ub, B)

    return {name}
"""


def write(folder: Path, *lines: str, name: str = "exponential") -> Path:
    path = folder / "kernels.py"
    path.write_text(KERNEL.format(name=name) + "\n" + "\n".join(lines) + "\n")
    return path


def code_of(path: Path, name: str | None = None) -> str:
    with pytest.raises(TLError) as caught:
        load_kernel(path, name)
    return f"{caught.value.code} {caught.value.diagnostic.what} {caught.value.diagnostic.fix}"


def test_a_prim_func_is_compiled(tmp_path: Path) -> None:
    path = write(tmp_path, "exp = make()")
    assert load_kernel(path, "exp").launch_signature.kernel == "exponential"


def test_a_kernel_is_taken_as_it_is(tmp_path: Path) -> None:
    path = write(tmp_path, "exp = tilelang.compile(make(), target='npuir')")
    assert load_kernel(path, "exp").launch_signature.kernel == "exponential"


def test_a_function_without_arguments_is_called(tmp_path: Path) -> None:
    assert load_kernel(write(tmp_path), "make").launch_signature.kernel == "exponential"


def test_a_decorated_factory_is_called(tmp_path: Path) -> None:
    path = write(tmp_path, "@tilelang.jit", "def factory():", "    return make()")
    assert load_kernel(path, "factory").launch_signature.kernel == "exponential"


def test_the_only_kernel_needs_no_name(tmp_path: Path) -> None:
    path = write(tmp_path, "exp = make()", "def other():", "    raise RuntimeError")
    assert load_kernel(path).launch_signature.kernel == "exponential"


def test_the_file_does_not_run_as_main(tmp_path: Path) -> None:
    path = write(tmp_path, "exp = make()", "if __name__ == '__main__':", "    raise RuntimeError")
    assert load_kernel(path).launch_signature.kernel == "exponential"


def test_a_typing_slip_is_told(tmp_path: Path) -> None:
    said = code_of(write(tmp_path, "exp = make()"), "exq")
    assert said.startswith("TL710")
    assert f"did you mean {tmp_path / 'kernels.py'}:exp?" in said


def test_a_file_without_kernels(tmp_path: Path) -> None:
    path = tmp_path / "empty.py"
    path.write_text("x = 1\n")
    assert code_of(path).startswith(f"TL710 {path} has no kernel ")


def test_several_kernels_need_a_name(tmp_path: Path) -> None:
    said = code_of(write(tmp_path, "one = make()", "two = make()"))
    assert said.startswith("TL711")
    assert "one, two" in said


def test_a_function_that_makes_no_kernel(tmp_path: Path) -> None:
    said = code_of(write(tmp_path, "def nothing():", "    return 3"), "nothing")
    assert said.startswith("TL712 nothing() in ")
    assert "gives int, not a kernel" in said


JIT = ("@tilelang.jit", "def axpy(n, block):", "    return make(n)")


@pytest.mark.parametrize("name", ["axpy", None])
def test_a_factory_that_needs_arguments(tmp_path: Path, name: str | None) -> None:
    path = write(tmp_path, *JIT)
    if name is None:
        path.write_text(path.read_text().replace("def make(n=64)", "def make(n)"))
    said = code_of(path, name)
    assert said.startswith(f"TL712 axpy in {path} is a factory that needs arguments: n, block ")
    assert f"put `kernel = axpy(256, ...)` in the file and name it: {path}:kernel" in said


def test_a_kernel_of_such_a_factory(tmp_path: Path) -> None:
    path = write(tmp_path, *JIT, "kernel = axpy(256, 64)")
    assert load_kernel(path, "kernel").launch_signature.kernel == "exponential"
    assert load_kernel(path).launch_signature.kernel == "exponential"
