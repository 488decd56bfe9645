"""Pass canonicalize-module: the first clean-up of what code generation wrote."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func

from tlcourse.passes.npuir.functions import DevicePass
from tlcourse.passes.npuir.simplify import simplify


@dataclass(frozen=True)
class CanonicalizeModulePass(DevicePass):
    """Computes what is known, drops what nobody uses, gathers constants at the top.

    ```
    %a = arith.constant 4 : i32
    %b = arith.muli %a, %a : i32        -->   %c16_i32 = arith.constant 16 : i32
    %x = arith.muli %i, %b : i32              %x = arith.muli %i, %c16_i32 : i32
    %y = arith.addi %x, %i : i32              (nobody reads %y)
    ```

    Algorithm: until nothing changes, (1) replace an `arith` op on constants by its value and
    an op with a neutral operand by the other one, (2) open loops that run at most once and
    ifs whose condition is known, (3) erase pure ops and allocations without users. Last, each
    constant moves to the function's top, once per value.

    Differs from upstream: only rules that our code generation gives work to, and loops on i32
    that run once are opened too. Ops keep their place and location; constants have none.
    """

    name = "canonicalize-module"

    def run(self, function: func.FuncOp) -> None:
        simplify(function)
