"""Errors of the simulated device: four parts and a code, and still torch's own kinds.

Code that catches `RuntimeError` or `TypeError` around a tensor operation works on the
simulated device as it does on hardware, because these errors are of both families.
"""

from __future__ import annotations

from tlcourse.diagnostics import Diagnostic, TLError


class DeviceError(TLError, RuntimeError):
    """What torch reports as a RuntimeError: devices mixed, a device that is not there."""


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
