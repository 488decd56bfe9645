"""Grades many hand-ins: gathers them, spreads them over workers, keeps every result."""
