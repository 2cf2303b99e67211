"""A review as JSON: types for its shape, from which the published schema is made."""

import json
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType

from spokerender.findings.results import Result
from spokerender.model import Origin, Ref
from spokerender.report.changes import difference_members
from spokerender.report.describing import Describer
from spokerender.report.reports import Look, ReviewReport
from spokerender.report.serializing import json_text
from spokerender.review.values import Consequence, ConsequencePath
from spokerender.topology.matches import list_matches

_Part = TypeVar("_Part")


class _Document(
    Struct,
    frozen=True,
    kw_only=True,
    rename="camel",
    omit_defaults=True,
    # Forbidden, so that the published schema says `additionalProperties: false`.
    forbid_unknown_fields=True,
):
    """A part of the document."""


class ObjectReference(_Document, frozen=True, kw_only=True):
    """An object; `sectionName` is a listener or a rule of it."""

    group: str = ""
    kind: str
    namespace: str = ""
    name: str
    section_name: str = ""


class FilePlace(_Document, frozen=True, kw_only=True):
    """A line of a file; `index` is the number of the YAML document in the file."""

    path: str
    line: int = 0
    column: int = 0
    index: int = 0


class DocumentedSide(_Document, frozen=True, kw_only=True):
    """One side of a review: its name, and its commit, or the commit that is checked out.

    `rendered` is false if its committed tree was read instead, for the reason in `note`.
    """

    name: str
    commit: str = ""
    spokes: int
    is_rendered: bool = msgspec.field(name="rendered")
    note: str = ""


class DocumentedFinding(_Document, frozen=True, kw_only=True):
    """A finding about the comparison."""

    code: str
    severity: str
    message: str
    cure: str = ""
    resource_ref: ObjectReference | UnsetType = UNSET
    file: FilePlace | UnsetType = UNSET
    spokes: tuple[str, ...] = ()
    suppressed: bool = False


class DocumentedPath(_Document, frozen=True, kw_only=True):
    """A path of requests; in a mesh, `gateway` is the target of the requests.

    `listener` is a section of the Gateway or of a ListenerSet, and a rule is a section of `route`;
    `match` has the matches of the rule. With `furtherRoutes`, the path is for routes added later.
    """

    gateway: ObjectReference
    listener: ObjectReference | UnsetType = UNSET
    route: ObjectReference | UnsetType = UNSET
    match: tuple[dict[str, Any], ...] = ()
    backend: ObjectReference | UnsetType = UNSET
    further_routes: bool = False


class DocumentedConsequence(DocumentedFinding, frozen=True, kw_only=True):
    """A consequence: `was` and `now` are short texts of the values before and after the change.

    `example` is an affected request, as `ask` reads it. `alsoAt` are further lines of the change,
    if each spoke is declared on its own line; `cause` is a text about the causing lines, and
    consequences with one cause follow each other. `tests` are the tests that cover its requests, if
    the project has tests and the consequence is no info, `failingTests` those that fail on its
    spokes, and `untested` the paths that no test covers.
    """

    topic: str
    paths: tuple[DocumentedPath, ...] = ()
    hostnames: tuple[str, ...] = ()
    policies: tuple[ObjectReference, ...] = ()
    was: str = ""
    now: str = ""
    example: str = ""
    # UNSET, not empty: without tests in the project nothing can be said about coverage.
    tests: tuple[str, ...] | UnsetType = UNSET
    failing_tests: tuple[str, ...] = ()
    untested: tuple[DocumentedPath, ...] = ()
    also_at: tuple[FilePlace, ...] = ()
    cause: str = ""


class DocumentedState(_Document, frozen=True, kw_only=True):
    """The state of a policy on some spokes; `changed` is true if its object differs there."""

    spokes: tuple[str, ...]
    before: str
    after: str
    is_changed: bool = msgspec.field(name="changed")


class DocumentedPolicy(_Document, frozen=True, kw_only=True):
    """A policy, and its states by spokes."""

    policy: ObjectReference = msgspec.field(name="resourceRef")
    cells: tuple[DocumentedState, ...] = msgspec.field(name="states")


class ReviewDocument(_Document, frozen=True, kw_only=True):
    """A review: consequences, new needs, stricter restrictions, changes as in `diff`, and policies.

    `leftOut` counts files that `changes` does not show, by reason.
    """

    before: DocumentedSide
    after: DocumentedSide
    consequences: tuple[DocumentedConsequence, ...]
    needed: tuple[DocumentedConsequence, ...]
    stricter: tuple[DocumentedConsequence, ...]
    changes: tuple[dict[str, Any], ...]
    policies: tuple[DocumentedPolicy, ...]
    left_out: dict[str, int]
    results: tuple[DocumentedFinding, ...]


def review_json(report: ReviewReport, _: Look) -> str:
    """Return the review as one JSON object (`spokerender schema review` prints its schema)."""
    review, describer = report.review, Describer(report.rendered)
    differences = (difference_members(item, describer) for item in review.changes)
    document = ReviewDocument(
        before=_copy(review.before, DocumentedSide),
        after=_copy(review.after, DocumentedSide),
        consequences=tuple(map(_consequence, review.consequences)),
        needed=tuple(map(_consequence, review.needed)),
        stricter=tuple(map(_consequence, review.tightened)),
        # The serialiser writes values and references in the form of `diff`.
        changes=tuple(json.loads(json_text(item)) for item in differences),
        policies=tuple(_copy(row, DocumentedPolicy) for row in review.matrix),
        left_out=dict(review.left_out),
        results=tuple(DocumentedFinding(**_finding(item)) for item in review.results),
    )
    return json_text(msgspec.to_builtins(document))


def build_review_schema() -> dict[str, Any]:
    """Return the JSON Schema of the document."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A review by spokerender",
        **msgspec.json.schema(ReviewDocument),
    }


def _finding(result: Result) -> dict[str, Any]:
    return {
        "code": result.code,
        "severity": str(result.severity),
        "message": result.message,
        "cure": result.cure,
        "resource_ref": UNSET if result.resource is None else _reference(result.resource),
        "file": UNSET if result.origin is None else _place(result.origin),
        "spokes": result.spokes,
        "suppressed": "suppressed" in dict(result.tags),
    }


def _consequence(item: Consequence) -> DocumentedConsequence:
    return DocumentedConsequence(
        **_finding(item.result),
        topic=str(item.topic),
        paths=tuple(map(_path, item.places)),
        hostnames=item.hostnames,
        policies=tuple(map(_reference, item.policies)),
        was=item.was,
        now=item.now,
        example=item.example,
        tests=UNSET if item.tests is None else item.tests,
        failing_tests=item.failing_tests,
        untested=tuple(map(_path, item.untested)),
        also_at=tuple(map(_place, item.also_at)),
        cause=item.cause,
    )


def _path(place: ConsequencePath) -> DocumentedPath:
    gateway, *below = place.levels
    ends = (("Route", "route"), ("Gateway", "listener"), ("ListenerSet", "listener"))
    parts = {
        next((part for end, part in ends if ref.kind.endswith(end)), "backend"): _reference(ref)
        for ref in below  # the last one of each part is a section, if it has any
    }
    return DocumentedPath(
        gateway=_reference(gateway),
        **parts,
        match=tuple(map(dict, list_matches(place.match))) if place.match else (),
        further_routes=place.is_latent,
    )


def _reference(ref: Ref) -> ObjectReference:
    return _copy(ref, ObjectReference)


def _place(origin: Origin) -> FilePlace:
    return _copy(origin, FilePlace)


def _copy(value: object, kind: type[_Part]) -> _Part:
    """Return the part of the document whose attributes have the same names as those of a value."""
    return msgspec.convert(value, kind, from_attributes=True)
