"""Spokes under edit: the placement's own text with one more, one less, or another name.

Nothing but what is meant changes: comments, quotes and order stay (`yamlio.compose`), and what was
edited is read back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from msgspec import Struct, structs

from spokerender.adopting.documents import (
    SPOKES,
    Document,
    Files,
    documents_of,
    edited,
    mappings,
    refuse,
)
from spokerender.config.base import API_VERSION
from spokerender.findings.codes.adopting import LAST_SPOKE, ONLY_SPOKE, SPOKE_IS_THERE, UNEDITABLE
from spokerender.findings.codes.arguments import UNKNOWN_SPOKE
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result
from spokerender.findings.suggest import describe, did_you_mean
from spokerender.formats import yamlio
from spokerender.kinds.edits import read
from spokerender.model import Spoke
from spokerender.rendering.placement import static
from spokerender.rendering.placement.source import Source
from spokerender.rendering.placement.sources import source_of

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


class _SourceSpoke(Struct, frozen=True, eq=False):
    """A spoke that a file of a placement source declares which has no Placement documents."""

    source: Source
    file: tuple[str, bytes]
    spoke: Spoke

    def edited(self, name: str, spoke: Spoke | None) -> Mapping[str, bytes]:
        """Return the file with one spoke changed (`Source.edit`)."""
        if self.source.edit is None:
            message = f"{self.file[0]}: spokes of such a file are not edited here"
            cure = "edit it by hand"
            refuse(UNEDITABLE.result(message, cure=cure, origin=self.spoke.origin))
        return {self.file[0]: self.source.edit(self.file, name, spoke)}


def _parts(files: Files) -> tuple[list[Document], dict[str, _SourceSpoke]]:
    """Return the documents of our own files, and the spokes of all other placement files."""
    documents: list[Document] = []
    others: dict[str, _SourceSpoke] = {}
    for file in files:
        source = source_of(file[0])
        if source is static.SOURCE:
            documents += documents_of([file])
        else:
            spokes = source.declare([file]).spokes
            others |= {spoke.name: _SourceSpoke(source, file, spoke) for spoke in spokes}
    return documents, others


def added(files: Files, entry: Mapping[str, Any], like: str = "") -> Mapping[str, bytes]:
    """The files that change when a spoke is added, where the one that it is like is declared.

    Raises:
        InputError: it is there, the other one is not, or the file can't be edited.

    """
    documents, others = _parts(files)
    name = str(entry["name"])
    _expect_new(name, documents, others)
    if like in others:
        labels, values = entry.get("labels", {}), entry.get("values", {})
        return others[like].edited("", Spoke(name, labels, values, others[like].spoke.place))
    placements = [document for document in documents if document.kind == "Placement"]
    if like:
        document, _ = _declaring(documents, like)
    elif placements:
        document = next((each for each in placements if each.spokes), placements[0])
    else:
        message = "there is no placement to put a spoke into"
        refuse(UNEDITABLE.result(message, cure="spokerender init makes one"))
    return document.edited(lambda spec: _append(document, spec, entry))


def _append(document: Document, spec: dict[str, Any], entry: Mapping[str, Any]) -> None:
    """Put a spoke behind the others; a key without a value is a list without items."""
    spokes = [] if spec.get("spokes") is None else spec["spokes"]
    if not isinstance(spokes, list):
        message = f"{document.path}: spec.spokes is {describe(spokes)} where a list is expected"
        cure = "mend it by hand; spokerender check tells what else is wrong"
        refuse(UNEDITABLE.result(message, cure=cure, origin=document.origin(*SPOKES)))
    spec["spokes"] = [*spokes, dict(entry)]


def like(files: Files, other: str, name: str) -> dict[str, Any]:
    """The entry of a spoke that is like another: its labels and values, its name in them replaced.

    Raises:
        InputError: there is no such other.

    """
    documents, others = _parts(files)
    if other in others:
        spoke = others[other].spoke
        data = {"labels": dict(spoke.labels), "values": dict(spoke.values)}
        data = {key: value for key, value in data.items() if value}
    else:
        document, index = _declaring(documents, other)
        data = deepcopy(document.spokes[index])
    entry = _renamed_in(data, other, name)
    return {**entry, "name": name}


def renamed(files: Files, old: str, new: str) -> Mapping[str, bytes]:
    """The files that change when a spoke gets another name, wherever ours name it.

    Raises:
        InputError: there is no such spoke, the new one is there, or a file can't be edited.

    """
    documents, others = _parts(files)
    if old not in others:
        _declaring(documents, old)
    _expect_new(new, documents, others)

    def rename(document: Document, spec: dict[str, Any]) -> None:
        for entry in mappings(spec.get("spokes") if document.kind == "Placement" else None):
            if entry.get("name") == old:
                entry["name"] = new
        for names in _selections(document.kind, spec):
            names[:] = [new if name == old else name for name in names]
        for member, key in _FIELDS.get(document.kind, ()):
            for item in mappings(spec.get(member)):
                if item.get(key) == old:
                    item[key] = new

    changed = edited(documents, rename)
    if old not in others:
        return changed
    return {**changed, **others[old].edited(old, structs.replace(others[old].spoke, name=new))}


def removed(files: Files, name: str) -> Mapping[str, bytes]:
    """The files that change when a spoke goes.

    Raises:
        InputError: there is no such spoke, it is the last one, a rule is for it alone, or a file
            can't be edited.

    """
    documents, others = _parts(files)
    if name in others:
        declaring, index, at = None, 0, others[name].spoke.origin
    else:
        declaring, index = _declaring(documents, name)
        at = declaring.origin(*SPOKES, index)
    if len(others) + sum(len(document.spokes) for document in documents) == 1:
        message = f'"{name}" is the last spoke'
        refuse(LAST_SPOKE.result(message, cure="add another one first", origin=at))
    alone = tuple(each for document in documents for each in _for_it_alone(document, name))
    if alone:
        raise InputError(alone)

    def remove(document: Document, spec: dict[str, Any]) -> None:
        if document is declaring:
            del spec["spokes"][index]
        for names in _selections(document.kind, spec):
            names[:] = [each for each in names if each != name]

    changed = edited(documents, remove)
    return {**changed, **others[name].edited(name, None)} if name in others else changed


def with_crds(fleet: tuple[str, bytes] | None, folder: str) -> Mapping[str, bytes]:
    """The fleet file with a folder of CRDs more; a new one where there is none.

    Raises:
        InputError: it can't be edited.

    """
    documents = documents_of([fleet]) if fleet is not None else []
    if not documents:
        data = {"apiVersion": API_VERSION, "kind": "Fleet", "spec": {"crds": [folder]}}
        path = fleet[0] if fleet is not None else "fleet.yaml"
        return {path: (fleet[1] if fleet is not None else b"") + yamlio.proven(data).encode()}
    return documents[0].edited(
        lambda spec: spec.update({"crds": [*(spec.get("crds") or []), folder]})
    )


def _expect_new(
    name: str, documents: Sequence[Document], others: Mapping[str, _SourceSpoke]
) -> None:
    """Refuse a name that some spoke has already."""
    at = others[name].spoke.origin if name in others else None
    for document in documents:
        if name in document.names:
            at = document.origin(*SPOKES, document.names.index(name))
    if at is not None:
        message = f'there is a spoke "{name}" already: {at}'
        refuse(SPOKE_IS_THERE.result(message, cure="choose another name", origin=at))


def _declaring(documents: Sequence[Document], name: str) -> tuple[Document, int]:
    """The document that declares a spoke, and which of its spokes it is."""
    for document in documents:
        if name in document.names:
            return document, document.names.index(name)
    names = [each for document in documents for each in document.names]
    cure = did_you_mean(name, names) or "spokerender spoke list tells which there are"
    raise InputError((UNKNOWN_SPOKE.result(f'there is no spoke "{name}"', cure=cure),))


def _for_it_alone(document: Document, name: str) -> Iterator[Result]:
    """What would select nothing any more: whoever removes a spoke has to say what becomes of it."""
    for member in _SELECTIONS.get(document.kind, ()):
        for index, item in enumerate(mappings(read(document.written.value, ("spec", member)))):
            names = read(item, ("spokes", "names"))
            if isinstance(names, list) and names and set(names) == {name}:
                yield ONLY_SPOKE.result(
                    f'spec.{member}[{index}] is for the spoke "{name}" alone',
                    cure="take it out first, or let it name other spokes",
                    origin=document.origin("spec", member, index),
                )
    for member, key in _FIELDS.get(document.kind, ()):
        for index, item in enumerate(mappings(read(document.written.value, ("spec", member)))):
            if item.get(key) == name:
                yield ONLY_SPOKE.result(
                    f'spec.{member}[{index}] is about the spoke "{name}"',
                    cure="take it out first",
                    origin=document.origin("spec", member, index),
                )


def _selections(kind: str, spec: dict[str, Any]) -> Iterator[list[Any]]:
    """Every list of spokes by name in a document."""
    for member in _SELECTIONS.get(kind, ()):
        for item in mappings(spec.get(member)):
            names = read(item, ("spokes", "names"))
            if isinstance(names, list):
                yield names


def _renamed_in(value: Any, old: str, new: str) -> Any:  # noqa: ANN401  (JSON of any shape)
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, dict):
        return {key: _renamed_in(item, old, new) for key, item in value.items()}
    if isinstance(value, list):
        return [_renamed_in(item, old, new) for item in value]
    return value
