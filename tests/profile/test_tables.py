from __future__ import annotations

from tlcourse.profile import Profile, tables


def test_rows_of_lines_hold_all_cycles(profile: Profile) -> None:
    for core in profile.cores:
        rows = tables.code_rows(profile.timeline, core)
        total = sum(one.end_cycle - one.start_cycle for one in core.instructions)
        assert sum(row["cycles"] for row in rows) == total
        assert [row["cycles"] for row in rows] == sorted((r["cycles"] for r in rows), reverse=True)
        assert list(rows[0]) == ["code", "call_count", "cycles", "running_time(us)"]


def test_rows_of_instructions(profile: Profile) -> None:
    rows = tables.instruction_rows(profile.timeline, profile.cores[0], {})
    fields = ["instr", "addr", "pipe", "call_count", "cycles", "running_time(us)", "detail"]
    assert list(rows[0]) == fields
    product = next(row for row in rows if row["instr"] == "mmadL1")
    assert product["pipe"] == "CUBE"
    # Two steps of k: 2 * 64 * 128 * 64 operations each.
    assert product["detail"] == "operations=2097152 dtype=float16"
    assert len({row["addr"] for row in rows}) == len(rows)


def test_pipe_utilization(profile: Profile) -> None:
    cube, vector, _ = tables.pipe_rows(profile.timeline, profile.cores)
    core = profile.cores[0]
    assert cube["aic_total_cycles"] == core.cycles
    assert cube["aic_cube_ratio"] == round(core.busy("M") / core.cycles, 6)
    assert cube["aic_mte1_time(us)"] == round(core.busy("MTE1") / 1850, 6)
    assert "aiv_vec_ratio" in vector
    assert "aic_cube_ratio" not in vector


def test_arithmetic_utilization(profile: Profile) -> None:
    cube, vector, _ = tables.arithmetic_rows(profile.timeline, profile.cores)
    assert cube["aic_cube_fops"] == 2 * 64 * 128 * 128
    assert cube["aic_cube_fp_instr_number"] == cube["aic_cube_total_instr_number"] == 2
    assert cube["aic_cube_int8_ratio"] == 0
    assert vector["aiv_vec_fops"] > 0


def test_memory_counts_what_a_block_moves(profile: Profile) -> None:
    cube, *vectors = tables.memory_rows(profile.timeline, profile.cores)
    assert cube["GM_to_L1_datas(KB)"] == (64 * 128 + 128 * 128) * 2 / 1024
    moved = profile.cores[0].moved("FIX")
    assert cube["L0C_to_GM_datas(KB)"] == moved / 1024
    assert all(row["GM_to_UB_datas(KB)"] > 0 for row in vectors)


def test_l2_counts_the_whole_launch(profile: Profile) -> None:
    warm = {row["tensor"]: row for row in tables.l2_rows(profile.recording, cold=False)}
    cold = {row["tensor"]: row for row in tables.l2_rows(profile.recording, cold=True)}
    assert warm["all"]["total_hit_rate(%)"] == 100
    # Four columns of blocks read A, 64 KiB: the first comes from HBM.
    assert cold["A"]["moved_datas(KB)"] == 4 * 64
    assert cold["A"]["total_hit_rate(%)"] == 75


def test_bubbles_come_longest_first_with_their_cause(profile: Profile) -> None:
    rows = tables.bubble_rows(profile.timeline, profile.cores)
    assert len(rows) == len(profile.timeline.bubbles)
    assert [row["cycles"] for row in rows] == sorted((r["cycles"] for r in rows), reverse=True)
    assert any("fixpipe on FIX of the cube core, line" in row["waits for"] for row in rows)
