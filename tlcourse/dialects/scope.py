"""The scope dialect: a region that later passes inline."""

from __future__ import annotations

from xdsl.ir import Dialect
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsTerminator


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """Ends a `scope.scope`."""

    name = "scope.return"
    values = var_operand_def()
    traits = traits_def(IsTerminator())


@irdl_op_definition
class ScopeOp(IRDLOperation):
    """A region with results, kept apart for one core."""

    name = "scope.scope"
    scope_results = var_result_def()
    region = region_def()


Scope = Dialect("scope", [ScopeOp, ReturnOp], [])
