"""Edit placements and other files of ours; all bytes that a change does not concern are unchanged.

The edits are made by `edit_in_place`, which reads the result back.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from spokerender.adopting.editable import (
    SPOKES,
    EditableDocument,
    edit_documents,
    read_editable,
    refuse_edit,
)
from spokerender.findings.codes import project as codes
from spokerender.findings.codes.project import UNKNOWN_SPOKE
from spokerender.findings.errors import InputError
from spokerender.findings.phrasing import describe, did_you_mean, listed
from spokerender.findings.results import Result
from spokerender.formats.yamlio.emit import flow
from spokerender.kinds.fields import find_values, read_value
from spokerender.model import FieldPath, shown
from spokerender.model.shapes import Json, map_children
from spokerender.model.sources import Files
from spokerender.rendering.placement import static
from spokerender.rendering.placement.sources import source_of
from spokerender.rendering.values.rendered import Rendered

_SELECTING = ("rules[]", "overrides[]", "agents[]", "rollout.groups[]", "delivery.*.*[]", "tests[]")
"""The entries below `spec` of our files that have a selection `spokes`."""
_NAMING = ("suppressions[].spoke", "agents[].workspace")
"""The fields below `spec` of our files that have the name of one spoke."""


def _read_own(files: Files) -> list[EditableDocument]:
    """Return the documents of our own files; files of other placement sources are not edited."""
    return read_editable([file for file in files if source_of(file[0]) is static.SOURCE])


def add_spoke_to_files(
    files: Files, entry: Mapping[str, Any], like: str = ""
) -> Mapping[str, bytes]:
    """Add a spoke to the placement that declares `like`; return the changed files.

    Raises `InputError` if the spoke exists, `like` does not, or the file can't be edited.
    """
    documents = _read_own(files)
    _expect_new(str(entry["name"]), documents)
    placements = [document for document in documents if document.kind == "Placement"]
    if like:
        document, _ = _declaring(documents, like)
    elif placements:
        document = next((each for each in placements if each.spokes), placements[0])
    else:
        refuse_edit("there is no placement to put a spoke into", "create one with spokerender init")
    return document.edited(lambda spec: _append(document, spec, entry))


def _append(document: EditableDocument, spec: dict[str, Any], entry: Mapping[str, Any]) -> None:
    """Append the spoke `entry` to `spec.spokes`; null counts as an empty list."""
    spokes = [] if spec.get("spokes") is None else spec["spokes"]
    if not isinstance(spokes, list):
        refuse_edit(
            f"{document.path}: spec.spokes is {describe(spokes)} where a list is expected",
            "correct it by hand; spokerender check lists what else is wrong",
            document.origin(*SPOKES),
        )
    spec["spokes"] = [*spokes, dict(entry)]


def copy_spoke(files: Files, other: str, name: str) -> dict[str, Any]:
    """Return the entry of spoke `other`, renamed in its texts, too. Raises `InputError`."""
    document, index = _declaring(_read_own(files), other)
    entry = _renamed_in(document.spokes[index], other, name)
    return {**entry, "name": name}


def list_copied(entry: Mapping[str, Any], given: Mapping[str, Collection[str]]) -> Iterator[str]:
    """Yield a text for each label and value of a copied spoke's entry that is not in `given`."""
    for key, value in entry.items():
        for name, item in value.items() if isinstance(value, dict) else ():
            if name not in given.get(key, ()):
                yield f"{key}.{name} {flow(item)}"


def find_shared_hostnames(rendered: Rendered, like: str, name: str) -> Iterator[Result]:
    """Yield a warning if the placement gives a copied spoke hostnames of its original.

    Hostnames that the hub has itself are meant for every spoke, and are not reported.
    """
    bundles = [rendered.bundles[one] for one in (like, name)]
    served = [
        {host for v in bundle.blueprint.variants for host in _hostnames(bundle.object_of(v))}
        for bundle in bundles
    ]
    of_hub = {host for m in rendered.hub.manifests for host in _hostnames(m.object)}
    if twice := sorted(served[0] & served[1] - of_hub):
        yield codes.SAID_TWICE.result(
            f"spoke {name} serves hostnames of spoke {like}: {listed(twice)}",
            cure=f"change the copied labels or values of {name} that say so",
            origin=bundles[1].spoke.origin,
            spokes=(name,),
        )


def _hostnames(data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the hostnames of an object and of its listeners."""
    for pattern in ("spec.listeners[].hostname", "spec.hostnames[]"):
        yield from (host for _, host in find_values(data, pattern) if isinstance(host, str))


def rename_spoke_in_files(files: Files, old: str, new: str) -> Mapping[str, bytes]:
    """Rename a spoke in all of our files; return the changed files.

    Raises `InputError` if there is no such spoke, the new name is taken, or a file can't be edited.
    """
    documents = _read_own(files)
    _declaring(documents, old)
    _expect_new(new, documents)

    def rename(_: EditableDocument, spec: dict[str, Any]) -> None:
        for path in _find_names(spec, old):
            read_value(spec, path[:-1])[path[-1]] = new

    return edit_documents(documents, rename)


def remove_spoke_from_files(files: Files, name: str) -> Mapping[str, bytes]:
    """Remove a spoke from all of our files; return the changed files.

    Raises `InputError` if there is no such spoke, it is the last one, an entry selects it alone, or
    a file can't be edited.
    """
    documents = _read_own(files)
    declaring, index = _declaring(documents, name)
    if sum(len(document.spokes) for document in documents) == 1:
        at = declaring.origin(*SPOKES, index)
        refuse_edit(
            f'"{name}" is the last spoke', "add another one first", at, kind=codes.LAST_SPOKE
        )
    alone = tuple(each for document in documents for each in _for_it_alone(document, name))
    if alone:
        raise InputError(alone)

    def remove(document: EditableDocument, spec: dict[str, Any]) -> None:
        if document is declaring:
            del spec["spokes"][index]
        for *place, index_in_list in reversed(_find_names(spec, name)):
            names = read_value(spec, tuple(place))
            del names[index_in_list]
            if not names:
                del read_value(spec, tuple(place[:-1]))[place[-1]]

    return edit_documents(documents, remove)


def _expect_new(name: str, documents: Sequence[EditableDocument]) -> None:
    """Raise `InputError` if a spoke with this name exists."""
    for document in documents:
        if name in document.names:
            at = document.origin(*SPOKES, document.names.index(name))
            message = f'there is a spoke "{name}" already: {at}'
            refuse_edit(message, "choose another name", at, kind=codes.SPOKE_IS_THERE)


def _declaring(documents: Sequence[EditableDocument], name: str) -> tuple[EditableDocument, int]:
    """Return the document that declares a spoke, and the spoke's index. Raises `InputError`."""
    for document in documents:
        if name in document.names:
            return document, document.names.index(name)
    names = [each for document in documents for each in document.names]
    cure = did_you_mean(name, names) or "spokerender spoke list lists the spokes"
    raise InputError((UNKNOWN_SPOKE.result(f'there is no spoke "{name}"', cure=cure),))


def _for_it_alone(document: EditableDocument, name: str) -> Iterator[Result]:
    """Yield errors for entries that select only this spoke: their owner has to change them."""
    spec = read_value(document.written.value, ("spec",))
    selections = (
        place for each in _SELECTING for place in find_values(spec, f"{each}.spokes.names")
    )
    entries = [path[:-2] for path, names in selections if names and {*names} == {name}]
    texts = (place for each in _NAMING for place in find_values(spec, each))
    entries += [path[:-1] for path, text in texts if text == name]
    for path in (("spec", *entry) for entry in entries):
        yield codes.ONLY_SPOKE.result(
            f'{shown(path)} is for the spoke "{name}" alone',
            cure="remove it first, or let it name other spokes",
            origin=document.origin(*path),
        )


def _find_names(spec: Mapping[str, Any], name: str) -> list[FieldPath]:
    """Return every path in the `spec` of one of our files that has the name of a spoke."""
    lists = (f"{each}.spokes.{key}[]" for each in _SELECTING for key in ("names", "except"))
    patterns = ("spokes[].name", *_NAMING, *lists)
    return [path for each in patterns for path, text in find_values(spec, each) if text == name]


def _renamed_in(value: Json, old: str, new: str) -> Json:
    if isinstance(value, str):
        return re.sub(rf"(?<![A-Za-z0-9]){re.escape(old)}(?![A-Za-z0-9])", new, value)
    return map_children(value, lambda item: _renamed_in(item, old, new))
