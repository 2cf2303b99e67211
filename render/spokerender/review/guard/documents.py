"""The objects in a spoke's files: cut apart as bytes, named by a glance, parsed only if need be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

from spokerender.formats import yamlio
from spokerender.kinds import Catalogue
from spokerender.model import Manifest, Origin, Ref, identity
from spokerender.model.ownership import KUSTOMIZATION, is_ours
from spokerender.rendering.values.bundles import Bundle, Variant
from spokerender.topology import node

_REMEMBERED = 1024
_NOWHERE = Origin("")
_SEPARATOR = re.compile(rb"^---[^\n]*\n?", re.MULTILINE)
_KEYS = re.compile(rb"^[\"']?(apiVersion|kind|metadata)[\"']?[ \t]*:", re.MULTILINE)
_IDENTIFYING = [b"apiVersion", b"kind", b"metadata"]
_TEXT = (
    rb"(?:\"([^\"\\\n]*)\"|'([^'\n]*)'|([A-Za-z0-9][A-Za-z0-9._/-]*))"
    rb"[ \t]*(?:[ \t]#[^\n]*)?$"
)
_API_VERSION = re.compile(rb"^apiVersion: +" + _TEXT, re.MULTILINE)
_KIND = re.compile(rb"^kind: +" + _TEXT, re.MULTILINE)
_METADATA = re.compile(
    rb"^metadata:[ \t]*\n(( +)[^ #\n][^\n]*\n(?:[ #][^\n]*\n|\n)*)", re.MULTILINE
)


def documents(files: Mapping[str, bytes]) -> list[bytes]:
    """The text of every object in the files of ours of a spoke's folder, in their order.

    A text is the same whichever file it stands in, and however that checkout ends its lines.
    """
    return [
        document
        for path, data in files.items()
        if path != KUSTOMIZATION and is_ours(data)
        for document in _split(data.partition(b"\n")[2])
    ]


def _split(data: bytes) -> Iterator[bytes]:
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n")
    documents = _SEPARATOR.split(data) if b"---" in data else (data,)
    return (document for document in documents if document and not document.isspace())


class Reader:
    """Reads objects off their texts. What was parsed last is remembered: spokes are much alike."""

    def __init__(self, catalogue: Catalogue) -> None:
        """Read references as the catalogue says."""
        self.catalogue = catalogue
        self.parse = lru_cache(_REMEMBERED)(self._parse)
        self._refs: dict[Ref, Ref] = {}

    def ref(self, document: bytes) -> Ref | None:
        """Whose text it is; None where that can't be read. Equal identities are one object."""
        ref = glance(document)
        if ref is None:
            parsed = self.parse(document)
            ref = parsed.ref if parsed is not None else None
        return ref if ref is None else self._refs.setdefault(ref, ref)

    def _parse(self, document: bytes) -> Variant | None:
        """Parse a text; None where it is no object."""
        documents, _ = yamlio.read(document, "")
        data: Any = documents[0].value if len(documents) == 1 else None
        ref = identity(data)
        if ref is None or not (ref.kind and ref.name):
            return None
        return variant(ref, data, self.catalogue)


def variant(ref: Ref, data: dict[str, Any], catalogue: Catalogue) -> Variant:
    """An object as if it were rendered, for what looks at both."""
    manifest = Manifest.read(ref, data, _NOWHERE)
    return Variant(manifest, manifest, node(ref, data, catalogue))


def opened(item: Variant, bundle: Bundle, catalogue: Catalogue) -> Variant:
    """Return the variant with the values of the bundle's spoke in the place of slots."""
    if not bundle.values:
        return item
    return variant(bundle.ref(item.ref), bundle.object_of(item), catalogue)


def glance(document: bytes) -> Ref | None:
    """The identity of an object in block style, read without parsing; None if it is not so plain.

    Only a text in which each of the keys occurs once at the margin is trusted: then no string
    that goes over several lines can pass for them.
    """
    if sorted(_KEYS.findall(document)) != _IDENTIFYING:
        return None
    version, kind = _API_VERSION.search(document), _KIND.search(document)
    metadata = _METADATA.search(document)
    if version is None or kind is None or metadata is None:
        return None
    names, namespaces = (
        _member(key, len(metadata[2])).findall(metadata[1]) for key in (b"name", b"namespace")
    )
    if len(names) != 1 or len(namespaces) != metadata[1].count(b"namespace"):
        return None
    namespace = _text(namespaces[0]) if len(namespaces) == 1 else ""
    group = _text(version.groups()).rpartition("/")[0]
    return Ref(group, _text(kind.groups()), namespace, _text(names[0]))


@cache
def _member(key: bytes, indent: int) -> re.Pattern[bytes]:
    return re.compile(b"^ {%d}%b: +%b" % (indent, key, _TEXT), re.MULTILINE)


def _text(alternatives: tuple[bytes | None, ...]) -> str:
    return next(filter(None, alternatives), b"").decode()
