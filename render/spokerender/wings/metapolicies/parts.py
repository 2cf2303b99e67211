"""What a declarative definition does, part by part: from expressions and templates to edits."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from spokerender.findings.codes import metapolicies as codes
from spokerender.findings.results import FindingKind, Severity
from spokerender.formats.cel.library import Program
from spokerender.formats.cel.messages import is_message
from spokerender.model import Ref
from spokerender.wings.metapolicies.config.metapolicies import Check
from spokerender.wings.metapolicies.expressions import TARGET, Scope
from spokerender.wings.metapolicies.model import Change, Create, FailedError, Remove, Told
from spokerender.wings.metapolicies.templates import Loop, Template
from spokerender.wings.metapolicies.views import ref_of

KINDS = {kind.code: kind for kind in vars(codes).values() if isinstance(kind, FindingKind)}


class Copies(Struct, frozen=True, eq=False):
    """That copies are made where metapolicies differ, and when those count."""

    when: Program | None


class Part(Struct, frozen=True, eq=False):
    """One thing that a definition does: for what, when, and how."""

    loop: Loop
    when: Program | None
    reason: Template
    body: Template
    copies: Copies | None = None
    check: Check | None = None
    field: Template | None = None


def told(part: Part, scope: Scope) -> Iterator[Told]:
    """What a check has to tell."""
    check = part.check
    assert check is not None  # noqa: S101  (see `_check`)
    kind = KINDS.get(check.code or codes.CHECKED.code, codes.CHECKED)
    severity = Severity(check.severity) if check.severity is not None else kind.severity
    for each in part.loop.each(scope):
        if each.truth(part.when):
            field = part.field.filled(each) if part.field is not None else ""
            yield Told(kind, part.reason.filled(each), part.body.filled(each), field, severity)


def created(part: Part, scope: Scope) -> Iterator[Create]:
    """The objects to make."""
    for each in part.loop.each(scope):
        if each.truth(part.when):
            yield Create(part.body.filled(each), part.reason.filled(each))


def _objects(part: Part, scope: Scope) -> Iterator[tuple[Ref, Scope]]:
    """The objects that are meant, each with the names for it."""
    program = part.loop.program
    for item in scope.items(program) if program is not None else ():
        if not is_message(item) or (ref := ref_of(item)) is None:
            text = "it comes to something that is no object"
            raise FailedError(codes.FAILED, text, "find policies, routes or gateways", ())
        named = scope.where.named(ref)
        each = scope.with_value(TARGET, scope.where.whole(item) if named is not None else {})
        if each.truth(part.when):
            yield named or ref, each


def changed(part: Part, scope: Scope) -> Iterator[Change]:
    """The objects to change."""
    for ref, each in _objects(part, scope):
        copies = part.copies is not None and each.truth(part.copies.when)
        yield Change(ref, part.body.filled(each), part.reason.filled(each), copies)


def gone(part: Part, scope: Scope) -> Iterator[Remove]:
    """The objects to take out."""
    for ref, each in _objects(part, scope):
        yield Remove(ref, part.reason.filled(each))
