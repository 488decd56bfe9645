"""The compiled engine: a Program's C text, built once by the system's compiler, run in place.

It is optional: a Program without C text, a machine without a compiler, or a launch in which the C
code meets something out of the ordinary, runs as generated Python, with all reports.
"""

from __future__ import annotations

import ctypes
import hashlib
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from pathlib import Path

import torch

from tlcourse.config import read_config
from tlcourse.records import Program
from tlcourse.stored import keep, put

# Sums may be fused and need no exact order; everything else is as written.
_FLAGS = (
    *("-O3", "-march=native", "-std=gnu11", "-shared", "-fPIC", "-fwrapv"),
    *("-fno-strict-aliasing", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math"),
)
_THREADS = ("-fopenmp",)
_WIDE = ("-mprefer-vector-width=512",)  # of compilers for x86
_CHOICES = ((*_THREADS, *_WIDE), _THREADS, ())
_BUILD_SECONDS = 120
# What compiled code gives back where all went well: outputs without and with inf or NaN.
FINITE, NOT_FINITE = 0, 4
_RUNTIME = ("runtime.h", "matrix_unit.h")  # each may include the next

Argument = torch.Tensor | int | float


def whole_text(source: str) -> str:
    """C text with the runtime that it includes in its place, so that it stands alone."""
    for name in _RUNTIME:
        text = Path(__file__).with_name(name).read_text(encoding="utf-8")
        source = source.replace(f'#include "{name}"', text)
    return source


def find_compiler() -> str | None:
    """The system's C compiler: gcc, clang or cc, the first there is."""
    return next((found for name in ("gcc", "clang", "cc") if (found := shutil.which(name))), None)


@cache
def machine_tag() -> str:
    """What tells one kind of machine from another: compiled code may need all it can do."""
    facts = [platform.system(), platform.machine()]
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
        facts += [line for line in lines if line.startswith(("flags", "Features"))][:1]
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:16]


def build(source: str, target: Path) -> bool:
    """Compiles C text into a shared library, which appears whole or not at all.

    Args:
        source: the text.
        target: path of the library.

    Returns:
        whether it is there now; not so where there is no compiler or it refuses.
    """
    compiler = find_compiler()
    if compiler is None:
        return False
    try:
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "main.so"
            Path(folder, "main.c").write_text(whole_text(source), encoding="utf-8")
            if not any(_compile(compiler, Path(folder), more) for more in _CHOICES):
                return False
            put(target, made.read_bytes())
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def _compile(compiler: str, folder: Path, more: Sequence[str]) -> bool:
    command = [compiler, *_FLAGS, *more, "main.c", "-o", "main.so", "-lm"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, timeout=_BUILD_SECONDS, check=False
    )
    return done.returncode == 0


def library_of(program: Program, engine: str, folder: Path | None = None) -> Path | None:
    """The library that runs a Program: its own, or that of its C text, built now or before.

    Args:
        program: the Program; `library` among its options is the path of its own.
        engine: `torch` for none, `auto` for its own only, `native` for any.
        folder: where libraries are kept; None reads TILELANG_CACHE_DIR.
    """
    if engine == "torch":
        return None
    own, source = program.options.get("library"), program.options.get("native")
    if own:
        return Path(own)
    if not source or engine != "native":
        return None
    return _built(source, str(folder or read_config().cache_dir))


@lru_cache(maxsize=256)
def _built(source: str, folder: str) -> Path | None:
    parts = "\n".join(
        (whole_text(source), machine_tag(), *_FLAGS, *_CHOICES[0], find_compiler() or "")
    )
    key = hashlib.sha256(parts.encode()).hexdigest()
    place = Path(folder) / "tlcourse" / "native"
    return _found(place, key) or _made(place, key, source)


def _found(place: Path, key: str) -> Path | None:
    """A stored library; its name ends with the hash of its content, so that damage is noticed."""
    stored = sorted(place.glob(f"{key}-*.so")) if place.is_dir() else []
    return next((one for one in stored if one.stem == f"{key}-{_hash(one.read_bytes())}"), None)


def _made(place: Path, key: str, source: str) -> Path | None:
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "kernel.so"
        if not build(source, library):
            return None
        data = library.read_bytes()
    path = place / f"{key}-{_hash(data)}.so"
    fix = "name a folder that you may write to in TILELANG_CACHE_DIR"
    return path if keep(path, data, "kernels run without native code", fix=fix) else None


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def run_compiled(
    library: Path,
    program: Program,
    arguments: Sequence[Argument],
    grid: Sequence[int],
    threads: int,
) -> int:
    """Runs all blocks in C.

    Args:
        library: what `build` made.
        program: the Program; its options say which tensors it reads and writes.
        arguments: one per parameter, in order, as generated Python gets them.
        grid: extents of the grid.
        threads: how many blocks run at once.

    Returns:
        FINITE or NOT_FINITE where all went well; else tensors that the kernel reads are as they
        were.
    """
    kept = _kept(program, arguments)
    numbers = [_number(one) for one in arguments if not isinstance(one, torch.Tensor)]
    given = iter(numbers)
    pointers = [
        one.data_ptr() if isinstance(one, torch.Tensor) else ctypes.addressof(next(given))
        for one in arguments
    ]
    sizes = [n for one in arguments if isinstance(one, torch.Tensor) for n in one.shape]
    state = _entry(library)(
        (ctypes.c_void_p * len(pointers))(*pointers),
        (ctypes.c_int64 * max(len(sizes), 1))(*sizes),
        (ctypes.c_int64 * len(grid))(*grid),
        threads,
    )
    if state not in (FINITE, NOT_FINITE):
        for tensor, before in kept:
            tensor.copy_(before)
    return state


def _kept(
    program: Program, arguments: Sequence[Argument]
) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Copies of the tensors that are read and written, for a second run."""
    both = set(program.options.get("read", ())) & set(program.options.get("written", ()))
    pairs = zip(program.signature.parameters, arguments, strict=True)
    return [(a, a.clone()) for p, a in pairs if p.name in both and isinstance(a, torch.Tensor)]


def _number(value: float) -> ctypes.c_int64 | ctypes.c_double:
    return ctypes.c_int64(value) if isinstance(value, int) else ctypes.c_double(value)


@lru_cache(maxsize=256)
def _entry(library: Path) -> Callable[..., int]:
    run = ctypes.CDLL(str(library)).run
    run.restype = ctypes.c_int
    run.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
    return run
