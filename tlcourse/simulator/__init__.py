"""Running executable HIVM on a simulated chip: numbers, findings and cycles.

`generate` makes a `Program` from executable HIVM and is, with `emit`, the only door to xDSL
here; `run` needs the Program and torch. A launch is simulated by one thread, in one process,
and the same input gives the same numbers, findings and cycles every time.
"""
