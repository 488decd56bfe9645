"""Kernels that the demo, the tests and the lessons share."""
