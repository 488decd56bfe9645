"""Grading: what crosses from a learner's process is a sealed kernel text, judged elsewhere."""
