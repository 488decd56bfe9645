"""Operator packages as hand-ins: taken in, compiled and used in the sandbox, judged elsewhere."""
