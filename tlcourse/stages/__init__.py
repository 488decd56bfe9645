"""Runs a module as it stands after any pass of the AscendNPU IR phase, one op after the other.

So every pass can be checked: the IR before it and the IR after it give the same numbers.
"""
