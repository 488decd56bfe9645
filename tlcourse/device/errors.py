"""Errors of the simulated device: four parts and a code, and still torch's own kinds.

Code that catches `RuntimeError` or `TypeError` around a tensor operation works on the
simulated device as it does on hardware, because these errors are of both families.
"""

from __future__ import annotations

from tlcourse.diagnostics import Diagnostic, TLError


class DeviceError(TLError, RuntimeError):
    """What torch reports as a RuntimeError: devices mixed, a device that is not there."""


class UnsupportedError(TLError, NotImplementedError):
    """What torch reports as a NotImplementedError: an operation or layout that is not there."""


class NoSuchNameError(TLError, AttributeError):
    """What Python reports as an AttributeError, so that `hasattr` gives an answer."""


class NoSuchModuleError(TLError, ImportError):
    """What Python reports as an ImportError: a part of torch_npu that is not here."""


class DeviceTypeError(TLError, TypeError):
    """What torch reports as a TypeError: NumPy asked for memory of an npu tensor."""


def mixed_devices(op: str) -> DeviceError:
    """TL440: one operation got npu and CPU tensors."""
    return DeviceError(
        Diagnostic(
            code="TL440",
            what=f"Expected all tensors of {op} to be on the same device, but found npu:0 and cpu",
            why="the NPU has its own memory; an operation there cannot read a CPU tensor",
            fix="move the CPU tensor with .npu(), or the npu tensor with .cpu()",
        )
    )


def no_host_memory(what: str) -> DeviceTypeError:
    """TL441: something asked for host memory of an npu tensor."""
    return DeviceTypeError(
        Diagnostic(
            code="TL441",
            what=f"can't convert npu:0 device type tensor to {what}",
            why=f"{what} reads host memory, and this tensor lies in the memory of the NPU",
            fix="use Tensor.cpu() to copy the tensor to host memory first",
        )
    )


def no_such_device(index: int, count: int) -> DeviceError:
    """TL442: an npu with an index that this machine does not have."""
    return DeviceError(
        Diagnostic(
            code="TL442",
            what=f"there is no device npu:{index}",
            why=f"the simulated machine has {count} NPU, npu:0",
            fix='write device="npu", or "npu:0"',
        )
    )


def no_such_name(name: str, instead: str) -> Diagnostic:
    """TL443: torch.npu or torch_npu is asked for a name that the simulated device has not."""
    return Diagnostic(
        code="TL443",
        what=f"the simulated device has no {name}",
        why="it has what kernels and their tests need; the rest of torch_npu is for hardware",
        fix=f"use {instead}" if instead else "dir(torch.npu) lists what there is",
    )


def unsupported(what: str, why: str) -> UnsupportedError:
    """TL444: an operation or a kind of tensor that the simulated device has not."""
    return UnsupportedError(
        Diagnostic(
            code="TL444",
            what=f"the simulated npu has no {what}",
            why=why,
            fix="do this step on the CPU: move its tensors with .cpu(), and the result with .npu()",
        )
    )


def foreign_generator(found: str) -> DeviceError:
    """TL445: random numbers of the npu are asked of a generator of another device."""
    return DeviceError(
        Diagnostic(
            code="TL445",
            what=f"Expected a 'npu' device type for generator but found '{found}'",
            why="each device draws from generators of its own",
            fix='make it with torch.Generator(device="npu")',
        )
    )


def event_without_time(*, is_timed: bool) -> DeviceError:
    """TL446: elapsed time is asked of an event that has none."""
    return DeviceError(
        Diagnostic(
            code="TL446",
            what="Both events must be recorded before calculating elapsed time"
            if is_timed
            else "an event without timing has no elapsed time",
            why="an event takes the time in record(), if it was made with enable_timing=True",
            fix="start, end = (torch.npu.Event(enable_timing=True) for _ in range(2)), then "
            "start.record(), the work, end.record()",
        )
    )


def device_taken(owner: str) -> TLError:
    """TL740: torch has one place for an extra device and somebody holds it."""
    return TLError(
        Diagnostic(
            code="TL740",
            what=f'torch already has an extra device, "{owner}", that is not the simulated one',
            why="torch has room for one extra device in a process, and a package such as the "
            "real torch_npu took it first",
            fix="to use the hardware, set TLCOURSE_BACKEND=npu; to use the simulator, start "
            "Python with TORCH_DEVICE_BACKEND_AUTOLOAD=0 and do not import that package",
        )
    )
