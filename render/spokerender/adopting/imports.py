"""Make a hub of objects from clusters: one object in a file, without fields that a cluster owns.

Objects that the hub has already are edited, not replaced: an equal object is unchanged, and an
object that changed live is changed in its own text, whose comments and order remain. So a second
import changes nothing, and Git shows what changed live since the first. CRDs for validation are
stored in a folder of their own, with checksums.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.adopting.selecting import EVERY_KIND, Selection
from spokerender.findings.codes import hub as hub_codes, project as codes
from spokerender.findings.phrasing import count, did_you_mean, listed
from spokerender.findings.results import INFO, WARNING, FindingKind, Result
from spokerender.formats import yamlio
from spokerender.formats.yamlio.editing import UneditableError, edit_in_place
from spokerender.kinds.crds import CRD_KIND, read_crd_kind
from spokerender.kinds.marks import NO_MARKS, Marks
from spokerender.kinds.owned import without_owned
from spokerender.kinds.table import find_row
from spokerender.model import FieldPath, Manifest, Origin, Ref, kind_name, shown
from spokerender.model.plan import HEADER, Progress
from spokerender.model.shapes import Json, as_mappings, grouped
from spokerender.model.sources import Files
from spokerender.rendering.marks import cleaned
from spokerender.rendering.values.layout import path_of
from spokerender.topology.hub import lacks_namespace, list_misread, read_hub
from spokerender.topology.kustomizing import RENDERED_FIRST, Kustomizations, find_flux_namespaces

SUMS = "SHA256SUMS"
"""The file of checksums, as `sha256sum --check` reads it."""

_CURES: Mapping[FindingKind, str] = {
    codes.SECRET: "let a secret store's controller create it on the spokes",
    codes.CONTROLLED: "its owner creates it again",
    codes.BEING_DELETED: "import again after its deletion",
    codes.UNUSED_CRD: "spokerender crds add keeps it, for validation",
}


_PASSED = (hub_codes.EMPTY_HUB.code, hub_codes.MISSPELT_KIND.code, hub_codes.SKIPPED_FILE.code)
_UNUSABLE: Mapping[str, tuple[str, str]] = {
    hub_codes.UNREADABLE.code: (
        "unreadable file",
        "templates, such as a chart's, have to be rendered: helm template | spokerender import -",
    ),
    hub_codes.NOT_AN_OBJECT.code: ("non-Kubernetes document", ""),
    hub_codes.BAD_NAME.code: (
        "misnamed object",
        f"placeholders have to be replaced: {RENDERED_FIRST}",
    ),
    hub_codes.BAD_TYPE.code: ("mistyped object", ""),
}
"""What is left out of files, by the code that a hub's file would get, with a suggested fix."""
_COUNTED = (codes.UNUSABLE.code, codes.OTHER_KINDS.code)


class AdoptedFiles(Struct, frozen=True):
    """The files to write, by path, the number of unchanged objects, and all findings.

    `left` counts files and objects that no hub can use, by a noun for each reason.
    """

    files: Mapping[str, bytes]
    unchanged: int
    results: tuple[Result, ...]
    left: Mapping[str, int] = {}


class ImportSettings(Struct, frozen=True):
    """The hub's folder, labels and annotations of delivery engines, and the folders of exports.

    `kinds` are written as by `model.kind_name`; if empty, what belongs to Gateways is imported.
    """

    hub: str
    marks: Marks = NO_MARKS
    kinds: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


def import_objects(
    exports: Files, hub: Files, settings: ImportSettings, progress: Progress | None = None
) -> AdoptedFiles:
    """Import the objects of exports into a hub.

    All problems are in `results`: if one of them is an error, nothing should be written. `exports`
    are files with names for messages; `hub` has the hub's present files, by the paths that the
    returned files have.
    """
    results: list[Result] = []
    edited = _EditedFiles(hub, results, settings.marks)
    given = _GivenObjects(exports, settings, results)
    manifests = given.choose(edited)
    if not manifests and all(result.code in _COUNTED for result in results):
        cure = f"name files with some{', or kinds with --kinds' if given.left else ''}"
        results.append(codes.NOTHING.result("the exports have no object to import", cure=cure))
    manifests = [*_select(manifests, results, settings.marks)]
    for done, manifest in enumerate(manifests, 1):
        if progress is not None:
            progress(done, len(manifests))
        edited.take(manifest, f"{settings.hub}/{path_of(manifest.ref)}")
    files = dict(sorted(edited.files.items()))
    return AdoptedFiles(files, edited.unchanged, tuple(results), given.left)


def _read_manifests(files: Files, results: list[Result]) -> Sequence[Manifest]:
    """Return the objects of files; problems are appended to `results`.

    Files without objects, and kinds that we don't know, are no problems here.
    """
    read = read_hub(files)
    results += (result for result in read.results if result.code not in _PASSED)
    return read.manifests


class _GivenObjects:
    """The objects of exports; `left` counts what no hub can use, by a noun for each reason."""

    def __init__(self, files: Files, settings: ImportSettings, results: list[Result]) -> None:
        self._files, self._settings, self._results = files, settings, results
        self._read = read_hub(files, keeps_copies=True)
        namespaces = find_flux_namespaces(self._read.manifests)
        self._manifests = [
            _move(manifest, namespaces.get(manifest.origin.path, ""))
            for manifest in self._read.manifests
        ]
        self._first: dict[Ref, Manifest] = {}
        for manifest in self._manifests:
            self._first.setdefault(manifest.ref, manifest)
        self.left: Counter[str] = Counter()

    def choose(self, present: "_EditedFiles") -> list[Manifest]:
        """Return the objects that are requested or in the hub, each once; report all others."""
        self._count_unusable()
        first, kinds = self._first, self._settings.kinds
        every = {kind_name(ref.group, ref.kind) for ref in first}
        for kind in sorted({*kinds} - every - {EVERY_KIND}):
            cure = did_you_mean(kind, every, "they have")
            self._results.append(codes.NOTHING.result(f"the exports have no {kind}", cure=cure))
        selected = Selection([*first.values()], self._read.catalogue).select(kinds)
        selected |= {ref for ref, item in first.items() if present.has(item)}
        selected -= self._find_conflicting(selected)
        chosen = [manifest for ref, manifest in first.items() if ref in selected]
        misread = list_misread(chosen, Kustomizations(self._files), self._read.catalogue)
        self._results += (replace(result, severity=WARNING) for result in misread)
        self._count_others(selected)
        return chosen

    def _count_unusable(self) -> None:
        """Report and count what no hub can use, once for each reason."""
        groups = grouped((item.code, item) for item in self._read.results)
        for code, items in groups.items():
            if code in _PASSED:
                continue
            noun, cure = _UNUSABLE.get(code, ("unusable object", ""))
            is_file = code == hub_codes.UNREADABLE.code
            origins = [item.origin for item in items if item.origin is not None]
            places = list(dict.fromkeys(at.path if is_file else str(at) for at in origins))
            self.left[noun] = len(places)
            reason = f"{items[0].field} {items[0].message}".strip()
            message = f"left out {count(len(places), noun)}: {reason}"
            more = f" (also {listed(places[1:])})" if places[1:] else ""
            result = codes.UNUSABLE.result(message + more, cure=cure, origin=items[0].origin)
            self._results.append(replace(result, severity=WARNING if cure else INFO))

    def _find_conflicting(self, wanted: Collection[Ref]) -> set[Ref]:
        """Return and report objects in `wanted` with two contents; warn if one folder has both."""
        marks, conflicting = self._settings.marks, set[Ref]()
        for manifest in self._manifests:
            other = self._first[manifest.ref]
            if other is manifest or manifest.ref not in wanted:
                continue
            if make_portable(other, marks) != make_portable(manifest, marks):
                conflicting.add(manifest.ref)
                message = f"left out: another export has other content for it: {other.origin}"
                cure = "export it once; several clusters become one hub by spokerender adopt"
                result = _report(codes.TWO_TALES, manifest, message, cure)
                paths = manifest.origin.path, other.origin.path
                is_one_folder = any(
                    all(path.startswith(f"{folder.rstrip('/')}/") for path in paths)
                    for folder in self._settings.folders
                )
                self._results.append(replace(result, severity=WARNING) if is_one_folder else result)
        return conflicting

    def _count_others(self, wanted: Collection[Ref]) -> None:
        others = Counter(ref.kind for ref in self._first if ref not in wanted)
        if not others:
            return
        self.left["other object"] = others.total()
        numbers = listed((count(number, kind) for kind, number in others.most_common()), 20)
        message, cure = f"left out objects of other kinds: {numbers}", "--kinds names what to take"
        self._results.append(codes.OTHER_KINDS.result(message, cure=cure))


def _move(manifest: Manifest, namespace: str) -> Manifest:
    """Return an object in the namespace that Flux gives it, instead of its own."""
    data, ref = manifest.object, manifest.ref
    if not namespace or not (ref.namespace or lacks_namespace(ref, data)):
        return manifest
    data = {**data, "metadata": {**data["metadata"], "namespace": namespace}}
    return replace(manifest, ref=replace(ref, namespace=namespace), object=data)


def _select(
    manifests: Iterable[Manifest], results: list[Result], marks: Marks
) -> Iterator[Manifest]:
    """Yield the objects that belong in a hub, and report all others."""
    for manifest in manifests:
        reason = find_reason_to_skip(manifest, marks)
        if reason is None:
            yield manifest
        else:
            kind, message = reason
            results.append(_report(kind, manifest, f"left out: {message}", _CURES[kind]))


def find_reason_to_skip(manifest: Manifest, marks: Marks) -> tuple[FindingKind, str] | None:
    """Return why an object does not belong in a hub; None if it does."""
    metadata = manifest.object["metadata"]
    if any(True for _ in _find_secrets(manifest.object)):
        # A copy of the whole object, which `kubectl apply` writes into it, is not imported.
        for place in _find_secrets(make_portable(manifest, marks)):
            holder = f"it has a Secret in {shown(place)}, and " if place else ""
            return codes.SECRET, f"{holder}its data must not be in Git"
    if metadata.get("deletionTimestamp"):
        return codes.BEING_DELETED, "it is being deleted"
    row = find_row(manifest.ref.group, manifest.ref.kind)
    owners = as_mappings(metadata.get("ownerReferences"))
    owner = next((owner for owner in owners if owner.get("controller") is True), None)
    if owner is not None and not (row is not None and row.is_inventory):
        return codes.CONTROLLED, f"it is created by {owner.get('kind')} {owner.get('name')}"
    if manifest.ref.kind == CRD_KIND:
        return codes.UNUSED_CRD, "it is a CRD"
    return None


def _find_secrets(value: Json, path: FieldPath = ()) -> Iterator[FieldPath]:
    """Yield the path of each Secret in an object, such as a ManifestWork, even within a text.

    A reference to a Secret has no data, and does not count. () is the path of the object itself.
    """
    if isinstance(value, dict):
        is_secret = value.get("kind") in ("Secret", "SecretList")
        if is_secret and (not path or any(map(value.get, ("data", "stringData", "items")))):
            yield path
        for key in value:
            yield from _find_secrets(value[key], (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _find_secrets(item, (*path, index))
    elif isinstance(value, str) and "Secret" in value and "kind" in value:
        documents, _ = yamlio.read(value.encode(), "")
        values = (item.value for item in documents if not isinstance(item.value, str))
        yield from (path for inner in values for _ in _find_secrets(inner, path))


def _report(kind: FindingKind, manifest: Manifest, message: str, cure: str) -> Result:
    return kind.result(message, cure=cure, resource=manifest.ref, origin=manifest.origin)


class _EditedFiles:
    """The present files of a hub; `files` has the changed and new files, which must be written."""

    def __init__(self, files: Files, results: list[Result], marks: Marks) -> None:
        self._marks = marks
        manifests = _read_manifests(files, results)
        self._manifests = {manifest.ref: manifest for manifest in manifests}
        self._data = dict(files)
        self._results = results
        self.files: dict[str, bytes] = {}
        self.unchanged = 0

    def has(self, manifest: Manifest) -> bool:
        """Return whether the hub has the object, with any content."""
        return manifest.ref in self._manifests

    def take(self, manifest: Manifest, path: str) -> None:
        """Put an object into the file that has it, or into a new file at `path`."""
        present = self._manifests.get(manifest.ref)
        new = make_portable(manifest, self._marks)
        if present is None:
            if path in self._data:
                message = f"{path} has another content, and stands where its file would be"
                self._results.append(
                    _report(codes.IN_THE_WAY, manifest, message, "move that file away")
                )
            else:
                self.files[path] = edit_text(manifest, new)
        elif make_portable(present, self._marks) == new:
            self.unchanged += 1
        else:
            self._edit(present, manifest, new)

    def _edit(self, present: Manifest, manifest: Manifest, new: dict[str, Any]) -> None:
        """Edit an object in the text of its file, which may have been edited already."""
        path, index = present.origin.path, present.origin.index
        data = self.files.get(path, self._data[path])
        document = next(one for one in yamlio.read(data, path)[0] if one.index == index)
        whole = _with_object(document.value, present.object, new)
        try:
            self.files[path] = edit_in_place(data, index, whole)
        except UneditableError as error:
            message = f"it has changed, and can't be edited in {path}: {error.reason}"
            at = replace(present.origin, line=error.line)
            cure = "make the change by hand, or write the object in block style in its own document"
            result = codes.NOT_EDITED.result(message, cure=cure, resource=manifest.ref, origin=at)
            self._results.append(result)


def _with_object(document: dict[str, Any], old: dict[str, Any], new: dict[str, Any]) -> Json:
    """Return a document with an object replaced; the document is the object, or a list with it."""
    if document == old:
        return new
    return {**document, "items": [new if item == old else item for item in document["items"]]}


def make_portable(manifest: Manifest, marks: Marks) -> dict[str, Any]:
    """Return the object without the fields that its cluster owns."""
    row = find_row(manifest.ref.group, manifest.ref.kind)
    fields = row.owned if row is not None else ()
    portable = cleaned(without_owned(manifest.object, fields, marks), marks)
    if row is not None and row.is_inventory and manifest.object.get("status"):
        return {**portable, "status": manifest.object["status"]}
    return portable


def edit_text(manifest: Manifest, new: dict[str, Any]) -> bytes:
    """Return new content for an object as YAML, edited from the object's own text if possible."""
    written = manifest.written
    text, old = (written.text, written.object) if written is not None else ("", {})
    composed = yamlio.compose(text.removeprefix(HEADER.decode()), old, new)
    edited = composed.text if composed.text.endswith("\n") else f"{composed.text}\n"
    if not composed.is_proven:
        yamlio.prove(edited, new)
    return edited.encode()


def keep_crds(
    sources: Files, present: Mapping[str, bytes], marks: Marks = NO_MARKS
) -> AdoptedFiles:
    """Return the CRDs of files as files of a folder, by name.

    An existing file is replaced only if its checksum shows that nobody has changed it. `sources`
    may have other objects as well. `present` has the folder's files by name. Labels and annotations
    in `marks`, which delivery engines write, are left out.
    """
    results: list[Result] = []
    manifests = _read_manifests(sources, results)
    crds = [manifest for manifest in manifests if manifest.ref.kind == CRD_KIND]
    if not crds and (manifests or not results):
        message = f"the sources have no CRD, but {count(len(manifests), 'other object')}"
        origin = Origin(sources[0][0]) if sources else None
        results.append(codes.NO_CRD.result(message, cure="name a file with CRDs", origin=origin))
    written = present.get(SUMS, b"").decode(errors="replace")
    lines = re.findall(r"^([0-9a-f]{64})  (\S.*)$", written, re.MULTILINE)
    sums = {name: digest for digest, name in lines}
    files: dict[str, bytes] = {}
    unchanged = 0
    for crd in crds:
        name, data = f"{crd.ref.name}.yaml", edit_text(crd, make_portable(crd, marks))
        if read_crd_kind(crd.object) is None:
            cure = "export it with kubectl get crd -o yaml"
            results.append(_report(codes.NO_CRD, crd, "it is a CRD that defines no kind", cure))
        elif present.get(name) == data:
            unchanged += 1
            sums[name] = _checksum(data)
        elif name in present and sums.get(name) != _checksum(present[name]):
            message = f"{name} has been changed since it was added"
            cure = "move it away, or choose another folder with -o"
            results.append(_report(codes.NOT_FROM_US, crd, message, cure))
        else:
            files[name] = data
            sums[name] = _checksum(data)
    text = "".join(f"{digest}  {name}\n" for name, digest in sorted(sums.items())).encode()
    if present.get(SUMS) != text and crds:
        files[SUMS] = text
    return AdoptedFiles(files, unchanged, tuple(results))


def _checksum(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
