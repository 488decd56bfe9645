"""What `import tilelang` and `import torch_npu` give where no NPU is: files that re-export ours.

`tlcourse.finder` loads them under their real names; nothing imports them from here.
"""
