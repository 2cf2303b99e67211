"""Edit documents of our own files; all bytes that a change does not concern are unchanged."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, NoReturn

from msgspec import Struct

from spokerender.config.base import API_VERSION
from spokerender.findings.codes.project import UNEDITABLE
from spokerender.findings.errors import InputError
from spokerender.findings.phrasing import describe
from spokerender.findings.results import FindingKind
from spokerender.formats import yamlio
from spokerender.formats.yamlio.editing import UneditableError, edit_in_place
from spokerender.kinds.fields import read_value
from spokerender.model import Origin
from spokerender.model.shapes import Json, as_mappings
from spokerender.model.sources import Files

SPOKES = ("spec", "spokes")


class EditableDocument(Struct, frozen=True, eq=False):
    """A document in one of the project's own files, such as fleet.yaml, with the file's bytes."""

    path: str
    data: bytes
    written: yamlio.Document

    @property
    def kind(self) -> str:
        """The document's `kind`."""
        return str(read_value(self.written.value, ("kind",)))

    @property
    def spokes(self) -> Sequence[Mapping[str, Any]]:
        """The spokes that the document declares, if it is a placement."""
        spokes = read_value(self.written.value, SPOKES)
        return as_mappings(spokes) if self.kind == "Placement" else ()

    @property
    def names(self) -> Sequence[str]:
        """The names of the spokes that the document declares."""
        return [str(entry.get("name")) for entry in self.spokes]

    def origin(self, *path: str | int) -> Origin:
        """Return the file and line of a field of the document."""
        line = self.written.text_line + yamlio.locate(self.written.text, path)
        return Origin(self.path, self.written.index, line)

    def edited(self, edit: Callable[[dict[str, Any]], object]) -> Mapping[str, bytes]:
        """Return the file, by path, with its `spec` changed by `edit`; empty if nothing changes."""
        new = deepcopy(self.written.value)
        spec = {} if new.get("spec") is None else new["spec"]
        if not isinstance(spec, dict):
            refuse_edit(
                f"{self.path}: spec is {describe(spec)} where a mapping is expected",
                "correct it by hand; spokerender check lists what else is wrong",
                self.origin("spec"),
            )
        edit(spec)
        if spec == (self.written.value.get("spec") or {}):
            return {}
        return self.rewritten({**new, "spec": spec})

    def rewritten(self, new: Json) -> Mapping[str, bytes]:
        """Return the file, by path, with `new` as this document. Raises `InputError`."""
        try:
            return {self.path: edit_in_place(self.data, self.written.index, new)}
        except UneditableError as error:
            refuse_edit(
                f"{self.path}: this can't be changed without changing more: {error.reason}",
                "write the value out in block style, without an alias, or edit it by hand",
                Origin(self.path, self.written.index, error.line),
            )


def read_editable(files: Files) -> list[EditableDocument]:
    """Return every document of the files that is a mapping."""
    return [
        EditableDocument(path, data, document)
        for path, data in files
        for document in yamlio.read(data, path)[0]
        if isinstance(document.value, dict)
    ]


def edit_documents(
    documents: Sequence[EditableDocument], edit: Callable[[EditableDocument, dict[str, Any]], None]
) -> Mapping[str, bytes]:
    """Call `edit` with each document and its `spec`, and return the changed files by path."""
    results: dict[str, bytes] = {}
    for document in reversed(documents):  # an edit further down moves no line above
        data = results.get(document.path, document.data)
        current = EditableDocument(document.path, data, document.written)
        results |= current.edited(lambda spec, edited=document: edit(edited, spec))  # type: ignore[misc]
    return dict(sorted(results.items()))


def refuse_edit(
    message: str, cure: str, origin: Origin | None = None, kind: FindingKind = UNEDITABLE
) -> NoReturn:
    """Raise `InputError` with one finding."""
    raise InputError((kind.result(message, cure=cure, origin=origin),))


def add_to_fleet(
    fleet: tuple[str, bytes] | None, key: str, items: Sequence[Any]
) -> Mapping[str, bytes]:
    """Return the fleet file with items added to a list; the file is created if necessary.

    Raises `InputError` if the file can't be edited; its suggested fix has the lines to add by hand.
    """
    path, data = fleet if fleet is not None else ("fleet.yaml", b"")
    documents, problems = yamlio.read(data, path)
    if not (documents or problems):
        new = {"apiVersion": API_VERSION, "kind": "Fleet", "spec": {key: [*items]}}
        newline = b"\n" if data and not data.endswith((b"\n", b"\r")) else b""
        try:
            return {path: data + newline + yamlio.proven(new).encode()}
        except yamlio.UnprovenError:
            refuse_edit(f"{path} can't carry these characters", "leave them out")
    message = f"{path} is not one Fleet with a list in spec.{key}"
    origin = Origin(path, 0, problems[0].line if problems else documents[-1].line)
    try:
        if not problems and len(documents) == 1 and isinstance(documents[0].value, dict):
            document = EditableDocument(path, data, documents[0])
            return document.edited(lambda spec: spec.update({key: [*_items_of(spec, key), *items]}))
    except InputError as error:
        message, origin = error.results[0].message, error.results[0].origin or origin
    except TypeError:
        origin = EditableDocument(path, data, documents[0]).origin("spec", key)
    by_hand = yamlio.emit({"spec": {key: [*items]}})
    refuse_edit(message, f"add by hand:\n{by_hand}", origin)


def _items_of(spec: Mapping[str, Any], key: str) -> list[Any]:
    """Return the list `spec[key]`, empty if it is absent. Raises `TypeError` if it is no list."""
    value = spec.get(key)
    if not isinstance(value, list | None):
        raise TypeError
    return value or []
