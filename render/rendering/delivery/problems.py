"""Why an engine cannot be told to deliver."""

from __future__ import annotations


class DeliveryProblem(Exception):  # noqa: N818  (a finding about the settings, not a fault of ours)
    """The settings can't be served; says what is wrong, and what to do."""

    def __init__(self, message: str, cure: str) -> None:
        """Keep both for the result."""
        super().__init__(message)
        self.cure = cure
