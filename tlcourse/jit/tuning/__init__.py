"""`tilelang.autotune`: tries configurations of a kernel and keeps the fastest that is right.

The table of configurations is checked, all are traced and compiled in threads, each that
compiles runs once and is compared with the reference, and the times decide. Times are those
of the simulated chip where the simulator knows every operation of every configuration.
"""
