"""Documents of our own files: read, checked for their kinds, and validated by a model."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from msgspec import Struct
from pydantic import Field, ValidationError

from spokerender.config.base import ApiVersion, Model
from spokerender.config.names import Subdomain
from spokerender.config.problems import explain_validation_error
from spokerender.findings.codes import project as codes
from spokerender.findings.errors import InputError
from spokerender.findings.phrasing import describe, did_you_mean
from spokerender.findings.results import Fault, Result
from spokerender.formats.yamlio import reading
from spokerender.model import FieldPath, Origin
from spokerender.model.shapes import Json
from spokerender.model.sources import File

_Kind = TypeVar("_Kind", bound=Model)
NamedKind = TypeVar("NamedKind", bound="NamedDocument")


class DocumentKind(NamedTuple):
    """The apiVersion and kind of a document."""

    api_version: str
    kind: str


class ConfigDocument(Struct, frozen=True, eq=False):
    """A YAML document of a file, before a model validates it."""

    path: str
    document: reading.Document

    @property
    def value(self) -> Json:
        """Return its content as JSON data."""
        return self.document.value

    def at(self, *path: str | int) -> Origin:
        """Return the line of a field, or of its nearest existing parent; parses the text."""
        if not path:
            return Origin(self.path, self.document.index, self.document.line)
        line = self.document.text_line + reading.locate(self.document.text, path)
        return Origin(self.path, self.document.index, line)

    def result(self, fault: Fault) -> Result:
        """Return the finding about a field of this document."""
        return fault.result(None, self.at(*fault.field))


def read_documents(
    files: Iterable[File], kinds: Sequence[DocumentKind]
) -> tuple[list[ConfigDocument], list[Result]]:
    """Return the documents of these kinds, in the order of their paths, and all faults.

    A document of another kind gets one fault: its content is not validated.
    """
    documents: list[ConfigDocument] = []
    results: list[Result] = []
    for path, data in sorted(files):
        parsed, problems = reading.read(data, path)
        documents += (ConfigDocument(path, document) for document in parsed)
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
        faults = _header_faults(document.value, kinds) or [*_wide_numbers(document.value)]
        results += map(document.result, faults)
        right += [] if faults else [document]
    return right, results


def kind_of(document: ConfigDocument) -> DocumentKind:
    """Return the kind of a document that was read."""
    return DocumentKind(document.value["apiVersion"], document.value["kind"])


def _header_faults(value: Json, kinds: Sequence[DocumentKind]) -> list[Fault]:
    """Check apiVersion and kind; for a known kind, its own versions are named."""
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


def _header_fault(value: dict[str, Any], key: str, expected: tuple[str, ...]) -> list[Fault]:
    if key not in value:
        cure = f"add {key}: {expected[0]}"
        return [Fault(codes.MISSING_KEY, f'the key "{key}" is missing', cure, (key,))]
    if value[key] in expected:
        return []
    message = f"must be {' or '.join(expected)}, but is {describe(value[key])}"
    nearest = did_you_mean(str(value[key]), expected) if len(expected) > 1 else ""
    return [Fault(codes.WRONG_DOCUMENT, message, nearest or f"write {key}: {expected[0]}", (key,))]


def _wide_numbers(value: Json, path: FieldPath = ()) -> Iterator[Fault]:
    """Yield the numbers that don't fit 64 bits: as Kubernetes reads them, their digits are lost."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _wide_numbers(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _wide_numbers(item, (*path, index))
    elif isinstance(value, int | float) and not -(2**63) <= value < 2**63:
        message = f"the number does not fit 64 bits; Kubernetes would read it as {value}"
        yield Fault(codes.INVALID_VALUE, message, "put it in quotes if it is an identifier", path)


class Metadata(Model):
    """The metadata of a document."""

    name: Subdomain = Field(description="The name, unique among files of this kind.")


class NamedDocument(Model):
    """A document with a name; the model of its kind adds the spec."""

    api_version: ApiVersion = Field(description="The version of this file's format.")
    kind: str = Field(description="The kind of this file.")
    metadata: Metadata = Field(description="The metadata of this document.")


class Written(Struct, Generic[_Kind], frozen=True, eq=False):
    """A validated document, and where it is written."""

    model: _Kind
    written: ConfigDocument

    @property
    def origin(self) -> Origin:
        """Return the first line of the document."""
        return self.written.at()

    def at(self, *path: str | int) -> Origin:
        """Return the line of a field: `at("spec", "rules", 2)`, by the keys in YAML."""
        return self.written.at(*path)


def parsed(
    documents: Iterable[ConfigDocument], model: type[_Kind], results: list[Result]
) -> list[Written[_Kind]]:
    """Return the valid documents; the faults of the others are added to `results`."""
    right = []
    for document in documents:
        try:
            right.append(Written(model.model_validate(document.value), document))
        except ValidationError as error:
            results += map(document.result, explain_validation_error(error, model))
    return right


class Located(Protocol):
    """A document, or a file of another format, that can locate its fields."""

    def at(self, *path: str | int) -> Origin:
        """Return the line of a field."""


class Named(Struct, frozen=True):
    """A name that must be unique among those of its sort, and where it is written."""

    sort: str
    name: str
    field: FieldPath
    document: Located


def duplicates(names: Iterable[Named]) -> list[Result]:
    """Return a finding for each name that is used twice, at its second place."""
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


def raise_results(results: Iterable[Result]) -> None:
    """Raise `InputError` with all findings, sorted by file and line, if there are any."""
    in_order = sorted(results, key=lambda result: (result.origin or Origin(""), result.field))
    if in_order:
        raise InputError(tuple(in_order))


def document_name(item: Written[NamedKind], sort: str) -> Named:
    """Return the name of a document, which must be unique among those of its sort."""
    return Named(sort, item.model.metadata.name, ("metadata", "name"), item.written)
