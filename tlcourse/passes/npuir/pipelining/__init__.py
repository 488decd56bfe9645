"""Cube and vector cores side by side: cutting a loop's body into work items, one loop for each."""
