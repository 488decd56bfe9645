"""What is decided when a kernel is made and never again: mode, target, outputs, chip."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from tlcourse.chips import CHIPS, DEFAULT_CHIP, Chip
from tlcourse.config import NO, YES, mode_from, read_config
from tlcourse.diagnostics import TLError, error
from tlcourse.jit.launch import Checks, Execution
from tlcourse.jit.pass_config import normal_pass_configs
from tlcourse.records import Backend, Mode, Parameter

TARGETS = ("npuir",)
_FAMILIES = {"": DEFAULT_CHIP.name, "Ascend910B": DEFAULT_CHIP.name}
_BACKENDS = ("embedded", "bishengir")
_EXECUTIONS = ("simulator", "functional")
_CHECKS = ("off", "class", "all")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of one kernel.

    Args:
        mode: how the kernel is written.
        target: the compiler's target; `npuir` is the only one.
        pass_configs: options of passes, name to text.
        chip: the simulated chip.
        backend: the back half that compiles unless a call names another.
        execution: the executor that runs unless a launch names another.
        checks: how much the simulator checks unless a launch says otherwise.
        cache_folder: where Programs are stored; None stores none.
    """

    mode: Mode
    target: str
    pass_configs: Mapping[str, str]
    chip: Chip
    backend: Backend
    execution: Execution
    checks: Checks
    cache_folder: Path | None


def read_settings(
    *,
    mode: str | None = None,
    target: str = "npuir",
    pass_configs: Mapping[str, object] | None = None,
) -> Settings:
    """The settings of a kernel that is made now, from the arguments and the environment.

    Args:
        mode: Developer or Expert; None reads TILELANG_ASCEND_MODE.
        target: the compiler's target.
        pass_configs: options of passes by upstream's names.

    Raises:
        TL422: the target is unknown.
        TL424: a variable holds a word that has no meaning.
        TL425: the chip is unknown.
        TL431: a value in pass_configs has no meaning.
    """
    if target not in TARGETS:
        raise unknown("TL422", "target", target, TARGETS, "kernels are compiled for an NPU only")
    config = read_config()
    _one_of(
        "TILELANG_ENABLE_SIMT", config.enable_simt.lower(), ("", *YES, *NO), "it says yes or no"
    )
    return Settings(
        mode=config.mode if mode is None else mode_from(mode),
        target=target,
        pass_configs=normal_pass_configs(pass_configs),
        chip=_chip(config.device_name),
        backend=backend_from(config.backend, "TLCOURSE_COMPILER"),
        execution=execution_from(config.execution, "TLCOURSE_EXECUTION"),
        checks=checks_from(config.checks, "TLCOURSE_CHECKS"),
        cache_folder=config.cache_dir if config.cache_enabled else None,
    )


def backend_from(word: str, name: str = "backend") -> Backend:
    """The back half that a word names.

    Raises:
        TL424: there is none of that name.
    """
    return cast(Backend, _one_of(name, word, _BACKENDS, "it names what compiles the kernel"))


def execution_from(word: str, name: str = "execution") -> Execution:
    """The executor that a word names.

    Raises:
        TL424: there is none of that name.
    """
    return cast(Execution, _one_of(name, word, _EXECUTIONS, "it names what runs the kernel"))


def checks_from(word: str, name: str = "checks") -> Checks:
    """How much to check, as a word says.

    Raises:
        TL424: the word has no meaning.
    """
    return cast(Checks, _one_of(name, word, _CHECKS, "it says how much the simulator checks"))


def normal_out_idx(
    out_idx: int | Sequence[int] | None, parameters: Sequence[Parameter]
) -> tuple[int, ...]:
    """Positions of the outputs, counted from 0.

    Args:
        out_idx: one position or several; negative ones count from the end.
        parameters: the kernel's parameters; symbols at their end are not counted.

    Raises:
        TL421: a position is out of range, comes twice, or is a scalar's; or it is no position.
    """
    given = _positions(out_idx)
    own = [parameter for parameter in parameters if parameter.kind != "symbol"]
    found: list[int] = []
    for index in given:
        position = index + len(own) if index < 0 else index
        if not 0 <= position < len(own) or own[position].kind != "tensor" or position in found:
            raise _bad_out_idx(index, own)
        found.append(position)
    return tuple(found)


def _positions(out_idx: object) -> tuple[int, ...]:
    """out_idx as a tuple of whole numbers."""
    many = cast("Sequence[object]", out_idx) if isinstance(out_idx, (list, tuple)) else [out_idx]
    found = () if out_idx is None else tuple(many)
    numbers = tuple(index for index in found if type(index) is int)
    if numbers != found:
        raise error(
            "TL421",
            f"out_idx is {out_idx!r}, not a position or a list of positions",
            why="a position is a whole number that counts parameters from 0, or from the end",
            fix="write out_idx=[-1] for the last parameter",
        )
    return numbers


def unknown(code: str, name: str, word: str, known: Collection[str], why: str) -> TLError:
    """An error about a word that is not one of a few."""
    near = difflib.get_close_matches(str(word), known, n=1)
    choices = ", ".join(f'"{choice}"' for choice in known)
    fix = f'did you mean "{near[0]}"?' if near else f"choose one of {choices}"
    return error(code, f'{name} = "{word}" is not known', why=f"{why}: {choices}", fix=fix)


def _one_of(name: str, word: str, known: Collection[str], why: str) -> str:
    if word not in known:
        raise unknown("TL424", name, word, known, why)
    return word


def _chip(name: str) -> Chip:
    name = _FAMILIES.get(name, name)
    if name not in CHIPS:
        why = "TILELANG_ASCEND_DEVICE_NAME names the simulated chip"
        raise unknown("TL425", "TILELANG_ASCEND_DEVICE_NAME", name, CHIPS, why)
    return CHIPS[name]


def _bad_out_idx(index: int, parameters: Sequence[Parameter]) -> TLError:
    tensors = [f"{i} = {p.name}" for i, p in enumerate(parameters) if p.kind == "tensor"]
    return error(
        "TL421",
        f"out_idx names parameter {index}, which cannot be an output here",
        why=f"outputs are tensors of the kernel, each named once: {', '.join(tensors)}",
        fix=f"write out_idx=[{len(parameters) - 1}] or [-1] for the last parameter",
    )
