"""hivm-mark-real-core-type: every op that only one kind of core can run says so.

```
%r = hivm.hir.mmadL1 ..        -->     %r = hivm.hir.mmadL1 {hivm.tcore_type = CUBE} ..
```

Scalars, views and loops stay unmarked: both functions of the split get them.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tlcourse.passes.npuir.cube_vector import (
    CORE_ATTRIBUTE,
    core_of,
    device_functions,
    mark,
)


@dataclass(frozen=True)
class HivmMarkRealCoreTypePass(ModulePass):
    """Marks ops with their core, or removes the marks again."""

    name = "hivm-mark-real-core-type"
    remove_core_type_attrs: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.remove_core_type_attrs:
            for inner in op.walk():
                inner.attributes.pop(CORE_ATTRIBUTE, None)
            return
        for function in device_functions(op, "MIX"):
            for inner in function.walk():
                core = core_of(inner)
                if core is not None:
                    mark(inner, core)
