"""`tilelang.utils.npu_arch`: the sizes of the chip that templates and scripts ask for."""

from __future__ import annotations

from tlcourse.chips import CHIPS, DEFAULT_CHIP, Chip
from tlcourse.config import read_config

_CUBE_EDGE = 16
_CUBE_DTYPES = ("float16", "bfloat16")


class AscendArch:
    """One Ascend chip, in bytes and cores.

    Differs from upstream: figures are those of the simulated chip, measured or published, so
    that a hint never exceeds what the compiler allows.

    Args:
        chip_name: a chip that there is a file for; other names mean the one in use.
    """

    def __init__(self, chip_name: str | None = None) -> None:
        chip = _chip(chip_name)
        self.name = self.chip_name = chip.name
        self.platform = "ascend"
        self.compute_max_core = self.aicube_core_num = chip.core_groups
        self.aivector_core_num = chip.core_groups * chip.vector_cores_per_group
        self.ub_cap = chip.sizes_bytes["ub"]
        self.l1_cap = chip.sizes_bytes["cbuf"]
        self.l0a_cap = chip.sizes_bytes["ca"]
        self.l0b_cap = chip.sizes_bytes["cb"]
        self.l0c_cap = chip.sizes_bytes["cc"]
        self.l2_cache_size_bytes = chip.l2_bytes
        self.smem_cap = self.max_smem_usage = self.ub_cap
        self.cube_spec: list[int] = [_CUBE_EDGE] * 3

    @property
    def cube_dim(self) -> int:
        """Edge of the matrix unit's block."""
        return self.cube_spec[-1]

    @property
    def cube_shape(self) -> list[int]:
        """Block of the matrix unit, M, N and K."""
        return self.cube_spec

    @property
    def fractal_shape(self) -> tuple[int, int]:
        """Rows and columns of the block that matrices are stored in."""
        return self.cube_spec[0], self.cube_spec[1]

    @property
    def mem_cap(self) -> dict[str, int]:
        """Bytes of each memory of a core, and of the L2."""
        return {
            "UB": self.ub_cap,
            "L1": self.l1_cap,
            "L0A": self.l0a_cap,
            "L0B": self.l0b_cap,
            "L0C": self.l0c_cap,
            "L2": self.l2_cache_size_bytes,
        }

    @property
    def supports_native_bf16(self) -> bool:
        """Whether vector instructions take bfloat16: no, they go through float32."""
        return False


def get_ascend_device_name() -> str:
    """The chip in use, from TILELANG_ASCEND_DEVICE_NAME."""
    return _chip(None).name


def get_arch_obj(device_name: str | None = None) -> AscendArch:
    """The figures of a chip."""
    return AscendArch(device_name)


def get_arch(target: object = None) -> AscendArch:
    """The figures of the chip in use, whatever the target."""
    return AscendArch()


def is_ascend_arch(arch: object) -> bool:
    """Whether it is an AscendArch."""
    return isinstance(arch, AscendArch)


def is_cube_supported_precision(in_dtype: str, accum_dtype: str, arch: object) -> bool:
    """Whether the matrix unit multiplies these dtypes."""
    sums = (*_CUBE_DTYPES, "float32")
    return is_ascend_arch(arch) and in_dtype in _CUBE_DTYPES and accum_dtype in sums


def is_tensorcore_supported_precision(in_dtype: str, accum_dtype: str, arch: object = None) -> bool:
    """No: an NPU has no tensor cores of a GPU."""
    return False


def supports_native_bf16(device_name: str | None = None) -> bool:
    """Whether vector instructions of a chip take bfloat16."""
    return AscendArch(device_name).supports_native_bf16


def _chip(name: str | None) -> Chip:
    return CHIPS.get(name or read_config().device_name, DEFAULT_CHIP)
