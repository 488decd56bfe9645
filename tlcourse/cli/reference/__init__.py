"""Writes docs/api/ from the docstrings of what learners, lecturers and kernels call.

python -m tlcourse.cli.reference [--check]
"""
