"""Passes over AscendNPU IR: from the result of code generation to executable HIVM."""
