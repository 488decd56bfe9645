"""nbgrader for a class: the gradebook and its commands are nbgrader's, the judgement is ours.

nbgrader reads this file where it stands, in the root of the course.
"""

c = get_config()  # noqa: F821  # pyright: ignore

c.CourseDirectory.course_id = ""
c.CourseDirectory.groupshared = False

# The notebooks in source/ are the release that `tlcourse build` makes: their solutions are out.
c.GenerateAssignment.preprocessors = [
    "nbgrader.preprocessors.LockCells",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# Hand-ins run in a sandbox and are judged outside of it; no code of theirs runs in a kernel here.
c.Autograde.autograde_preprocessors = [
    "tlcourse.grading.nbgrader_step.SealedExecute",
    "nbgrader.preprocessors.IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
