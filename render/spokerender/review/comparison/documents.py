"""The objects in a spoke's files: split as bytes, identified by a regex, parsed only if needed."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.formats import yamlio
from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.table import is_cluster_scoped
from spokerender.model import Manifest, Origin, Ref, identity
from spokerender.model.plan import KUSTOMIZATION, FolderPlan, is_ours
from spokerender.rendering.values.bundles import Variant
from spokerender.rendering.values.trees import ObjectText, Tree
from spokerender.topology.reading import read_node

Before = Callable[[str, Collection[str] | None], Mapping[str, bytes]]
"""Returns the files of a folder before the change by path: only the given paths; None: all."""

_PARSED, _IDENTIFIED = 1024, 4096
"""The numbers of texts in the caches; successive spokes have mostly the same texts."""
_NOWHERE = Origin("")
_IDENTIFYING = [b"apiVersion", b"kind", b"metadata"]
_SEPARATOR = rb"(?m)^---[^\n]*\n?"
_TEXT = (
    rb"(?:\"([^\"\\\n]*)\"|'([^'\n]*)'|([A-Za-z0-9][A-Za-z0-9._/-]*))"
    rb"[ \t]*(?:[ \t]#[^\n]*)?$"
)


def documents(files: Mapping[str, bytes]) -> list[bytes]:
    """Return the text of each object in the rendered files of a spoke's folder, in their order.

    The text of an object does not depend on its file, nor on the line ends of the checkout.
    """
    return [
        document
        for path, data in files.items()
        # Other files in the folder are neither compared nor deleted.
        if path != KUSTOMIZATION and is_ours(data)
        for document in _split(data.partition(b"\n")[2])
    ]


def _split(data: bytes) -> Iterator[bytes]:
    if b"\r" in data:
        # Git may check files out with other line ends.
        data = data.replace(b"\r\n", b"\n")
    documents = re.split(_SEPARATOR, data) if b"---" in data else (data,)
    return (document for document in documents if document and not document.isspace())


class ObjectReader:
    """A reader of objects that caches what it parses, as spokes have many objects in common."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        # Per reader, so that a catalogue never gives its answers to another one.
        self.parse = lru_cache(_PARSED)(self._parse)
        self.ref = lru_cache(_IDENTIFIED)(self._identify)
        self._refs: dict[Ref, Ref] = {}
        self._variants: dict[tuple[Ref, str], Variant] = {}

    def _identify(self, document: bytes) -> Ref | None:
        """Return the identity of an object; None if the text can't be read.

        Equal identities are the same Python object, so that comparing many of them is fast.
        """
        ref = glance(document)
        if ref is None:
            variant = self.parse(document)
            ref = variant.ref if variant is not None else None
        ref = _drop_namespace(ref) if ref is not None else None
        return ref if ref is None else self._refs.setdefault(ref, ref)

    def _parse(self, document: bytes) -> Variant | None:
        """Return the object in a text; None if the text does not contain exactly one object."""
        documents, _ = yamlio.read(document, "")
        data: Any = documents[0].value if len(documents) == 1 else None
        ref = identity(data)
        if ref is None or not (ref.kind and ref.name):
            return None
        return self.variant(_drop_namespace(ref), data)

    def variant(self, ref: Ref, data: dict[str, Any]) -> Variant:
        """Return a `Variant` for the object, as rendering would return it."""
        manifest = Manifest.read(ref, data, _NOWHERE)
        return Variant(manifest, manifest, read_node(ref, data, self.catalogue))

    def variant_once(self, ref: Ref, data: dict[str, Any]) -> Variant:
        """Return a `Variant` for the object; the same one for equal data."""
        key = ref, repr(data)
        if key not in self._variants:
            self._variants[key] = self.variant(ref, data)
        return self._variants[key]


def _drop_namespace(ref: Ref) -> Ref:
    """Return the identity without its namespace if the kind is cluster-scoped."""
    is_in_vain = bool(ref.namespace) and is_cluster_scoped(ref.group, ref.kind)
    return replace(ref, namespace="") if is_in_vain else ref


def glance(document: bytes) -> Ref | None:
    """Return the identity of an object without parsing the text; None if parsing is needed.

    The text must be in YAML's block style, with each of the three top-level keys exactly once at
    the start of a line: then no string that spans several lines can be mistaken for a key.
    """
    patterns = _patterns()
    # Each key once at the margin: anything else is left to the parser.
    if sorted(patterns["keys"].findall(document)) != _IDENTIFYING:
        return None
    version, kind, metadata = (
        patterns[key].search(document) for key in ("apiVersion", "kind", "metadata")
    )
    if version is None or kind is None or metadata is None:
        return None
    names, namespaces = (
        re.findall(rb"(?m)^ {%d}%b: +%b" % (len(metadata[2]), key, _TEXT), metadata[1])
        for key in (b"name", b"namespace")
    )
    # A name that is written in another way makes the count wrong.
    if len(names) != 1 or len(namespaces) != metadata[1].count(b"namespace"):
        return None
    namespace = _text(namespaces[0]) if len(namespaces) == 1 else ""
    group = _text(version.groups()).rpartition("/")[0]
    return Ref(group, _text(kind.groups()), namespace, _text(names[0]))


@cache
def _patterns() -> Mapping[str, re.Pattern[bytes]]:
    patterns = {
        "keys": rb"^[\"']?(apiVersion|kind|metadata)[\"']?[ \t]*:",
        "apiVersion": rb"^apiVersion: +" + _TEXT,
        "kind": rb"^kind: +" + _TEXT,
        "metadata": rb"^metadata:[ \t]*\n(( +)[^ #\n][^\n]*\n(?:[ #][^\n]*\n|\n)*)",
    }
    return {name: re.compile(pattern, re.MULTILINE) for name, pattern in patterns.items()}


def _text(alternatives: tuple[bytes | None, ...]) -> str:
    return next(filter(None, alternatives), b"").decode()


class ChangedObjects(Struct, frozen=True, eq=False):
    """The objects of a spoke whose texts differ between two trees, by identity on the spoke."""

    gone: Mapping[Ref, bytes]
    added: Mapping[Ref, ObjectText]
    changed: Mapping[Ref, tuple[bytes, ObjectText]]


def changed_objects(
    plan: FolderPlan, before: Before, after: Tree, reader: ObjectReader
) -> ChangedObjects:
    """Return the objects that differ in the changed files; a move between files is no change."""
    spoke = plan.folder
    # Files that did not change have the same objects on both sides.
    old_texts = documents(before(spoke, {*plan.update, *plan.delete}))
    new_objects = shipped_objects(spoke, after, reader, {*plan.create, *plan.update})
    # Equal texts first, by a set: they need no identity.
    same = {written.text for written in new_objects.values()}.intersection(old_texts)
    old = {
        ref: text
        for text in old_texts
        if text not in same and (ref := reader.ref(text)) is not None
    }
    new = {ref: written for ref, written in new_objects.items() if written.text not in same}
    gone = {ref: text for ref, text in old.items() if ref not in new}
    added = {ref: written for ref, written in new.items() if ref not in old}
    changed = {ref: (old[ref], new[ref]) for ref in old.keys() & new.keys()}
    return ChangedObjects(gone, added, changed)


def shipped_objects(
    spoke: str, trees: Tree, reader: ObjectReader, paths: Collection[str] | None = None
) -> dict[Ref, ObjectText]:
    """Return the objects in the files `paths` of a spoke (None: all), by identity on the spoke."""
    bundle = trees.bundle(spoke)
    objects: dict[Ref, ObjectText] = {}
    for written in trees.written(spoke, paths):
        # A rendered object knows its identity; a file that waits has to be read.
        if written.variant is not None:
            objects[bundle.ref(written.variant.ref)] = written
        elif (ref := reader.ref(written.text)) is not None:
            objects[ref] = written
    return objects
