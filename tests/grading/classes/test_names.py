import pytest

from tlcourse.grading.classes.names import by_name, by_start, place_of
from tlcourse.grading.classes.roster import Learner

LEARNERS = [
    Learner(id="s1", name="Jane van Doe", lms="4711"),
    Learner(id="s12", name="Jürgen Groß"),
    Learner(id="99", name="Li Wei"),
    Learner(id="s3", name="Twin One"),
    Learner(id="s4", name="Twin One"),
]


@pytest.mark.parametrize(
    ("member", "learner", "system", "late"),
    [
        ("doejane_4711_1_minicv.ipynb", "s1", "canvas", False),
        ("doejane_LATE_4711_1_minicv-2.ipynb", "s1", "canvas", True),
        ("grossjurgen_5_1_my_own_name.ipynb", "s12", "canvas", False),
        ("x_99_1_a.ipynb", "99", "canvas", False),
        ("Jane van Doe_5_assignsubmission_file_/a/b.ipynb", "s1", "moodle", False),
        ("Twin One_5_assignsubmission_file_/b.ipynb", None, "moodle", False),
        ("Nobody_5_assignsubmission_file_/b.ipynb", None, "moodle", False),
        ("minicv.ipynb", "s12", "zip", False),
    ],
)
def test_forms(member: str, learner: str | None, system: str, late: bool) -> None:
    place = place_of(LEARNERS, "s12_week2", member)
    assert (place.learner and place.learner.id, place.system, place.late) == (learner, system, late)


def test_the_longest_id_that_ends_at_a_word_wins() -> None:
    assert by_start(LEARNERS, "s12") is LEARNERS[1]
    assert by_start(LEARNERS, "s1-x") is LEARNERS[0]
    assert by_start(LEARNERS, "s123") is None


def test_a_name_of_two_people_names_nobody() -> None:
    assert by_name(LEARNERS, "twin ONE") is None
    assert by_name(LEARNERS, "WEI, li") is LEARNERS[2]
