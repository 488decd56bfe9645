"""Runs a function op by op: names and their values, blocks, loops and branches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from xdsl.dialects import affine, arith, cf, func, llvm, scf
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator
from xdsl.utils.hints import isa

from tlcourse.diagnostics import SourceMap
from tlcourse.dialects.tosa import ClampOp, ConstOp
from tlcourse.stages.mlir.faults import no_meaning, too_long
from tlcourse.stages.mlir.meanings import CASTS, MEANINGS, clamp, compare_floats, compare_integers
from tlcourse.stages.mlir.memory_ops import constant_array, run_memory_op
from tlcourse.stages.mlir.values import Value, dtype

STEP_LIMIT = 2_000_000
"""Ops that one call may run."""

Function = func.FuncOp | llvm.FuncOp


@dataclass
class Machine:
    """A module that is being run.

    Args:
        module: it is not changed.
        sources: the texts that its locations point into.
        steps: ops run so far.
    """

    module: ModuleOp
    sources: SourceMap
    steps: int = 0

    def function(self, name: str) -> Function | None:
        """The function of a name."""
        for op in self.module.body.block.ops:
            if isinstance(op, (func.FuncOp, llvm.FuncOp)) and op.sym_name.data == name:
                return op
        return None

    def call(self, function: Function, arguments: Sequence[Value]) -> Sequence[Value]:
        """Runs a function; what it writes it writes into the arguments."""
        with np.errstate(all="ignore"):
            return Frame(self).region(function.body, arguments)


@dataclass
class Frame:
    """One call: what the names of a function stand for at the moment."""

    machine: Machine
    values: dict[SSAValue, Value] = field(default_factory=lambda: dict[SSAValue, Value]())
    point: tuple[int, ...] = ()

    @property
    def sources(self) -> SourceMap:
        """The texts that locations point into."""
        return self.machine.sources

    def region(
        self, region: Region, arguments: Sequence[Value], point: tuple[int, ...] = ()
    ) -> list[Value]:
        """Runs blocks from the first one on; what the last op hands back."""
        block, given = region.blocks[0], list(arguments)
        self.point = point or self.point
        while True:
            self.values.update(zip(block.args, given, strict=True))
            last = self._block(block)
            target = self._target(last)
            if target is None:
                return self.read(last.operands)
            block, given = target

    def call(self, op: Operation, name: str, values: Sequence[Value]) -> list[Value]:
        """Runs another function of the module."""
        function = self.machine.function(name)
        if function is None or not function.body.blocks:
            raise no_meaning(op, self.sources, f"there is no function {name} to call")
        return list(self.machine.call(function, values))

    def read(self, names: Sequence[SSAValue]) -> list[Value]:
        """The values of names."""
        return [self.values[name] for name in names]

    def _block(self, block: Block) -> Operation:
        """Runs a block up to its last op, which is handed back."""
        for op in block.ops:
            self.machine.steps += 1
            if self.machine.steps > STEP_LIMIT:
                raise too_long(op, self.sources, STEP_LIMIT)
            if op.has_trait(IsTerminator, value_if_unregistered=False):
                return op
            results = self._op(op, self.read(op.operands))
            self.values.update(zip(op.results, results, strict=True))
        raise AssertionError("a block ends with a terminator")

    def _target(self, op: Operation) -> tuple[Block, list[Value]] | None:
        match op:
            case cf.BranchOp() | llvm.BrOp():
                return op.successors[0], self.read(op.operands)
            case cf.ConditionalBranchOp():
                taken = bool(self.values[op.cond])
                values = op.then_arguments if taken else op.else_arguments
                return op.successors[0 if taken else 1], self.read(values)
            case llvm.CondBrOp():
                taken = bool(self.values[op.cond])
                values = op.then_arguments if taken else op.else_arguments
                return op.successors[0 if taken else 1], self.read(values)
            case _:
                return None

    def _op(self, op: Operation, values: list[Value]) -> Sequence[Value]:
        done = run_memory_op(self, op, values)
        if done is not None:
            return done
        match op:
            case arith.ConstantOp() | llvm.ConstantOp() | ConstOp():
                return [self._constant(op, op.value, op.results[0].type)]
            case scf.ForOp():
                return self._loop(op, values)
            case scf.IfOp():
                region = op.true_region if values[0] else op.false_region
                return self.region(region, ()) if region.blocks else ()
            case func.CallOp():
                return self.call(op, op.callee.string_value(), values)
            case affine.ApplyOp():
                places = [int(cast("np.int64", one)) for one in values]
                dims = op.map.data.num_dims
                return [np.int64(op.map.data.eval(places[:dims], places[dims:])[0])]
            case IndexOp():
                return [np.int64(self.point[op.dim.value.data])]
            case _:
                return [self._number(op, values)]

    def _loop(self, op: scf.ForOp, values: list[Value]) -> Sequence[Value]:
        lower, upper, step = (int(cast("np.int64", one)) for one in values[:3])
        carried = values[3:]
        for turn in range(lower, upper, step):
            carried = self.region(op.body, [np.int64(turn), *carried])
        return carried

    def _constant(self, op: Operation, value: Attribute, kind: Attribute) -> Value:
        if isa(value, DenseIntOrFPElementsAttr):
            return constant_array(value, kind)
        number = dtype(kind)
        data: object = getattr(getattr(value, "value", None), "data", None)
        if number is None or not isinstance(data, (int, float)):
            raise no_meaning(op, self.sources)
        return number.type(data)

    def _number(self, op: Operation, values: list[Value]) -> Value:
        match op:
            case arith.CmpiOp() | llvm.ICmpOp():
                run = compare_integers(op.predicate.value.data)
            case arith.CmpfOp() | llvm.FCmpOp():
                run = compare_floats(op.predicate.value.data)
            case ClampOp():
                least, most = op.min_fp.value.data, op.max_fp.value.data
                return cast("Value", clamp(values[0], least, most))
            case _ if op.name in CASTS:
                number = dtype(op.results[0].type)
                run = None if number is None else number.type
            case _:
                run = MEANINGS.get(op.name)
        if run is None:
            raise no_meaning(op, self.sources)
        return cast("Value", run(*values))
