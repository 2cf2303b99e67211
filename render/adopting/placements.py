"""Spokes under edit: the placement's own text with one more, one less, or another name.

Nothing but what is meant changes: comments, quotes and order stay (`yamlio.compose`), and what was
edited is read back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NoReturn

from render.config.base import API_VERSION
from render.findings.codes.adopting import LAST_SPOKE, ONLY_SPOKE, SPOKE_IS_THERE, UNEDITABLE
from render.findings.codes.arguments import UNKNOWN_SPOKE
from render.findings.errors import InputError
from render.findings.results import Result
from render.findings.suggest import did_you_mean
from render.formats import yamlio
from render.kinds.edits import read
from render.model import Origin

Files = Sequence[tuple[str, bytes]]
"""Our own files by the path that messages name, and their bytes."""

_SPOKES = ("spec", "spokes")
_SELECTIONS: Mapping[str, tuple[str, ...]] = {
    "Placement": ("rules", "overrides"),
    "Publishing": ("agents",),
}
"""The lists below `spec` whose items have `spokes.names`, by the kind of the document."""
_FIELDS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "Fleet": (("suppressions", "spoke"),),
    "Publishing": (("agents", "workspace"),),
}
"""The lists below `spec` whose items name one spoke, and by which key."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A spoke as the placement declares it, and where."""

    name: str
    entry: Mapping[str, Any]
    origin: Origin


def spokes_of(files: Files) -> tuple[Declared, ...]:
    """Every spoke that placements declare, in the order of the files."""
    return tuple(
        Declared(str(entry.get("name")), entry, document.origin(*_SPOKES, index))
        for document in _documents(files)
        for index, entry in enumerate(document.spokes)
    )


def added(files: Files, entry: Mapping[str, Any], like: str = "") -> Mapping[str, bytes]:
    """The files that change when a spoke is added, where the one that it is like is declared.

    Raises:
        InputError: it is there, the other one is not, or the file can't be edited.

    """
    documents = _documents(files)
    name = str(entry["name"])
    for document in documents:
        if name in document.names:
            at = document.origin(*_SPOKES, document.names.index(name))
            message = f'there is a spoke "{name}" already: {at}'
            _refuse(SPOKE_IS_THERE.result(message, cure="choose another name", origin=at))
    placements = [document for document in documents if document.kind == "Placement"]
    if like:
        document, _ = _declaring(documents, like)
    elif placements:
        document = next((each for each in placements if each.spokes), placements[0])
    else:
        message = "there is no placement to put a spoke into"
        _refuse(UNEDITABLE.result(message, cure="spokerender init makes one"))
    return document.edited(lambda spec: spec.setdefault("spokes", []).append(dict(entry)))


def like(files: Files, other: str, name: str) -> dict[str, Any]:
    """The entry of a spoke that is like another: its labels and values, its name in them replaced.

    Raises:
        InputError: there is no such other.

    """
    document, index = _declaring(_documents(files), other)
    entry = _renamed_in(deepcopy(document.spokes[index]), other, name)
    return {**entry, "name": name}


def renamed(files: Files, old: str, new: str) -> Mapping[str, bytes]:
    """The files that change when a spoke gets another name, wherever ours name it.

    Raises:
        InputError: there is no such spoke, the new one is there, or a file can't be edited.

    """
    documents = _documents(files)
    _declaring(documents, old)
    for each in documents:
        if new in each.names:
            at = each.origin(*_SPOKES, each.names.index(new))
            message = f'there is a spoke "{new}" already: {at}'
            _refuse(SPOKE_IS_THERE.result(message, cure="choose another name", origin=at))

    def rename(document: _Document, spec: dict[str, Any]) -> None:
        for entry in _mappings(spec.get("spokes") if document.kind == "Placement" else None):
            if entry.get("name") == old:
                entry["name"] = new
        for names in _selections(document.kind, spec):
            names[:] = [new if name == old else name for name in names]
        for member, key in _FIELDS.get(document.kind, ()):
            for item in _mappings(spec.get(member)):
                if item.get(key) == old:
                    item[key] = new

    return _edited(documents, rename)


def removed(files: Files, name: str) -> Mapping[str, bytes]:
    """The files that change when a spoke goes.

    Raises:
        InputError: there is no such spoke, it is the last one, a rule is for it alone, or a file
            can't be edited.

    """
    documents = _documents(files)
    declaring, index = _declaring(documents, name)
    if sum(len(document.spokes) for document in documents) == 1:
        message = f'"{name}" is the last spoke'
        at = declaring.origin(*_SPOKES, index)
        _refuse(LAST_SPOKE.result(message, cure="add another one first", origin=at))
    alone = tuple(each for document in documents for each in _for_it_alone(document, name))
    if alone:
        raise InputError(alone)

    def remove(document: _Document, spec: dict[str, Any]) -> None:
        if document is declaring:
            del spec["spokes"][index]
        for names in _selections(document.kind, spec):
            names[:] = [each for each in names if each != name]

    return _edited(documents, remove)


def with_crds(fleet: tuple[str, bytes] | None, folder: str) -> Mapping[str, bytes]:
    """The fleet file with a folder of CRDs more; a new one where there is none.

    Raises:
        InputError: it can't be edited.

    """
    documents = _documents([fleet]) if fleet is not None else []
    if not documents:
        data = {"apiVersion": API_VERSION, "kind": "Fleet", "spec": {"crds": [folder]}}
        path = fleet[0] if fleet is not None else "fleet.yaml"
        return {path: (fleet[1] if fleet is not None else b"") + yamlio.proven(data).encode()}
    return documents[0].edited(
        lambda spec: spec.update({"crds": [*(spec.get("crds") or []), folder]})
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Document:
    """A document of ours in its file."""

    path: str
    data: bytes
    written: yamlio.Document

    @property
    def kind(self) -> str:
        return str(read(self.written.value, ("kind",)))

    @property
    def spokes(self) -> Sequence[dict[str, Any]]:
        return _mappings(read(self.written.value, _SPOKES)) if self.kind == "Placement" else ()

    @property
    def names(self) -> Sequence[str]:
        return [str(entry.get("name")) for entry in self.spokes]

    def origin(self, *path: str | int) -> Origin:
        line = self.written.text_line + yamlio.locate(self.written.text, path)
        return Origin(self.path, self.written.index, line)

    def edited(self, edit: Callable[[dict[str, Any]], object]) -> Mapping[str, bytes]:
        """The file with `spec` of this document edited; nothing where that changes nothing."""
        old = self.written.value
        new = deepcopy(old)
        spec = new.get("spec") or {}
        edit(spec)
        if new == old and spec == (old.get("spec") or {}):
            return {}
        new["spec"] = spec
        composed = yamlio.compose(self.written.text if self.written.spliceable else "", old, new)
        if not composed.is_proven:
            message = f"{self.path}: it is written so that nothing in it can be changed alone"
            cure = "write it as block-style YAML without anchors, or edit it by hand"
            _refuse(UNEDITABLE.result(message, cure=cure, origin=self.origin()))
        return {self.path: _spliced(self.data, self.written, composed.text)}


def _spliced(data: bytes, document: yamlio.Document, text: str) -> bytes:
    """The file with one document's text replaced; its line ends stay."""
    newline = "\r\n" if b"\r\n" in data else "\n"
    whole = data.decode("utf-8-sig").replace("\r\n", "\n")
    lines = whole.splitlines(keepends=True)
    first = document.text_line - 1
    last = first + document.text.count("\n")
    joined = "".join((*lines[:first], text, *lines[last:]))
    return joined.replace("\n", newline).encode()


def _documents(files: Files) -> list[_Document]:
    return [
        _Document(path, data, document)
        for path, data in files
        for document in yamlio.read(data, path)[0]
        if isinstance(document.value, dict)
    ]


def _declaring(documents: Sequence[_Document], name: str) -> tuple[_Document, int]:
    """The document that declares a spoke, and which of its spokes it is."""
    for document in documents:
        if name in document.names:
            return document, document.names.index(name)
    names = [each for document in documents for each in document.names]
    cure = did_you_mean(name, names) or "spokerender spoke list tells which there are"
    raise InputError((UNKNOWN_SPOKE.result(f'there is no spoke "{name}"', cure=cure),))


def _edited(
    documents: Sequence[_Document], edit: Callable[[_Document, dict[str, Any]], None]
) -> Mapping[str, bytes]:
    """All files that an edit changes; the documents of one file one after the other."""
    results: dict[str, bytes] = {}
    for document in reversed(documents):  # what is changed further down moves nothing above
        data = results.get(document.path, document.data)
        current = _Document(document.path, data, document.written)
        results |= current.edited(lambda spec, each=document: edit(each, spec))  # type: ignore[misc]
    return dict(sorted(results.items()))


def _for_it_alone(document: _Document, name: str) -> Iterator[Result]:
    """What would select nothing any more: whoever removes a spoke has to say what becomes of it."""
    for member in _SELECTIONS.get(document.kind, ()):
        for index, item in enumerate(_mappings(read(document.written.value, ("spec", member)))):
            names = read(item, ("spokes", "names"))
            if isinstance(names, list) and names and set(names) == {name}:
                yield ONLY_SPOKE.result(
                    f'spec.{member}[{index}] is for the spoke "{name}" alone',
                    cure="take it out first, or let it name other spokes",
                    origin=document.origin("spec", member, index),
                )
    for member, key in _FIELDS.get(document.kind, ()):
        for index, item in enumerate(_mappings(read(document.written.value, ("spec", member)))):
            if item.get(key) == name:
                yield ONLY_SPOKE.result(
                    f'spec.{member}[{index}] is about the spoke "{name}"',
                    cure="take it out first",
                    origin=document.origin("spec", member, index),
                )


def _selections(kind: str, spec: dict[str, Any]) -> Iterator[list[Any]]:
    """Every list of spokes by name in a document."""
    for member in _SELECTIONS.get(kind, ()):
        for item in _mappings(spec.get(member)):
            names = read(item, ("spokes", "names"))
            if isinstance(names, list):
                yield names


def _mappings(value: Any) -> list[dict[str, Any]]:  # noqa: ANN401  (what YAML holds there)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _renamed_in(value: Any, old: str, new: str) -> Any:  # noqa: ANN401  (JSON of any shape)
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, dict):
        return {key: _renamed_in(item, old, new) for key, item in value.items()}
    if isinstance(value, list):
        return [_renamed_in(item, old, new) for item in value]
    return value


def _refuse(*results: Result) -> NoReturn:
    raise InputError(results)
