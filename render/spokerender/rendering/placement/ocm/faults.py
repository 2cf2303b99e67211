"""The ways in which a Placement cannot be decided."""


class MisconfiguredError(Exception):
    """OCM finds the Placement misconfigured; the text is its message, behind the plugin's name.

    `field` is the field at fault.
    """

    def __init__(self, message: str, plugin: str = "", field: str = "spec") -> None:
        super().__init__(f"{plugin}:{message}")
        self.message, self.field = message, field


class SyncFailedError(Exception):
    """OCM's scheduler fails before it decides anything, as a set has no valid selector."""


class TimeNeededError(Exception):
    """A decision depends on the time, and none is given; the text names the cause."""


class NotEvaluableError(Exception):
    """An expression can't be evaluated here though OCM may do it; the text has the reason."""

    def __init__(self, source: str, reason: object, field: str) -> None:
        super().__init__(f"expression {source[:200]}: {reason}")
        self.field = field
