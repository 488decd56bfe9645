"""Fits the constants of the timing model to measured times, and says how well they do."""
