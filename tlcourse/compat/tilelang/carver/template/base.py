"""`tilelang.carver.template.base`."""

from __future__ import annotations

from tlcourse.jit.arch import get_arch as auto_infer_current_arch
from tlcourse.jit.carver.templates import Template as BaseTemplate
from tlcourse.jit.elsewhere import asker as _asker

__all__ = ["BaseTemplate", "auto_infer_current_arch"]

__getattr__ = _asker("tilelang.carver.template.base", __all__)
