"""Timings as ratios within one run: ours, torch eager and Triton's interpreter."""
