"""The TIR phase: passes on Tile IR, in the order in which the pipeline runs them."""
