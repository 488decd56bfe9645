"""`kernel.get_profiler()`: times a kernel, compares it with a reference, repeats it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import cast

import torch

from tlcourse.diagnostics import Diagnostic, TLError
from tlcourse.jit.bench import Latency, do_bench, simulated_ms
from tlcourse.jit.binding import inputs_of
from tlcourse.jit.closeness import MismatchError, assert_close
from tlcourse.jit.kernel import Kernel
from tlcourse.jit.launch import Launch
from tlcourse.jit.report import report
from tlcourse.jit.supply import KernelParam, TensorSupplyType, parameter_view, supply

Reference = Callable[..., object]
Tensors = Sequence[object]

NOT_SIMULATED = frozenset({"TL310"})
"""Codes of errors that say that the simulator does not know how, not that the kernel is wrong."""


class Profiler:
    """Times and checks one kernel, with `out_idx` and without.

    Args:
        kernel: the kernel.
        supply_type: how tensors are filled that nobody gives. A kernel with symbols or scalar
            parameters needs `input_tensors`.
    """

    def __init__(
        self, kernel: Kernel, supply_type: TensorSupplyType = TensorSupplyType.Auto
    ) -> None:
        self.kernel = kernel
        self.supply_type = supply_type

    def __call__(self, *tensors: object) -> object:
        """Calls the kernel."""
        return self.kernel(*tensors)

    def params(self) -> tuple[KernelParam, ...]:
        """The parameters that a call takes, in order."""
        return tuple(
            parameter_view(parameter, is_output=False)
            for parameter in inputs_of(self.kernel.launch_signature)
        )

    def inputs(self) -> list[torch.Tensor]:
        """One new npu tensor for each of them.

        Raises:
            TL434: one is a scalar, or has a shape that is known at the launch only.
        """
        return [supply(parameter, self.supply_type) for parameter in self.params()]

    def can_simulate(self) -> bool:
        """Whether the simulator knows every operation of the kernel.

        Raises:
            TLError: the kernel does not compile, and would not on the chip.
        """
        try:
            self.kernel.program("simulator")
        except TLError as problem:
            if problem.code not in NOT_SIMULATED:
                raise
            return False
        except (AssertionError, KeyError, NotImplementedError):
            return False
        return True

    def simulated_ms(self, input_tensors: Tensors | None = None) -> Latency:
        """Milliseconds that one launch takes on the simulated chip. The same in every run.

        Only the time is computed: tensors keep their contents.

        Raises:
            TL470 to TL472: the kernel decides by numbers what it does; it stands still.
        """
        tensors = self.inputs() if input_tensors is None else input_tensors
        return simulated_ms(self.kernel.profile(*tensors))

    def do_bench(
        self,
        func: Reference | None = None,
        warmup: float = 25,
        rep: float = 100,
        n_warmup: int = 1,
        n_repeat: int = 1,
        input_tensors: Tensors | None = None,
    ) -> Latency:
        """Milliseconds of the kernel, or of a function; the result's `clock` says which.

        The kernel is timed by the simulator where it knows all of its operations. A function,
        and a kernel that only the functional executor runs, is timed by this machine's clock.

        Args:
            func: a function of the same tensors; None or the kernel itself times the kernel.
            warmup: see `tlcourse.jit.bench.do_bench`, as for the next three.
            rep: see there.
            n_warmup: see there.
            n_repeat: see there.
            input_tensors: the arguments; None makes some up.
        """
        tensors = self.inputs() if input_tensors is None else list(input_tensors)
        if func is None or func is self.kernel:
            if self.can_simulate():
                return self.simulated_ms(tensors)
            func = self._functional
        found = do_bench(lambda: func(*tensors), warmup, rep, n_warmup, n_repeat)
        assert isinstance(found, Latency), "no quantiles were asked for"
        return found

    def run_once(
        self, func: Reference | None = None, input_tensors: Tensors | None = None
    ) -> object:
        """Calls the kernel, or a function of the same tensors, once."""
        tensors = self.inputs() if input_tensors is None else input_tensors
        return (func or self.kernel)(*tensors)

    def assert_allclose(
        self,
        reference_program: Reference,
        input_tensors: Tensors | None = None,
        atol: float = 1e-2,
        rtol: float = 1e-2,
        max_mismatched_ratio: float = 0.01,
    ) -> None:
        """Compares what the kernel writes with what the reference returns.

        Args:
            reference_program: gets the same tensors; without out_idx it may leave out those
                that the kernel writes, or write into its own copies of them.
            input_tensors: the arguments; None makes some up.
            atol: allowed difference.
            rtol: allowed difference as a part of the reference.
            max_mismatched_ratio: the part of all elements that may differ more.

        Raises:
            TL435: it differs.
        """
        got, wanted = self._both(reference_program, input_tensors)
        self.compare(got, wanted, atol, rtol, max_mismatched_ratio)

    def manual_assert_close(
        self,
        reference_program: Reference,
        input_tensors: Tensors | None = None,
        manual_check_prog: Callable[[list[torch.Tensor], list[torch.Tensor]], object] | None = None,
    ) -> None:
        """Lets `manual_check_prog` compare both lists of tensors; it raises where they differ."""
        got, wanted = self._both(reference_program, input_tensors)
        if manual_check_prog is not None:
            manual_check_prog(got, wanted)

    def assert_consistent(self, repeat: int = 10, input_tensors: Tensors | None = None) -> None:
        """Runs the kernel again and again, in other legal orders: all results must be equal.

        Raises:
            TL436: two runs differ.
        """
        tensors = self.inputs() if input_tensors is None else list(input_tensors)
        runs = [self._outputs(_copies(tensors), seed) for seed in range(repeat + 1)]
        for number, run in enumerate(runs[1:], start=1):
            pairs = zip(run, runs[0], strict=True)
            if not all(torch.equal(_bytes(here), _bytes(there)) for here, there in pairs):
                raise _inconsistent(self.kernel.kernel_name, number)

    def compare(
        self,
        got: Sequence[torch.Tensor],
        wanted: Sequence[torch.Tensor],
        atol: float,
        rtol: float,
        max_mismatched_ratio: float,
    ) -> None:
        """Compares outputs, one by one; see `assert_allclose`.

        Raises:
            TL435: they differ, or their numbers do.
        """
        if len(got) != len(wanted):
            raise _other_number(self.kernel.kernel_name, len(got), len(wanted))
        for index, (here, there) in enumerate(zip(got, wanted, strict=True)):
            name = f"output {index} of {self.kernel.kernel_name}"
            ratio = max_mismatched_ratio
            assert_close(here, there, rtol=rtol, atol=atol, max_mismatched_ratio=ratio, name=name)

    def reference(self, program: Reference, tensors: Tensors) -> list[torch.Tensor]:
        """What the reference makes of copies of the tensors, in the order of the outputs."""
        copies = _copies(tensors)
        given = copies
        if not self.kernel.out_idx and not _takes(program, len(copies)):
            given = [
                copy for copy, is_out in zip(copies, self._is_written(), strict=True) if not is_out
            ]
        returned = program(*given)
        return self.written(copies) if returned is None else tensors_of(returned)

    def outputs(self, launch: Launch, tensors: Tensors) -> list[torch.Tensor]:
        """The outputs of a launch: those of out_idx, else the arguments that it writes."""
        return list(launch.outputs) if self.kernel.out_idx else self.written(tensors)

    def written(self, tensors: Tensors) -> list[torch.Tensor]:
        """The arguments that the kernel writes."""
        pairs = zip(tensors, self._is_written(), strict=True)
        return [tensor for tensor, is_out in pairs if is_out and isinstance(tensor, torch.Tensor)]

    def _both(
        self, program: Reference, input_tensors: Tensors | None
    ) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        tensors = self.inputs() if input_tensors is None else list(input_tensors)
        wanted = self.reference(program, tensors)
        return self._outputs(tensors), wanted

    def _outputs(self, tensors: Tensors, seed: int = 0) -> list[torch.Tensor]:
        launch = self.kernel.launch(*tensors, seed=seed)
        report(launch.findings, self.kernel.sources)
        return self.outputs(launch, tensors)

    def _functional(self, *tensors: object) -> None:
        launch = self.kernel.launch(*tensors, execution="functional")
        report(launch.findings, self.kernel.sources)

    def _is_written(self) -> list[bool]:
        found = inputs_of(self.kernel.launch_signature)
        return [parameter.name in self.kernel.written for parameter in found]


def tensors_of(returned: object) -> list[torch.Tensor]:
    """What a reference returned, as a list of tensors."""
    if isinstance(returned, (list, tuple)):
        many = cast("Sequence[object]", returned)
        return [entry for entry in many if isinstance(entry, torch.Tensor)]
    return [returned] if isinstance(returned, torch.Tensor) else []


def _copies(tensors: Tensors) -> list[object]:
    return [entry.clone() if isinstance(entry, torch.Tensor) else entry for entry in tensors]


def _bytes(tensor: torch.Tensor) -> torch.Tensor:
    """The bytes of a tensor: equal also where they are NaN."""
    return tensor.detach().cpu().contiguous().view(torch.uint8)


def _takes(program: Reference, count: int) -> bool:
    """Whether a function can be called with that many arguments."""
    try:
        inspect.signature(program).bind(*range(count))
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def _inconsistent(name: str, number: int) -> MismatchError:
    return MismatchError(
        Diagnostic(
            code="TL436",
            what=f"run {number} of {name} gives other numbers than the first one",
            why="the order of instructions that nothing fixes decides the result",
            fix='kernel.launch(.., execution="simulator", checks="all") names the two accesses',
        ),
        {},
    )


def _other_number(name: str, got: int, wanted: int) -> MismatchError:
    return MismatchError(
        Diagnostic(
            code="TL435",
            what=f"{name} has {got} outputs, the reference gives {wanted}",
            why="outputs are the tensors of out_idx, or else those that the kernel writes",
            fix="let the reference return one tensor for each",
        ),
        {},
    )
