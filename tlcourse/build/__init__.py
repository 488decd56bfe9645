"""From course sources to notebooks, exercises and solutions, and the working copy of a learner."""
