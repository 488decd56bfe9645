"""`tlcourse bench soak`: very many different kernels in one process, and what they leave behind.

Each kernel is compiled and run three ways: as generated Python, as native code, and on the
simulator. Results are compared with torch's. The process is looked at after a warm-up, in which
libraries and tables are loaded, and at the end.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import itertools
import os
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tlcourse.bench.compiling import own_cache
from tlcourse.bench.native import EAGER, NATIVE, engine
from tlcourse.diagnostics import error
from tlcourse.threads import torch_threads

if TYPE_CHECKING:
    import torch

    from tlcourse.jit import Kernel

KERNELS, WARM_UP = 200, 60
MOST_GROWTH_BYTES = 32 * 2**20
_TOLERANCE = 5e-3  # of results in float16
_WAYS = ("functional", NATIVE, "simulator")


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What the process holds at one moment.

    Args:
        rss_bytes: memory that is its own and in use.
        threads: how many run.
        files: descriptors that are open.
        processes: those it has started, and theirs.
        temporary: names in the folder for temporary files.
    """

    rss_bytes: int
    threads: int
    files: int
    processes: int
    temporary: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class SoakReport:
    """The process after the warm-up and at the end, and what it ran on.

    Args:
        machine: what the figures were measured on.
        versions: of what was measured.
        warm_up: kernels before the first look.
        kernels: different kernels between the two looks.
        runs: launches between them, each with a right result.
        before: the first look.
        after: the second.
        growth_bytes: of the memory.
        most_growth_bytes: the budget: each native kernel stays loaded, as code does in Python.
    """

    machine: dict[str, str]
    versions: dict[str, str]
    warm_up: int
    kernels: int
    runs: int
    before: Standing
    after: Standing
    growth_bytes: int
    most_growth_bytes: int = MOST_GROWTH_BYTES

    @property
    def left(self) -> tuple[str, ...]:
        """What there is more of at the end, memory apart."""
        kinds = ("threads", "files", "processes")
        more = [name for name in kinds if getattr(self.after, name) > getattr(self.before, name)]
        return (*more, *(set(self.after.temporary) - set(self.before.temporary)))

    @property
    def met(self) -> bool:
        """Whether nothing is left and memory has stayed within its budget."""
        return not self.left and self.growth_bytes <= self.most_growth_bytes


@dataclass(frozen=True, kw_only=True)
class Subject:
    """One kernel: its name, how to build it, the arguments of a launch, and torch's result."""

    name: str
    make: Callable[[], object]
    arguments: list[torch.Tensor]
    wanted: torch.Tensor


def subjects() -> Iterator[Subject]:
    """Small kernels without end, no two alike: five kinds in turn, each size once."""
    for step in itertools.count():
        for kind in (_softmax, _vector_add, _strips, _gemm, _attention):
            yield kind(step)


def look(folder: Path) -> Standing:
    """What this process holds now.

    Args:
        folder: where its temporary files are.
    """
    import psutil

    gc.collect()
    process = psutil.Process()
    files = process.num_handles() if os.name == "nt" else process.num_fds()
    return Standing(
        rss_bytes=process.memory_info().rss,
        threads=process.num_threads(),
        files=files,
        processes=len(process.children(recursive=True)),
        temporary=tuple(sorted(path.name for path in folder.iterdir())),
    )


def measure_soak(
    kernels: int = KERNELS,
    warm_up: int = WARM_UP,
    *,
    told: Callable[[str], None],
    ways: tuple[str, ...] = _WAYS,
) -> SoakReport:
    """Compiles and runs kernels one after another in this process.

    Args:
        kernels: how many, besides those of the warm-up.
        warm_up: how many run before the first look.
        told: called with what the process holds from time to time.
        ways: how each is run.

    Raises:
        TL770: psutil is not installed.
        TL771: a result differs from torch's.
        TL775: there is no C compiler, or it refuses a kernel.
    """
    from tlcourse.bench.functional import machine, versions

    require_psutil()
    endless = subjects()
    with torch_threads(1), own_cache(), _own_temporary() as folder:
        _run(endless, warm_up, ways)
        before = look(folder)
        told(_line(warm_up, before))
        for start in range(0, kernels, 50):
            _run(endless, min(50, kernels - start), ways)
            told(_line(warm_up + min(start + 50, kernels), look(folder)))
        after = look(folder)
    return SoakReport(
        machine=machine(),
        versions=versions(peers=False),
        warm_up=warm_up,
        kernels=kernels,
        runs=kernels * len(ways),
        before=before,
        after=after,
        growth_bytes=after.rss_bytes - before.rss_bytes,
    )


def _line(kernels: int, seen: Standing) -> str:
    return (
        f"{kernels} kernels: {seen.rss_bytes / 1e6:.1f} MB, threads {seen.threads}, open files "
        f"{seen.files}, processes {seen.processes}, temporary files {len(seen.temporary)}"
    )


def _run(endless: Iterator[Subject], count: int, ways: tuple[str, ...]) -> None:
    from tlcourse.device import install
    from tlcourse.jit import compile

    install()
    for subject in itertools.islice(endless, count):
        kernel = compile(subject.make(), mode="Developer")  # pyright: ignore[reportArgumentType]
        for way in ways:
            _launch(kernel, subject, way)


def _launch(kernel: Kernel, subject: Subject, way: str) -> None:
    from tlcourse.bench.native import require_native
    from tlcourse.device import wrap

    result = subject.arguments[-1].fill_(float("nan"))
    with engine("native" if way == NATIVE else "torch"):
        if way == NATIVE:
            require_native(kernel, subject.name)
        execution = "simulator" if way == "simulator" else "functional"
        kernel.launch(*map(wrap, subject.arguments), execution=execution)
    difference = float((result.float() - subject.wanted.float()).abs().max())
    if not difference <= _TOLERANCE:
        raise error(
            "TL771",
            f"{subject.name}, {way}: the result is {difference:.2g} away from {EAGER}'s",
            why=f"{_TOLERANCE:g} is the most that rounding explains",
            fix="please report this",
        )


def _softmax(step: int) -> Subject:
    import torch

    columns = 64 + 16 * step
    x = _drawn(32, columns)
    return Subject(
        name=f"softmax 32x{columns}",
        make=_maker("softmax", 32, columns),
        arguments=[x, torch.empty_like(x)],
        wanted=torch.softmax(x, 1),
    )


def _vector_add(step: int) -> Subject:
    import torch

    a, b = _drawn(256 * (step + 1)).half(), _drawn(256 * (step + 1)).half()
    return Subject(
        name=f"vector add {len(a)}",
        make=_maker("elementwise.vector_add_developer", len(a)),
        arguments=[a, b, torch.empty_like(a)],
        wanted=a + b,
    )


def _strips(step: int) -> Subject:
    import torch

    columns = 64 + 16 * step
    x = _drawn(64, columns) / 4
    return Subject(
        name=f"strips 64x{columns}",
        make=_maker("strips", 64, columns, 32, 8),
        arguments=[x, torch.empty_like(x)],
        wanted=x.exp() * 2,
    )


def _gemm(step: int) -> Subject:
    import torch

    depth = 32 * (step + 1)
    a, b = (_drawn(64, depth) * depth**-0.5).half(), _drawn(depth, 64).half()
    return Subject(
        name=f"gemm 64x64x{depth}",
        make=_maker("gemm", 64, 64, depth, 32, 32, 32),
        arguments=[a, b, torch.empty(64, 64)],
        wanted=a.float() @ b.float(),
    )


def _attention(step: int) -> Subject:
    import torch

    length, width = 64 * (1 + step % 8), 16 * (1 + step // 8)
    q, k, v = (_drawn(1, length, width).half() for _ in range(3))
    scores = q.float() @ k.float().transpose(1, 2) * width**-0.5
    return Subject(
        name=f"attention 1x{length}x{width}",
        make=_maker("flash_attention", 1, length, width, 32, 32),
        arguments=[q, k, v, torch.empty_like(q)],
        wanted=torch.softmax(scores, -1) @ v.float(),
    )


def _maker(name: str, *sizes: int) -> Callable[[], object]:
    module, _, function = name.partition(".")
    example = importlib.import_module(f"tlcourse.examples.{module}")
    return lambda: getattr(example, function or module)(*sizes)


def _drawn(*shape: int) -> torch.Tensor:
    import torch

    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


@contextmanager
def _own_temporary() -> Generator[Path]:
    """A folder of its own for temporary files, for this process and those it starts."""
    before, variable = tempfile.tempdir, os.environ.get("TMPDIR")
    with tempfile.TemporaryDirectory(prefix="tlcourse-bench-") as folder:
        tempfile.tempdir = os.environ["TMPDIR"] = folder
        try:
            yield Path(folder)
        finally:
            tempfile.tempdir = before
            del os.environ["TMPDIR"]
            if variable is not None:
                os.environ["TMPDIR"] = variable


def require_psutil() -> None:
    """Sees to it that psutil is there.

    Raises:
        TL770: it is not.
    """
    if importlib.util.find_spec("psutil") is None:
        raise error(
            "TL770",
            "this measurement needs psutil, which is not installed",
            why="it says what memory, files and processes this one holds",
            fix="pip install psutil",
        )
