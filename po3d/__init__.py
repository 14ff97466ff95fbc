"""po3d: a scene is a table, a question is a program, an answer is the program run on the table."""

__version__ = "0.1.0"
