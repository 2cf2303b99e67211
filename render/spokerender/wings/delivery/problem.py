"""What an engine can't be served for."""

from __future__ import annotations

from spokerender.model import Origin


class DeliveryProblem(Exception):  # noqa: N818  (a finding about the settings, not a fault of ours)
    """An engine can't be served; says what is wrong, what to do and, in a file, where."""

    def __init__(self, message: str, cure: str, origin: Origin | None = None) -> None:
        """Keep them for the result."""
        super().__init__(message)
        self.cure = cure
        self.origin = origin
