# ---
# jupyter:
#   tlcourse:
#     id: d5.artefact
# ---

# %% [markdown] tags=["lang:en"] stem="prompt"
# # d5.artefact: read an artefact
#
# *more, 15 minutes, 5 points, after lesson 5.7*
#
# A package was precompiled, and its artefacts were copied three times: `a`, `b`, `c`. One copy was
# changed afterwards. Read the metadata, find the copy, and say what told you. Eight questions; a
# question left open costs only itself. This is practice.

# %% [markdown] tags=["lang:zh"] stem="prompt" en_sha="c845a88a"
# # d5.artefact：读一个构建产物
#
# *进阶内容，15 分钟，5 分，在 5.7 节之后*
#
# 一个算子包经过预编译，产物被复制了三份：`a`、`b`、`c`。其中一份后来被改过。读元数据，找出这一份，并说出是从哪里看出来的。共八题；某题空着，只影响那一题。本题只作练习，班级评分时不计入。

# %% tags=["setup"] stem="imports"
import hashlib
import tempfile
from pathlib import Path

from tlcourse import check, hint
from tlcourse.examples.artefacts import files_of, three_copies

# %% stem="given"
copies = three_copies(Path(tempfile.mkdtemp()))
print(copies["c"].joinpath("index.json").read_text())
for path in sorted(copies["c"].rglob("metadata.json")):
    print(path.relative_to(copies["c"]).as_posix(), path.read_text(), sep="\n")

# %% stem="sizes"
for name, copy in copies.items():
    print(
        name, [f"{path.parent.name}/{path.name}: {path.stat().st_size}" for path in files_of(copy)]
    )
# Is that enough to tell them apart? `hashlib.sha256(path.read_bytes()).hexdigest()` is at hand.

# %% [markdown] tags=["lang:en"] stem="spec_words"
# Write a shape as `M x 1024`, outputs by name. `copy changed` is `a`, `b` or `c`. `told by` is `size`,
# `date` or `hash`: the first of them that differs in that copy and in no other. The last question:
# does loading a file with `pickle.loads` run code that the file names, `yes` or `no`?

# %% [markdown] tags=["lang:zh"] stem="spec_words" en_sha="2ae285a0"
# 形状写成 `M x 1024` 的样子，输出写名字。`copy changed` 是 `a`、`b` 或 `c`。`told by` 是 `size`、`date` 或 `hash`：按这个次序，取第一个只有那一份不同的。最后一题：用 `pickle.loads` 载入文件，会执行文件里指定的代码吗？写 `yes` 或 `no`。


# %% nbgrader={"grade": false, "grade_id": "d5-artefact-solution", "locked": false, "schema_version": 3, "solution": true, "task": false} stem="solution"
def artefact():
    # return {"variants": "?", "bfloat16: X.dtype": "?", "float16: Y.shape": "?",
    #         "float16: outputs": "?", "float16: blocks at M=100": "?",
    #         "copy changed": "?", "told by": "?", "pickle runs code": "?"}
    ### BEGIN SOLUTION
    return {
        "variants": "2",
        "bfloat16: X.dtype": "bfloat16",
        "float16: Y.shape": "M x 1024",
        "float16: outputs": "Y",
        "float16: blocks at M=100": "13",
        "copy changed": "b",
        "told by": "hash",
        "pickle runs code": "yes",
    }
    ### END SOLUTION


# %% tags=["lang:en"] nbgrader={"grade": true, "grade_id": "d5-artefact", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check"
check("d5.artefact", artefact)

# %% tags=["lang:zh"] nbgrader={"grade": true, "grade_id": "d5-artefact", "locked": true, "points": 5, "schema_version": 3, "solution": false, "task": false} stem="check" en_sha="47ce6435"
check("d5.artefact", artefact, language="zh")

# %% [markdown] tags=["lang:en"] stem="help"
# Stuck? Run `hint("d5.artefact")` in a new cell, once for each of three hints.

# %% [markdown] tags=["lang:zh"] stem="help" en_sha="f41e5f98"
# 卡住了？在新单元格里运行 `hint("d5.artefact", language="zh")`，每次给出一条提示，共三条。
