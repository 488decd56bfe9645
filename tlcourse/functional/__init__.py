"""Running Tile IR fast: generated torch code, one Python generator per core.

`generate` makes a `Program` from Tile IR and is the only door to xDSL here; `run` needs the
Program and torch. Numbers follow what the kernel says; cycles and races are the simulator's.
"""
