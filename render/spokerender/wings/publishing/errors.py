"""The exception of a stage that can't publish a kind or copy an object."""

from __future__ import annotations

from spokerender.findings.results import Fault, FindingKind
from spokerender.model import FieldPath


class PublishingError(Exception):
    """A fault that stops one PublishedResource or one copy; its stage makes it a finding."""

    def __init__(
        self, finding: FindingKind, message: str, cure: str = "", field: FieldPath = ()
    ) -> None:
        """Describe the fault; `field` is its path in the PublishedResource."""
        super().__init__(message)
        self.fault = Fault(finding, message, cure, field)
