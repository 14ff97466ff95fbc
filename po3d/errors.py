"""The one exception that an entry point turns into a clear line and exit code 2."""


class InputError(ValueError):
    """What the user gave can't be used. The message is one line: what was wrong, with which value, what to do."""
