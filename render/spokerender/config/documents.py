"""Documents of our own files: read, checked for their kinds, and validated by a model."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, get_args

from msgspec import Struct
from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails

from spokerender.config.base import API_VERSION, FAULT, ApiVersion, Later, Model
from spokerender.config.names import MEANINGS, Subdomain
from spokerender.findings.codes import project as codes
from spokerender.findings.errors import InputError
from spokerender.findings.phrasing import describe, did_you_mean
from spokerender.findings.results import Fault, Result
from spokerender.formats.yamlio import reading
from spokerender.model import FieldPath, Origin
from spokerender.model.shapes import Json
from spokerender.model.sources import File


def explain_validation_error(error: ValidationError, model: type[Model]) -> Iterator[Fault]:
    """Yield a fault for every error in a validation by `model`."""
    for detail in error.errors(include_url=False):
        # pydantic marks an error in a key so; in the file, the path ends at the key.
        path = tuple(step for step in detail["loc"] if step != "[key]")
        match detail["type"]:
            case "extra_forbidden":
                cure = did_you_mean(
                    str(path[-1]), _descriptions(model, path[:-1]), "known keys are"
                )
                yield Fault(codes.UNKNOWN_KEY, f'unknown key "{path[-1]}"', cure, path)
            case "missing":
                meaning = _descriptions(model, path[:-1]).get(str(path[-1]), "")
                cure = f"add {path[-1]}: {meaning[:1].lower()}{meaning[1:].rstrip('.')}"
                yield Fault(codes.MISSING_KEY, f'the key "{path[-1]}" is missing', cure, path)
            case "too_short" if detail["input"]:
                pass  # pydantic does not count the items that are wrong themselves
            case kind if kind == FAULT:
                context = detail["ctx"]
                path += tuple(context["at"])
                yield Fault(codes.INVALID_VALUE, context["message"], context["cure"], path)
            case _:
                yield Fault(codes.INVALID_VALUE, *_explain(detail), path)


def _descriptions(model: type[Model], path: FieldPath) -> dict[str, str]:
    """Return the keys that `model` has for the mapping at `path`, with their descriptions."""
    here: type[Model] | None = model
    for step in path:
        if isinstance(step, str) and here is not None:
            fields = {field.alias: field for field in here.model_fields.values()}
            here = _model_in(fields[step].annotation) if step in fields else None
    fields_here = here.model_fields.values() if here else ()
    return {str(field.alias): field.description or "" for field in fields_here}


def _model_in(annotation: Any) -> type[Model] | None:  # noqa: ANN401  (a type form of any shape)
    if isinstance(annotation, type) and issubclass(annotation, Model):
        return annotation
    if isinstance(annotation, type) and issubclass(annotation, Later):
        return annotation.model()
    models = (_model_in(argument) for argument in get_args(annotation))
    return next((model for model in models if model is not None), None)


Words: TypeAlias = tuple[str, str]


_PHRASES: Mapping[str, Words] = {
    "bool_type": ("must be true or false, but is {described}", ""),
    "dict_type": ("must be a mapping, but is {described}", ""),
    "greater_than": ("must be more than {gt}, but is {value}", ""),
    "greater_than_equal": ("must be at least {ge:,}, but is {value:,}", ""),
    "int_type": ("must be a whole number, but is {described}", ""),
    "less_than_equal": ("must be at most {le:,}, but is {value:,}", ""),
    "model_type": ("must be a mapping, but is {described}", ""),
    "string_too_long": (
        "must have at most {max_length} characters, but has {length}",
        "shorten it",
    ),
    "string_too_short": ("must not be empty", "fill it in, or leave the key out"),
    "too_long": (
        "must have at most {max_length} entries, but has {length}",
        "leave some out",
    ),
    "too_short": ("must not be empty", "fill it in, or leave the key out"),
}
"""Message and fix by pydantic's type of error; the variables in braces are those of `_explain`."""


def _explain(detail: ErrorDetails) -> Words:
    value, context = detail["input"], detail.get("ctx", {})
    match detail["type"]:
        case "string_type":
            cure = "write it in quotes" if isinstance(value, (bool, int, float)) else ""
            return f"must be a string, but is {describe(value)}", cure
        case "tuple_type":
            cure = f"write it as a list: [{value}]" if isinstance(value, str) else ""
            return f"must be a list, but is {describe(value)}", cure
        case "literal_error":
            choices = re.findall("'([^']*)'", context["expected"])
            cure = did_you_mean(value, choices) if isinstance(value, str) else ""
            return f"must be one of {', '.join(choices)}, but is {describe(value)}", cure
        case "string_pattern_mismatch":
            tidy = re.sub("[_ ]", "-", value.lower())
            cure = f'did you mean "{tidy}"?' if re.fullmatch(context["pattern"], tidy) else ""
            return f"must be {MEANINGS[context['pattern']]}; it is {describe(value)}", cure
    if detail["type"] not in _PHRASES:
        return detail["msg"], ""
    message, cure = _PHRASES[detail["type"]]
    length = len(value) if isinstance(value, Sized) else 0
    return message.format(**context, value=value, described=describe(value), length=length), cure


_Kind = TypeVar("_Kind", bound=Model)
NamedKind = TypeVar("NamedKind", bound="NamedDocument")


class ConfigDocument(Struct, frozen=True, eq=False):
    """A YAML document of a file, before a model validates it."""

    path: str
    document: reading.Document

    @property
    def value(self) -> Json:
        """Return the document's content as JSON data."""
        return self.document.value

    def at(self, *path: str | int) -> Origin:
        """Return the line of a field, or of its nearest existing parent; this parses the text."""
        if not path:
            return Origin(self.path, self.document.index, self.document.line)
        line = self.document.text_line + reading.locate(self.document.text, path)
        return Origin(self.path, self.document.index, line)

    def result(self, fault: Fault) -> Result:
        """Return the finding about a field of this document."""
        return fault.result(None, self.at(*fault.field))


def read_documents(
    files: Iterable[File], kinds: Sequence[str]
) -> tuple[list[ConfigDocument], list[Result]]:
    """Return the documents of these kinds of ours, in the order of their paths, and all faults.

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
            cure = f"begin with apiVersion: {API_VERSION} and kind: {kinds[0]}"
            results.append(
                codes.WRONG_DOCUMENT.result("the file is empty", cure=cure, origin=Origin(path))
            )
    right = []
    for document in documents:
        faults = _header_faults(document.value, kinds) or [*_wide_numbers(document.value)]
        results += map(document.result, faults)
        right += [] if faults else [document]
    return right, results


def _header_faults(value: Json, kinds: Sequence[str]) -> list[Fault]:
    if not isinstance(value, dict):
        message = f"must be a {' or '.join(kinds)}, but is {describe(value)}"
        return [Fault(codes.WRONG_DOCUMENT, message, f"begin with kind: {kinds[0]}")]
    return [
        *_header_fault(value, "apiVersion", [API_VERSION]),
        *_header_fault(value, "kind", kinds),
    ]


def _header_fault(value: dict[str, Any], key: str, expected: Sequence[str]) -> list[Fault]:
    if key not in value:
        cure = f"add {key}: {expected[0]}"
        return [Fault(codes.MISSING_KEY, f'the key "{key}" is missing', cure, (key,))]
    if value[key] in expected:
        return []
    message = f"must be {' or '.join(expected)}, but is {describe(value[key])}"
    nearest = did_you_mean(str(value[key]), expected) if len(expected) > 1 else ""
    return [Fault(codes.WRONG_DOCUMENT, message, nearest or f"write {key}: {expected[0]}", (key,))]


def _wide_numbers(value: Json, path: FieldPath = ()) -> Iterator[Fault]:
    """Yield a fault for each number beyond 64 bits, of which Kubernetes would lose digits."""
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

    def at(self, *path: str | int) -> Origin:
        """Return the line of a field: `at("spec", "rules", 2)`, by the keys in YAML."""
        return self.written.at(*path)


def parsed(
    documents: Iterable[ConfigDocument], model: type[_Kind], results: list[Result]
) -> list[Written[_Kind]]:
    """Return the valid documents; add the faults of invalid documents to `results`."""
    right = []
    for document in documents:
        try:
            right.append(Written(model.model_validate(document.value), document))
        # All documents are validated, so that all faults come at once.
        except ValidationError as error:
            results += map(document.result, explain_validation_error(error, model))
    return right


class Located(Protocol):
    """A document, or a file of another format, that can locate its fields."""

    def at(self, *path: str | int) -> Origin:
        """Return the line of a field."""


class Named(Struct, frozen=True):
    """A name that must be unique among names of its sort, and where it is written."""

    sort: str
    name: str
    field: FieldPath
    document: Located


def duplicates(names: Iterable[Named]) -> list[Result]:
    """Return a finding for each name that is used twice, where it is used again."""
    # Names of different sorts may be equal.
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
    # pydantic reports by field, but people read by line.
    in_order = sorted(results, key=lambda result: (result.origin or Origin(""), result.field))
    if in_order:
        raise InputError(tuple(in_order))


def document_name(item: Written[NamedKind], sort: str) -> Named:
    """Return the name of a document, which must be unique among documents of its sort."""
    return Named(sort, item.model.metadata.name, ("metadata", "name"), item.written)
