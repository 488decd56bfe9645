"""Compiler passes: one pass a file, named as upstream names it."""
