"""From Tile IR to the MLIR that the AscendNPU IR passes start from."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from tlcourse.codegen.copy_rules import check_copies
from tlcourse.codegen.developer import generate_developer
from tlcourse.codegen.expert import generate_expert
from tlcourse.diagnostics import SourceMap
from tlcourse.dialects.expansion import expanded
from tlcourse.dialects.signature import mode_of


def generate(module: ModuleOp, sources: SourceMap | None = None) -> ModuleOp:
    """Generates MLIR for a stamped Tile IR module after the TIR phase.

    Expert kernels become memref code, one function per kind of core; Developer kernels
    become tensor code in one function. The given module is not changed.

    Args:
        module: Tile IR with a mode.
        sources: texts for the carets of errors.

    Raises:
        TL210: a tile has no place in this mode.
        TL211: an operand lies in the wrong memory.
        TL203: no data path joins the two memories of a copy.
        TL212: a statement stands on the wrong core.
        TL213, TL215: what a copy may not ask for, see `check_copies`.
        TL123: the two sides of a copy have different extents.
        TL214: a statement does not exist in this mode.
    """
    check_copies(module, dict(sources or {}))
    lower = generate_expert if mode_of(module) == "Expert" else generate_developer
    return lower(expanded(module), dict(sources or {}))


__all__ = ["check_copies", "generate"]
