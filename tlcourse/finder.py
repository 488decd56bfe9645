"""Decides who answers `import tilelang` and `import torch_npu`: the real packages or ours.

Both come from the same side, always. The decision falls once, at the first import of either
(or when `decision` is asked), and holds for the process. TLCOURSE_BACKEND overrides it:
`auto` (default), `simulated` or `npu`. This file imports nothing of the package at load, so
that `import tlcourse` stays cheap.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Literal

ROOTS = ("tilelang", "torch_npu")
VARIABLE = "TLCOURSE_BACKEND"
_TVM = "tvm"

_COMPAT = Path(__file__).parent / "compat"
_CANN_FOLDERS = ("/usr/local/Ascend/ascend-toolkit/latest", "/usr/local/Ascend/latest")
_CANN_LIBRARY = "libascendcl.so"


@dataclass(frozen=True, kw_only=True)
class Decision:
    """Who serves both packages in this process, and why."""

    served: Literal["simulated", "npu"]
    reason: str


class Finder(MetaPathFinder):
    """The entry of sys.meta_path that answers for the two roots and for nothing else."""

    def __init__(self) -> None:
        self._decision: Decision | None = None

    @property
    def decision(self) -> Decision:
        """The decision of this process, made now if it was not made before."""
        if self._decision is None:
            self._decision = self._decide()
        return self._decision

    def decide(self, served: Literal["simulated", "npu"], reason: str) -> None:
        """Fixes the decision before the first import of either package."""
        self._decision = Decision(served=served, reason=reason)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Finds one of the two packages; all other modules are left to the next finder."""
        if fullname == _TVM:
            return self._absent_tvm()
        if fullname not in ROOTS:
            return None
        if self.decision.served == "npu":
            return self._real_spec(fullname)
        folder = _COMPAT / fullname
        return importlib.util.spec_from_file_location(
            fullname, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )

    def _absent_tvm(self) -> ModuleSpec | None:
        """Where simulated tilelang has no TVM below, a spec whose import says what to write.

        torch only asks whether there is a spec, and must not meet the error.
        """
        simulated = self._decision is not None and self._decision.served == "simulated"
        if not simulated or self._elsewhere(_TVM) is not None:
            return None
        return ModuleSpec(_TVM, _NoTvmLoader())

    def _decide(self) -> Decision:
        wanted = os.environ.get(VARIABLE, "") or "auto"
        if wanted not in ("auto", "simulated", "npu"):
            raise _unknown_choice(wanted)
        loaded = [name for name in ROOTS if _is_real(sys.modules.get(name))]
        if loaded and wanted == "simulated":
            raise _imported_too_early(loaded[0])
        if loaded:
            return Decision(served="npu", reason=f"{loaded[0]} was imported before tlcourse")
        if wanted != "auto":
            return Decision(served=wanted, reason=f"{VARIABLE}={wanted}")
        missing = self._missing()
        if missing:
            return Decision(served="simulated", reason=missing)
        return Decision(served="npu", reason="torch_npu, CANN and tilelang are all here")

    def _missing(self) -> str:
        """What the real side lacks on this machine, as a sentence; empty if nothing."""
        if not _is_installed("torch_npu"):
            return "torch_npu is not installed"
        if not has_cann():
            return "torch_npu is installed, but CANN is not"
        spec = self._elsewhere("tilelang")
        if spec is None or not spec.origin or Path(spec.origin).stem != "__init__":
            return "torch_npu and CANN are here, but tilelang is not installed"
        return ""

    def _real_spec(self, name: str) -> ModuleSpec:
        spec = self._elsewhere(name)
        if spec is None or spec.loader is None:
            raise _not_installed(name, self.decision)
        spec.loader = _GuardedLoader(spec.loader, self.decision)
        return spec

    def _elsewhere(self, name: str) -> ModuleSpec | None:
        """What the other finders say about a package."""
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, None)
            if spec is not None:
                return spec
        return None


class _GuardedLoader(Loader):
    """Runs a real package and turns its failure into an error that says what to do."""

    def __init__(self, loader: Loader, decision: Decision) -> None:
        self._loader = loader
        self._because = decision

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # From here on the module looks as if no guard had been there.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        try:
            self._loader.exec_module(module)
        except Exception as problem:
            if type(problem).__name__ == "TLError":
                raise  # the inner package has spoken already
            raise _failed_import(module.__name__, self._because, problem) from problem


def install() -> None:
    """Puts the finder first in sys.meta_path, once, and keeps torch from a broken autoload.

    Raises:
        TL741: `import torch` failed before, which leaves a process without torch.
    """
    if any(isinstance(finder, Finder) for finder in sys.meta_path):
        return
    if "torch._C" in sys.modules and "torch" not in sys.modules:
        raise _half_loaded_torch()
    sys.meta_path.insert(0, Finder())
    # torch loads an installed torch_npu by itself and dies of it where CANN is missing.
    if "torch" not in sys.modules and not has_cann():
        os.environ.setdefault("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")


def decision() -> Decision:
    """Who serves `tilelang` and `torch_npu` in this process, and why.

    Raises:
        TL701: TLCOURSE_BACKEND holds an unknown word.
        TL702: the simulated pair is asked for, but a real package is loaded already.
    """
    return _installed().decision


def prefer_simulated() -> None:
    """Lets this process and its children use the simulator, unless the user said otherwise.

    For commands that show what only the simulator has. Works before either package is imported.
    """
    if os.environ.get(VARIABLE, "") not in ("", "auto"):
        return
    if decision().served == "npu":
        _installed().decide("simulated", "this command works on the simulator")
    os.environ[VARIABLE] = "simulated"


def has_cann() -> bool:
    """Whether CANN, the run-time of real NPUs, is on this machine."""
    home = os.environ.get("ASCEND_HOME_PATH", "")
    if home and Path(home).is_dir():
        return True
    if any(Path(folder).is_dir() for folder in _CANN_FOLDERS):
        return True
    folders = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    return any((Path(folder) / _CANN_LIBRARY).exists() for folder in folders if folder)


def _installed() -> Finder:
    install()
    return next(finder for finder in sys.meta_path if isinstance(finder, Finder))


def _is_installed(distribution: str) -> bool:
    import importlib.metadata  # 20 ms, wanted only when one of the two roots is imported

    try:
        importlib.metadata.distribution(distribution)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _is_real(module: ModuleType | None) -> bool:
    origin = getattr(module, "__file__", None)
    return origin is not None and not Path(origin).is_relative_to(_COMPAT)


def _unknown_choice(wanted: str) -> Exception:
    return _error(
        "TL701",
        f"{VARIABLE}={wanted} is not one of auto, simulated, npu",
        why="the variable decides who answers `import tilelang` and `import torch_npu`",
        fix=f"unset {VARIABLE}, or set it to auto, simulated or npu",
    )


def _imported_too_early(name: str) -> Exception:
    return _error(
        "TL702",
        f"{VARIABLE}=simulated, but the real {name} is loaded in this process already",
        why="tilelang and torch_npu must both be real or both be simulated",
        fix="restart Python and write `import tlcourse` above all other imports",
    )


def _not_installed(name: str, because: Decision) -> Exception:
    return _error(
        "TL703",
        f"the real {name} is wanted ({because.reason}), but it is not installed",
        why="tilelang and torch_npu must both be real or both be simulated",
        fix=f"install {name}, or set {VARIABLE}=simulated and restart Python",
    )


def _half_loaded_torch() -> Exception:
    blame = _is_installed("torch_npu") and not has_cann()
    return _error(
        "TL741",
        "torch failed to load in this process, and cannot be loaded again",
        why="torch_npu is installed here without CANN: torch loads it by itself and dies of it"
        if blame
        else "its library stays in the process, and refuses to start a second time",
        fix="restart Python (in a notebook: restart the kernel) and write `import tlcourse` above "
        "`import torch`, or set TORCH_DEVICE_BACKEND_AUTOLOAD=0, or uninstall torch_npu"
        if blame
        else "restart Python and look at the first message of `import torch`",
    )


def _failed_import(name: str, because: Decision, problem: Exception) -> Exception:
    return _error(
        "TL704",
        f"the real {name} cannot be imported: {type(problem).__name__}: {problem}",
        why=f"it was chosen because {because.reason}",
        fix=f"repair {name}, or set {VARIABLE}=simulated and restart Python to use the simulator",
    )


class _NoTvmLoader(Loader):
    """Refuses to import."""

    def exec_module(self, module: ModuleType) -> None:
        raise _no_tvm()


def _no_tvm() -> Exception:
    from tlcourse.diagnostics import TLError

    class NoTvmError(TLError, ModuleNotFoundError):
        """TL460 as `except ImportError` needs it."""

    problem = _error(
        "TL460",
        "tvm is not here",
        why="upstream's tilelang stands on TVM; here kernels are Tile IR, without TVM below",
        fix='write dtypes as texts ("float16"), sizes with T.symbolic("M") and expressions with T; '
        "kernel.trace() and `tlcourse ir FILE` show the IR",
    )
    assert isinstance(problem, TLError)
    return NoTvmError(problem.diagnostic)


def _error(code: str, what: str, *, why: str, fix: str) -> Exception:
    from tlcourse.diagnostics import error  # only when there is something to say

    return error(code, what, why=why, fix=fix)
