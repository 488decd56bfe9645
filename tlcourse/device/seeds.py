"""Seeds and states of the npu's random numbers, as `torch.npu` offers them."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from tlcourse.device.generator import default_generator
from tlcourse.device.place import DeviceLike, checked_index


def manual_seed(seed: int) -> None:
    """Seeds the npu's random numbers."""
    default_generator().manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seeds the random numbers of every npu. `torch.manual_seed` calls it."""
    manual_seed(seed)


def seed() -> None:
    """Seeds the npu's random numbers from the machine."""
    default_generator().seed()


def seed_all() -> None:
    """Seeds the random numbers of every npu from the machine."""
    seed()


def initial_seed() -> int:
    """The seed that the npu's random numbers started from."""
    return default_generator().initial_seed()


def get_rng_state(device: DeviceLike = "npu") -> torch.Tensor:
    """The state of the npu's random numbers, a CPU tensor of bytes."""
    checked_index(device)
    return default_generator().get_state()


def get_rng_state_all() -> list[torch.Tensor]:
    """The state of every npu."""
    return [get_rng_state()]


def set_rng_state(new_state: torch.Tensor, device: DeviceLike = "npu") -> None:
    """Puts the npu's random numbers back into a state."""
    checked_index(device)
    default_generator().set_state(new_state)


def set_rng_state_all(new_states: Iterable[torch.Tensor]) -> None:
    """Puts every npu back into its state."""
    for state in new_states:
        set_rng_state(state)
