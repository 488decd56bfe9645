"""A pytest plugin (`-p tlcourse.conformance.pytest_plugin`) that lets ours serve the tests.

`import tilelang` and `import torch_npu` give ours in this process and in the workers of
pytest-xdist, which load the same plugins and inherit the environment. `torch.npu` is there
before the first test file is read, as it is on hardware.
"""

from __future__ import annotations

from tlcourse import device, finder

finder.prefer_simulated()
if finder.decision().served == "simulated":
    device.install()
