"""`import tilelang.language as T`: every public name of `tlcourse.language`."""

from __future__ import annotations

import tlcourse.language as _language
from tlcourse.language.names import public_names as _public_names

globals().update({name: getattr(_language, name) for name in _public_names(_language)})
globals()["__all__"] = _public_names(_language)

# An unknown name is reported at the line that asks for it, so no function of ours stands between.
__getattr__ = _language.__getattr__
