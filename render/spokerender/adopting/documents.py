"""Documents of ours under edit: what is changed is spliced in, and everything else stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, NoReturn

from msgspec import Struct

from spokerender.findings.codes.adopting import UNEDITABLE
from spokerender.findings.errors import InputError
from spokerender.findings.results import Result
from spokerender.findings.suggest import describe
from spokerender.formats import yamlio
from spokerender.kinds.edits import read
from spokerender.model import Origin

Files = Sequence[tuple[str, bytes]]
"""Our own files by the path that messages name, and their bytes."""

SPOKES = ("spec", "spokes")


class Document(Struct, frozen=True, eq=False):
    """A document of ours in its file."""

    path: str
    data: bytes
    written: yamlio.Document

    @property
    def kind(self) -> str:
        """What it says it is."""
        return str(read(self.written.value, ("kind",)))

    @property
    def spokes(self) -> Sequence[dict[str, Any]]:
        """The spokes that a placement declares."""
        return mappings(read(self.written.value, SPOKES)) if self.kind == "Placement" else ()

    @property
    def names(self) -> Sequence[str]:
        """What they are called."""
        return [str(entry.get("name")) for entry in self.spokes]

    def origin(self, *path: str | int) -> Origin:
        """Where a field of it is written."""
        line = self.written.text_line + yamlio.locate(self.written.text, path)
        return Origin(self.path, self.written.index, line)

    def edited(self, edit: Callable[[dict[str, Any]], object]) -> Mapping[str, bytes]:
        """The file with `spec` of this document edited; nothing where that changes nothing."""
        old = self.written.value
        new = deepcopy(old)
        spec = {} if new.get("spec") is None else new["spec"]
        if not isinstance(spec, dict):
            message = f"{self.path}: spec is {describe(spec)} where a mapping is expected"
            cure = "mend it by hand; spokerender check tells what else is wrong"
            refuse(UNEDITABLE.result(message, cure=cure, origin=self.origin("spec")))
        edit(spec)
        if new == old and spec == (old.get("spec") or {}):
            return {}
        new["spec"] = spec
        composed = yamlio.compose(self.written.text if self.written.spliceable else "", old, new)
        if not composed.is_proven:
            message = f"{self.path}: it is written so that nothing in it can be changed alone"
            cure = "write it as block-style YAML without anchors, or edit it by hand"
            refuse(UNEDITABLE.result(message, cure=cure, origin=self.origin()))
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


def documents_of(files: Files) -> list[Document]:
    """Every document of the files that is a mapping."""
    return [
        Document(path, data, document)
        for path, data in files
        for document in yamlio.read(data, path)[0]
        if isinstance(document.value, dict)
    ]


def edited(
    documents: Sequence[Document], edit: Callable[[Document, dict[str, Any]], None]
) -> Mapping[str, bytes]:
    """All files that an edit changes; the documents of one file one after the other."""
    results: dict[str, bytes] = {}
    for document in reversed(documents):  # what is changed further down moves nothing above
        data = results.get(document.path, document.data)
        current = Document(document.path, data, document.written)
        results |= current.edited(lambda spec, each=document: edit(each, spec))  # type: ignore[misc]
    return dict(sorted(results.items()))


def mappings(value: Any) -> list[dict[str, Any]]:  # noqa: ANN401  (what YAML holds there)
    """The items of a list that are mappings."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def refuse(*results: Result) -> NoReturn:
    """Raise `InputError` with these."""
    raise InputError(results)
