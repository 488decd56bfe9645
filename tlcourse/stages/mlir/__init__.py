"""Runs functions of MLIR's own dialects, from tosa to llvm, one op after the other.

So every pass on the way down can be checked: before it and after it the numbers are the same.
"""
