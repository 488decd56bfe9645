"""Tile IR as C: one function that runs all blocks of a launch, for the machine at hand.

Kernels that need several cores at once, flags between them or a printer stay with the Program of
the functional executor; `native_source` gives None for them.
"""

from __future__ import annotations

from tlcourse.codegen.native.function import native_source

__all__ = ["native_source"]
