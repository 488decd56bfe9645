from tlcourse.grading.reports.similarity import fingerprints, pairs, varies

LINES = [
    f'%{name} = tl.region %A[%top, %c{size}] [%here] : memref<{size}x8xf32> loc("cell:1":{line}:5)'
    for line, (name, size) in enumerate([("a", 1), ("b", 2)], 1)
] + [
    f'tl.{op} %a, %b : memref<8x8xf32> loc("cell:1":{line}:9)'
    for line, op in enumerate(
        ["copy", "gemm", "vexp", "vadd", "vsub", "vmul", "copy", "store", "barrier", "vdiv"], 3
    )
]
KERNEL = "{}\n" + "\n".join(LINES)


def test_names_numbers_and_places_make_no_difference() -> None:
    other = KERNEL.replace("%a", "%mine").replace("8x8", "64x64").replace("cell:1", "cell:2")
    with_let = other.replace("tl.gemm", '%t = tl.let "x" = %q : i32\n  tl.gemm')
    assert fingerprints([KERNEL]) == fingerprints([other]) == fingerprints(["", with_let])
    assert fingerprints([KERNEL])
    assert fingerprints([KERNEL]) != fingerprints([KERNEL.replace("tl.vexp", "tl.vln")])


def test_nothing_sealed_has_no_fingerprints() -> None:
    assert fingerprints([]) == fingerprints(["", ""]) == fingerprints(["{}\n{}"]) == ()


def test_a_kernel_that_is_another_one_for_other_shapes_is_told() -> None:
    wider = KERNEL.replace("8x8", "64x64")
    assert not varies([KERNEL, "", wider])
    assert not varies([])
    constant = "{}\n" + "\n".join(LINES[:3])
    assert varies([KERNEL, wider, constant])


def test_equal_kernels_are_one_row_and_like_ones_another() -> None:
    common = tuple(range(10))
    handed = [
        ("ana", "d1.x", common),
        ("bo", "d1.x", common),
        ("cai", "d1.x", (*common, 77)),
        ("dan", "d1.x", tuple(range(50, 60))),
        ("eve", "d2.y", common),
    ]
    found = pairs(handed, {}, {"d1.x": [tuple(range(5)), common]})
    assert [(p.first, p.second, p.alike) for p in found] == [
        (("ana", "bo"), ("ana", "bo"), 1.0),
        (("ana", "bo"), ("cai",), 0.91),
    ]
    assert found[0].published == 1.0


def test_the_starter_counts_for_nothing() -> None:
    handed = [("ana", "d1.x", (1, 2, 3, 4)), ("bo", "d1.x", (1, 2, 3, 9)), ("cai", "d1.x", (1, 2))]
    assert len(pairs(handed, {}, {}, least=0.5)) == 3
    assert pairs(handed, {"d1.x": (1, 2, 3)}, {}, least=0.5) == []


def test_one_learners_two_copies_are_no_pair() -> None:
    assert pairs([("ana", "d1.x", (1, 2)), ("ana", "d1.x", (1, 2))], {}, {}) == []
