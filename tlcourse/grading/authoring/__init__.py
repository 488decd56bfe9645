"""For those who write exercises: checks of specs, mutants, the matrix, new exercises."""
