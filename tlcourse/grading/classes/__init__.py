"""A class from end to end: roster, collecting, decisions, feedback, archive."""
