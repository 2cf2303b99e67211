"""What the tool found: the KRM function `Result`, with a stable code and a cure."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from spokerender.model.origins import Origin
    from spokerender.model.refs import Ref


class Severity(StrEnum):
    """As in the KRM functions specification."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


Tags = tuple[tuple[str, str], ...]
"""Names and values, as in the KRM functions specification."""

EXCERPT = "excerpt"
"""The tag that has the line of the file that a finding is about, and marks the column."""

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO


class Result(Struct, frozen=True, kw_only=True):
    """One finding about one object of the input (KRM functions specification, `Result`).

    `spokes` are the spokes it concerns, empty where it concerns the input itself:
    one finding that 200 spokes share is one result. `cure` says what to do. `tags` say what else
    there is to know: which rule of a specification it is, how binding, and where that stands.
    `causes` say what has to be mended first, the likeliest one first (`findings.causes`). `also`
    are other objects of the input that it is about: whoever asks about one of them is told it.
    """

    code: str
    severity: Severity
    message: str
    cure: str = ""
    resource: Ref | None = None
    field: str = ""
    origin: Origin | None = None
    spokes: tuple[str, ...] = ()
    tags: Tags = ()
    causes: tuple[str, ...] = ()
    also: tuple[Ref, ...] = ()


class FindingKind(Struct, frozen=True):
    """A kind of finding: its stable code, how bad it is, what it means and how to mend it.

    `mend` is for whoever has only the code in hand; a finding's `cure` is about its own case.
    """

    code: str
    severity: Severity
    meaning: str
    mend: str
    tags: Tags = ()

    def result(  # noqa: PLR0913  (a finding has this many parts; all of them are named)
        self,
        message: str,
        *,
        cure: str = "",
        resource: Ref | None = None,
        field: str = "",
        origin: Origin | None = None,
        spokes: tuple[str, ...] = (),
        severity: Severity | None = None,
        tags: Tags = (),
        causes: tuple[str, ...] = (),
        also: tuple[Ref, ...] = (),
    ) -> Result:
        """Make a finding of this kind; `severity` where this one is not as bad as most."""
        return Result(
            code=self.code,
            severity=severity or self.severity,
            message=message,
            cure=cure,
            resource=resource,
            field=field,
            origin=origin,
            spokes=spokes,
            tags=(*self.tags, *tags),
            causes=causes,
            also=also,
        )
