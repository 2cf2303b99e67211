"""What stops one PublishedResource, or one copy; collected, never thrown further than its stage."""

from __future__ import annotations

from spokerender.findings.results import Fault, FindingKind
from spokerender.model import FieldPath


class Refused(Exception):  # noqa: N818  (a finding about the input, not a fault of ours)
    """Carries what is wrong, and where in the object that it is wrong in."""

    def __init__(
        self, finding: FindingKind, message: str, cure: str = "", field: FieldPath = ()
    ) -> None:
        """One fault; `field` leads to it in the object."""
        super().__init__(message)
        self.fault = Fault(finding, message, cure, field)
