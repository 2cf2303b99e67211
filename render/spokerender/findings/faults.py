"""What is wrong with a value, before anybody tells of whose."""

from __future__ import annotations

from msgspec import Struct

from spokerender.findings.results import FindingKind, Result
from spokerender.model import FieldPath, Origin, Ref, shown


class Fault(Struct, frozen=True):
    """What is wrong in an object or in a document, or worth a word: as what, and where in it.

    `message` may begin with the field, as an API server's does. `origin` is set where the fault
    is written elsewhere: in a CRD, and not in the object. `of` are other objects that it is about.
    """

    finding: FindingKind
    message: str
    cure: str = ""
    field: FieldPath = ()
    of: tuple[Ref, ...] = ()
    origin: Origin | None = None

    def result(
        self, resource: Ref | None, origin: Origin | None, spokes: tuple[str, ...] = ()
    ) -> Result:
        """Tell of it as a finding about an object; `origin` is where its field is written."""
        field = shown(self.field)
        return self.finding.result(
            self.message.removeprefix(f"{field}: "),
            cure=self.cure,
            resource=resource,
            field=field,
            origin=origin,
            spokes=spokes,
        )
