"""What a notebook shows: passes, timelines and memory, drawn from records alone.

Each widget is a pure function of a record and has a static twin that reads without a
kernel. Import the module you need; nothing here is imported by `import tlcourse`.
"""
