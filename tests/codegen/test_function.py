from __future__ import annotations

import tlcourse.language as T

_COMMON = (
    "SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, hacc.entry, "
    "hacc.function_kind = #hacc.function_kind<DEVICE>, "
)


def _copy(alloc):
    @T.prim_func
    def copy(A: T.Tensor((64, 128), "float16"), C: T.Tensor((64, 128), "float16"), n: T.int32):
        with T.Kernel(4, is_npu=True) as (cid, _):
            a = alloc((16, 128), "float16")
            T.copy(A[cid * 16 : cid * 16 + 16, :], a)
            T.copy(a, C[cid * 16 : cid * 16 + 16, :])

    return copy


def _symbolic():
    M, N = T.symbolic("M"), T.symbolic("N")

    @T.prim_func
    def pick(A: T.Tensor((M, 2 * N), "float32"), C: T.Tensor((M, 8), "float32")):
        with T.Kernel(M, is_npu=True) as (cid, _):
            a = T.alloc_ub((1, 8), "float32")
            T.copy(A[cid, 0:8], a)
            T.copy(a, C[cid, 0:8])

    return pick


def _grid():
    @T.prim_func
    def grid(A: T.Tensor((64, 128), "float32"), C: T.Tensor((64, 128), "float32")):
        with T.Kernel(4, 8, is_npu=True) as (bx, by, _):
            a = T.alloc_ub((16, 16), "float32")
            T.copy(A[bx * 16 : bx * 16 + 16, by * 16 : by * 16 + 16], a)
            T.copy(a, C[bx * 16 : bx * 16 + 16, by * 16 : by * 16 + 16])

    return grid


def _signature(text: str) -> str:
    return next(line for line in text.splitlines() if "func.func @" in line)


def test_expert_arguments_are_flags_lock_workspace_then_the_users_then_the_grid(lower):
    gm = "#hivm.address_space<gm>"
    grid = ", ".join(f"%{name}: i32" for name in _grid_names())
    assert _signature(lower(_copy(T.alloc_ub), "Expert").text).split(" attributes ")[0].strip() == (
        "func.func @copy(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>}, "
        f"%lock: memref<?xi8>, %workspace: memref<?xi8>, %A: memref<?xf16, {gm}>, "
        f"%C: memref<?xf16, {gm}>, %n: i32, {grid})"
    )


def test_developer_arguments_are_marked_and_have_no_memory(lower):
    text = _signature(lower(_copy(T.alloc_shared), "Developer").text)
    assert "%lock: memref<?xi8> {hacc.arg_type = #hacc.arg_type<sync_block_lock>}" in text
    assert "%workspace: memref<?xi8> {hacc.arg_type = #hacc.arg_type<workspace>}" in text
    assert "%A: memref<?xf16>, %C: memref<?xf16>, %n: i32" in text


def test_a_vector_kernel_is_one_function_on_the_vector_cores(lower):
    generated = lower(_copy(T.alloc_ub), "Expert")
    core = 'hivm.func_core_type = #hivm.func_core_type<AIV>, mix_mode = "aiv"'
    assert f"attributes {{{_COMMON}{core}}}" in generated.text
    assert "#hivm.module_core_type<AIV>, memref.memref_as_ptr" in generated.text
    assert [f.sym_name.data for f in generated.functions] == ["copy"]


def test_an_expert_mix_kernel_is_two_functions_and_a_developer_one_is_one(lower, minicv):
    expert, developer = lower(minicv("Expert"), "Expert"), lower(minicv("Developer"), "Developer")
    names = [[f.sym_name.data for f in g.functions] for g in (expert, developer)]
    assert names == [["minicv_mix_aic", "minicv_mix_aiv"], ["minicv"]]
    for core, text in (("AIC", expert.text), ("AIV", expert.text), ("MIX", developer.text)):
        shape = f'#hivm.func_core_type<{core}>, hivm.part_of_mix, mix_mode = "mix"'
        assert f"{_COMMON}hivm.func_core_type = {shape}" in text
    assert "#hivm.module_core_type<MIX>" in expert.text
    assert "#hivm.module_core_type<MIX>" in developer.text


def test_the_body_begins_with_flags_views_and_the_block_id(lower):
    generated = lower(_copy(T.alloc_ub), "Expert")
    first = [op.name for op in generated.functions[0].body.block.ops][:5]
    assert first == [
        "hivm.hir.set_ffts_base_addr",
        "memref.reinterpret_cast",
        "memref.reinterpret_cast",
        "hivm.hir.get_block_idx",
        "arith.trunci",
    ]
    assert "hivm.hir.get_sub_block_idx" not in generated.text


def test_symbols_are_arguments_after_the_users_and_shape_the_views(lower):
    generated = lower(_symbolic(), "Expert")
    assert "%C: memref<?xf32, #hivm.address_space<gm>>, %M: i32, %N: i32, " in generated.text
    views = generated.lines("memref.reinterpret_cast")
    assert len(views) == 2
    assert "sizes: [%2, %3], strides: [%3, 1]" in views[0]
    assert "sizes: [%2, 8], strides: [8, 1]" in views[1]
    assert "memref<?x?xf32, strided<[?, 1]>, #hivm.address_space<gm>>" in generated.text


def test_the_second_dimension_of_a_grid_is_a_loop_around_the_body(lower):
    generated = lower(_grid(), "Expert")
    loop = next(op for op in generated.module.walk() if op.name == "scf.for")
    assert generated.counts["scf.for"] == 1
    assert [op.name for op in loop.walk()].count("memref.copy") == 2
    assert "%c8 = arith.constant 8 : i32" in generated.text


def test_every_op_of_a_statement_bears_its_line(lower):
    func = _copy(T.alloc_ub)
    (source,) = func.sources.values()
    line = next(n for n, t in enumerate(source.text.splitlines(), 1) if "T.copy(A[cid" in t)
    ops = [
        op
        for op in lower(func, "Expert").module.walk()
        if getattr(op.location, "line", None) is not None and op.location.line.data == line
    ]
    names = {op.name for op in ops}
    assert {"memref.subview", "memref.copy", "arith.index_cast"} <= names


def test_no_op_is_without_a_place(lower, minicv):
    for mode in ("Expert", "Developer"):
        for op in lower(minicv(mode), mode).module.walk():
            assert str(op.location) != "loc(unknown)", op.name


def test_the_same_kernel_gives_the_same_text(lower, minicv):
    for mode in ("Expert", "Developer"):
        assert lower(minicv(mode), mode).text == lower(minicv(mode), mode).text


def test_the_tile_ir_is_left_as_it_was(lower, minicv):
    func = minicv("Developer")
    before = [str(op) for op in func.module.body.block.ops]
    lower(func, "Developer")
    assert [str(op) for op in func.module.body.block.ops] == before


def _grid_names() -> tuple[str, ...]:
    return ("gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ")
