"""What a `@tilelang.jit` function holds: the function under it and how its kernels are made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tlcourse.diagnostics import TLError, error
from tlcourse.jit.factory import make_prim_func
from tlcourse.jit.kernel import Kernel
from tlcourse.language import PrimFunc

OutIdx = int | Sequence[int] | None
PassConfigs = Mapping[str, object] | None


@dataclass(frozen=True, kw_only=True)
class JitImpl:
    """A function that makes prim_funcs, and what `jit` above it makes of them.

    Args:
        func: the learner's function.
        compile: makes a kernel of what it returns.
        debug_root_path: folder for the texts of each kernel.
    """

    func: Callable[..., object]
    compile: Callable[[PrimFunc], Kernel]
    debug_root_path: str | None = None

    def make(self, args: Sequence[object], kwargs: Mapping[str, object]) -> Kernel:
        """The kernel for one call of the function.

        Raises:
            TL420: the function gives no prim_func.
            TL429: the function raised.
            TL433: the texts cannot be written.
        """
        kernel = self.compile(make_prim_func(self.func, args, kwargs))
        if self.debug_root_path is not None:
            write_texts(kernel, Path(self.debug_root_path))
        return kernel


def write_texts(kernel: Kernel, folder: Path) -> None:
    """Writes a kernel's Tile IR script and its MLIR into a folder.

    Raises:
        TL433: the folder cannot be written.
    """
    name, script = kernel.kernel_name, kernel.prim_func.script() if kernel.prim_func else ""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"tilelang_jit_program_{name}.py").write_text(script, encoding="utf-8")
        (folder / f"tilelang_jit_kernel_{name}.mlir").write_text(
            kernel.mlir_content, encoding="utf-8"
        )
    except OSError as problem:
        raise _cannot_write(folder, problem) from problem


def _cannot_write(folder: Path, problem: OSError) -> TLError:
    return error(
        "TL433",
        f"the texts of the kernel cannot be written into {folder}: {problem.strerror}",
        why="debug_root_path names a folder for them",
        fix="name a folder that can be written, or leave debug_root_path out",
    )
