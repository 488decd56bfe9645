"""Reading a kernel's syntax tree: one small file for each kind of syntax."""
