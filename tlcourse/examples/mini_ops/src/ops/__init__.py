"""The operators, one a file."""
