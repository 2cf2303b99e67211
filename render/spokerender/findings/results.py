"""Findings: the KRM function `Result`, with a stable code and a suggested fix."""

from enum import StrEnum

from msgspec import Struct

from spokerender.model.refs import FieldPath, Origin, Ref, shown


class Severity(StrEnum):
    """The severities of the KRM functions specification."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


Tags = tuple[tuple[str, str], ...]
"""Names and values, as in the KRM functions specification."""

EXCERPT = "excerpt"
"""The tag with the line of the file that a finding is about, with the column marked."""

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO


class Result(Struct, frozen=True, kw_only=True):
    """One finding about one object of the input (KRM functions specification, `Result`).

    `spokes` are the spokes that it is about, empty if it is about the input itself: a finding that
    200 spokes share is one result. `cure` is the suggested fix. `tags` have more information, such
    as the rule of a specification, its level and its source. `causes` name problems to fix first,
    the likeliest first (`findings.causes`). `also` are other objects that the finding is about:
    users who ask for one of them see the finding.
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
    """A kind of finding: its stable code and its usual severity.

    `templates/findings.toml` has its meaning and a general fix; the `cure` of a finding is
    specific.
    """

    code: str
    severity: Severity
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
        """Return a finding of this kind; `severity` replaces the usual one."""
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


class Fault(Struct, frozen=True):
    """A problem in an object or document whose identity is not known yet.

    `message` may begin with the field, like an API server's. `origin` is set if the mistake is in
    another file, such as that of a CRD. `of` are other objects that the problem is about.
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
        """Return a finding about an object; `origin` is where the field is written."""
        field = shown(self.field)
        return self.finding.result(
            self.message.removeprefix(f"{field}: "),
            cure=self.cure,
            resource=resource,
            field=field,
            origin=origin,
            spokes=spokes,
        )
