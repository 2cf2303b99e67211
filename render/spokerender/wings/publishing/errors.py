"""The exception of a stage that can't publish a kind or copy an object."""

from spokerender.findings.codes.publishing import NO_CRD
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


def no_crd_error(resource: tuple[str, str], related: FieldPath) -> PublishingError:
    """Return the error for a group and plural that no CRD defines; `related` leads to its entry."""
    group, plural = resource
    message = f"no CRD defines the resource {f'{plural}.{group}'.rstrip('.')}"
    cure = "put its CRD into the hub or under spec.crds"
    return PublishingError(NO_CRD, message, cure, (*related, "resource"))
