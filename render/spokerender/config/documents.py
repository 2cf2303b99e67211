"""Documents as they stand in their files, before anybody asks what they say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from msgspec import Struct

from spokerender.findings.codes import project as codes
from spokerender.findings.errors import InputError
from spokerender.findings.phrasing import describe, did_you_mean
from spokerender.findings.results import Fault, Result
from spokerender.formats.yamlio import reading
from spokerender.model import FieldPath, Origin

File = tuple[str, bytes]
"""A file's path, as messages name it, and its bytes."""


class DocumentKind(NamedTuple):
    """What a document says that it is."""

    api_version: str
    kind: str


class Document(Struct, frozen=True, eq=False):
    """A document as it stands in its file."""

    path: str
    document: reading.Document

    @property
    def value(self) -> Any:  # noqa: ANN401  (whatever the YAML holds)
        """Its content as JSON data."""
        return self.document.value

    def at(self, *path: str | int) -> Origin:
        """The line of a field, or of its nearest parent that is there; parses the text."""
        if not path:
            return Origin(self.path, self.document.index, self.document.line)
        line = self.document.text_line + reading.locate(self.document.text, path)
        return Origin(self.path, self.document.index, line)

    def result(self, fault: Fault) -> Result:
        """The finding about a field of this document."""
        return fault.result(None, self.at(*fault.field))


def read_documents(
    files: Iterable[File], kinds: Sequence[DocumentKind]
) -> tuple[list[Document], list[Result]]:
    """The documents of these kinds, in the order of their paths, and what else there is.

    A document of another kind is not worth another word, whatever it holds.
    """
    documents: list[Document] = []
    results: list[Result] = []
    for path, data in sorted(files):
        parsed, problems = reading.read(data, path)
        documents += (Document(path, document) for document in parsed)
        results += (
            codes.UNREADABLE_FILE.result(
                problem.message,
                cure=problem.cure,
                origin=Origin(path, line=problem.line, column=problem.column),
            )
            for problem in problems
        )
        if not parsed and not problems:
            cure = f"begin with apiVersion: {kinds[0].api_version} and kind: {kinds[0].kind}"
            results.append(
                codes.WRONG_DOCUMENT.result("the file is empty", cure=cure, origin=Origin(path))
            )
    right = []
    for document in documents:
        faults = _header_faults(document.value, kinds)
        results += map(document.result, faults)
        right += [] if faults else [document]
    return right, results


def kind_of(document: Document) -> DocumentKind:
    """What a document that is right says that it is."""
    return DocumentKind(document.value["apiVersion"], document.value["kind"])


def _header_faults(value: Any, kinds: Sequence[DocumentKind]) -> list[Fault]:  # noqa: ANN401
    """Whether it is a document of one of the kinds; another version is told of its own kind."""
    names = tuple(dict.fromkeys(kind.kind for kind in kinds))
    if not isinstance(value, dict):
        message = f"must be a {' or '.join(names)}, but is {describe(value)}"
        return [Fault(codes.WRONG_DOCUMENT, message, f"begin with kind: {names[0]}")]
    named = [kind for kind in kinds if kind.kind == value.get("kind")]
    versions = tuple(dict.fromkeys(kind.api_version for kind in named or kinds))
    return [
        *_header_fault(value, "apiVersion", versions),
        *_header_fault(value, "kind", names),
    ]


def _header_fault(value: dict[str, Any], key: str, wanted: tuple[str, ...]) -> list[Fault]:
    if key not in value:
        cure = f"add {key}: {wanted[0]}"
        return [Fault(codes.MISSING_KEY, f'the key "{key}" is missing', cure, (key,))]
    if value[key] in wanted:
        return []
    message = f"must be {' or '.join(wanted)}, but is {describe(value[key])}"
    nearest = did_you_mean(str(value[key]), wanted) if len(wanted) > 1 else ""
    return [Fault(codes.WRONG_DOCUMENT, message, nearest or f"write {key}: {wanted[0]}", (key,))]


class Located(Protocol):
    """A document, or a file of another format, that knows the lines of its fields."""

    def at(self, *path: str | int) -> Origin:
        """Return the line of a field."""


class Named(Struct, frozen=True):
    """A name that must be the only one of its sort, and where it is written."""

    sort: str
    name: str
    field: FieldPath
    document: Located


def duplicates(names: Iterable[Named]) -> list[Result]:
    """Names that stand twice, told at the second place."""
    first: dict[tuple[str, str], Named] = {}
    results = []
    for named in names:
        other = first.setdefault((named.sort, named.name), named)
        if other is not named:
            place = other.document.at(*other.field)
            message = f'the {named.sort} "{named.name}" is also in {place}'
            cure = f"rename or remove one of the two {named.sort}s"
            fault = Fault(codes.DUPLICATE_NAME, message, cure, named.field)
            results.append(fault.result(None, named.document.at(*named.field)))
    return results


def refuse(results: Iterable[Result]) -> None:
    """Raise `InputError` with everything that is wrong, by file and line; nothing for nothing."""
    in_order = sorted(results, key=lambda result: (result.origin or Origin(""), result.field))
    if in_order:
        raise InputError(tuple(in_order))
