# ---
# jupyter:
#   tlcourse:
#     id: d1.lower_to_scf
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d1.lower_to_scf: be the compiler for once
#
# *more, 40 minutes, 10 points, after lesson 1.4*
#
# Below is relu(a + b) on 6x10 numbers as one `linalg.generic`. Write by hand what lowering makes
# of it: the same function with loops of `scf`, loads and stores. No op of linalg may be left, and
# the numbers must be the same.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="0360084a"
# # d1.lower_to_scf：自己当一次编译器
#
# *进阶内容，40 分钟，10 分，在 1.4 节之后*
#
# 下面是用一个 `linalg.generic` 写成的 relu(a + b)，大小 6x10。请手写下降（lowering）之后的样子：同一个函数，用 `scf` 的循环、读取和写入表示。不能再有 linalg 的运算，数值必须相同。

# %% tags=["setup"] stem="imports"
from tlcourse import check, hint

# %% tags=["setup"] stem="spec"
given = """
func.func @relu_add(%a: memref<6x10xf32>, %b: memref<6x10xf32>, %y: memref<6x10xf32>) {
  linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                     affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]
  } ins(%a, %b : memref<6x10xf32>, memref<6x10xf32>) outs(%y : memref<6x10xf32>) {
  ^bb0(%x: f32, %z: f32, %old: f32):
    %zero = arith.constant 0.0 : f32
    %s = arith.addf %x, %z : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  }
  func.return
}
"""

# %% [markdown] tags=["lang:en"] stem="spec_words"
# Return your function as a string. Keep its name and its parameters.

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="139a2a81"
# 以字符串的形式返回你的函数。保留它的名字和参数。


# %% nbgrader={"grade": false, "grade_id": "d1-lower_to_scf-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
def lower_to_scf():
    # return the text of @relu_add with scf.for, memref.load, arith ops and memref.store
    ### BEGIN SOLUTION
    return """
func.func @relu_add(%p: memref<6x10xf32>, %q: memref<6x10xf32>, %out: memref<6x10xf32>) {
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %rows = arith.constant 6 : index
  %columns = arith.constant 10 : index
  %nought = arith.constant 0.0 : f32
  scf.for %i = %first to %rows step %step {
    scf.for %j = %first to %columns step %step {
      %x = memref.load %p[%i, %j] : memref<6x10xf32>
      %z = memref.load %q[%i, %j] : memref<6x10xf32>
      %sum = arith.addf %x, %z : f32
      %relu = arith.maximumf %sum, %nought : f32
      memref.store %relu, %out[%i, %j] : memref<6x10xf32>
    }
  }
  func.return
}
"""
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d1-lower_to_scf", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d1.lower_to_scf", lower_to_scf)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d1-lower_to_scf", "locked": true, "points": 10, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="c31b0f37"
check("d1.lower_to_scf", lower_to_scf, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d1.lower_to_scf")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="3f4a9001"
# 卡住了？在新单元格里运行 `hint("d1.lower_to_scf", language="zh")`，每次给出一条提示，共三条。
