"""From executable HIVM to lines of Python, one function per kind of core."""
