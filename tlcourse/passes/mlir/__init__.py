"""Passes from tensors to LLVM on MLIR's own dialects, for the lesson on progressive lowering."""
