"""The one family of exceptions that a wrong call raises. A hard problem never raises: solvers return a status."""


class PosewrightError(ValueError):
    """A wrong call. The message names the culprit and, where there is a choice, the valid names."""
