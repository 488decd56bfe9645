"""Synchronisation inside one core: who touches which bytes, and which flags keep them in order.

`model` holds the function as statements, `build` makes it from IR, `trace` unrolls its loops
a few times, `order` knows what the chosen flags already order, `solve` chooses them, `events`
gives them ids and `emit` writes them into the IR.
"""
