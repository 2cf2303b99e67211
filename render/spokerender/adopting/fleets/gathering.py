"""Read the objects of many clusters; objects equal except for the cluster's name are read once."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath
from posixpath import commonpath
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.adopting.imports import find_reason_to_skip, make_portable
from spokerender.findings.codes import hub as codes
from spokerender.findings.results import Result, Severity
from spokerender.kinds.crds import CRD_KIND
from spokerender.kinds.marks import Marks
from spokerender.model import NAMESPACE, SERVICE, SERVICE_IMPORT, FieldPath, Manifest, Origin, Ref
from spokerender.model.shapes import as_mappings, match_words
from spokerender.model.slots import NAME, fill, fill_ref
from spokerender.model.sources import Files
from spokerender.rendering.marks import namespace_object
from spokerender.rendering.values.own_texts import map_texts
from spokerender.topology.hub import Hub, is_local_config, read_hub
from spokerender.topology.objects import is_never_shipped
from spokerender.topology.places import hub_line

_SAFE = re.compile(r"(?=.*[g-z])(?!true$|false$|null$|yes$|off$|inf$)[a-z][a-z0-9-]{2,}")
"""Names of clusters that YAML can't read as anything but text, wherever they are in a text."""
_LIST = re.compile(
    r"apiVersion: v1\nitems:\n(?=- )(.*\n)kind: List(?:\nmetadata:.*)?\s*\Z", re.DOTALL
)
"""A List as `kubectl get -o yaml` prints it: no item has a line that begins with a hyphen."""
_HEAD = "kind: List\napiVersion: v1\nitems:\n- "
_OWN_METADATA = re.compile(
    r"^    (?:creationTimestamp|generation|resourceVersion|selfLink|uid): .*\n", re.MULTILINE
)
_METADATA = re.compile(r"^  metadata:\n(?:    .*\n|  - .*\n)+", re.MULTILINE)
_STATUS = re.compile(r"^  status:\n(?:    .*\n)+", re.MULTILINE)
_MADE_THERE = {SERVICE, SERVICE_IMPORT}
_PASSED = {codes.EMPTY_HUB.code, codes.MISSPELT_KIND.code, codes.NOT_AN_OBJECT.code}
_NO_OBJECT = "document without a Kubernetes object"


class Form(Struct, frozen=True, eq=False):
    """The content of an object on one or more clusters, without fields that a cluster owns.

    `NAME` stands for the cluster's name in texts. `manifest` is the first object with this form,
    on `cluster`; add `above` to lines of its origin for lines of the file.
    """

    ref: Ref
    object: dict[str, Any]
    manifest: Manifest
    cluster: str
    above: int

    def find(self, path: FieldPath) -> Origin:
        """Return the file and line of a field."""
        origin = hub_line(self.manifest, path)
        return replace(origin, line=origin.line + self.above)


class GatheredCluster(Struct, frozen=True, eq=False):
    """A cluster: the forms of its objects by identity, and its file or folder."""

    name: str
    forms: Mapping[Ref, Form]
    path: str


class AssembledObject(Struct, eq=False):
    """An object of the hub, its form on each cluster, and its content on the hub.

    `content` is the form `source` with the names of the hub; `source` is None for a Gateway without
    a form. `names` has the identity of a Gateway, with `NAME`, on each cluster that has it or, if
    its files don't, refers to it.
    """

    ref: Ref
    names: Mapping[str, Ref] = {}
    forms: dict[str, Form] = field(default_factory=dict)
    content: dict[str, Any] = field(default_factory=dict)
    source: Form | None = None

    def content_on_hub(self) -> dict[str, Any]:
        """Return the content on the hub, with the name of `source`'s cluster in place of `NAME`."""
        return fill(self.content, {NAME: self.source.cluster}) if self.source else self.content

    def as_external(self) -> dict[str, Any]:
        """Return the `external` entry in fleet.yaml for a Gateway that no file has."""
        listeners = [item["name"] for item in self.content["spec"]["listeners"]]
        ref = self.ref
        names = {"kind": ref.kind, "namespace": ref.namespace, "name": ref.name}
        return {**names, "listeners": listeners}


class Gatherer:
    """Reads clusters one by one; `results` has problems, `left` counts what is left out."""

    def __init__(self, marks: Marks) -> None:
        """`marks` are the labels and annotations that delivery engines write into objects."""
        self.results: list[Result] = []
        self.left: Counter[str] = Counter()
        self.crds: dict[str, dict[str, Any]] = {}
        self.namespaces: set[bool] = set()
        """True if a Namespace equals its rendered form; False if a Namespace differs (may be both).
        """
        self._marks = marks
        self._forms: dict[object, tuple[Form | str, ...]] = {}

    def gather(self, cluster: str, files: Files) -> GatheredCluster:
        """Return the objects of a cluster that may belong to a Gateway."""
        blank = partial(match_words([cluster]).sub, NAME)
        forms: dict[Ref, Form] = {}
        for path, data in files:
            if PurePosixPath(path).stem == "kustomization":
                continue
            for form in self._read(cluster, path, data, blank):
                if isinstance(form, str):
                    self.left[form] += 1
                    continue
                ref = fill_ref(form.ref, {NAME: cluster})
                first = forms.setdefault(ref, form)
                if first is not form and first.object != form.object:
                    message = "another file of the cluster has other content for it"
                    result = codes.DUPLICATE.result(message, cure="keep one", resource=ref)
                    self.results.append(replace(result, origin=Origin(path)))
        place = commonpath([path for path, _ in files] or [cluster])
        return GatheredCluster(cluster, forms, place)

    def _read(
        self, cluster: str, path: str, data: bytes, blank: Callable[[str], str]
    ) -> Iterator[Form | str]:
        """Yield the form of each object in a file, or a noun to count an omitted object by."""
        for above, piece in _split(data):
            text = piece
            if piece.startswith(_HEAD):  # each cluster writes something else into an object
                text = _METADATA.sub(lambda match: _OWN_METADATA.sub("", match[0]), piece, count=1)
                text = _STATUS.sub("", text)
            shared = blank(text) if _SAFE.fullmatch(cluster) else text
            key = path[-5:], shared, cluster if cluster in shared else ""
            if key not in self._forms:
                file = path, piece.encode(errors="surrogateescape")
                hub = read_hub([file], (), self.crds.values(), self._marks)
                if _list_errors(hub):
                    self.results += _list_errors(read_hub([(path, data)]))
                    return
                empty = sum(item.code == codes.NOT_AN_OBJECT.code for item in hub.results)
                taken = (self._take(it, cluster, above, blank) for it in hub.manifests)
                self._forms[key] = (*[_NO_OBJECT] * empty, *taken)
            yield from self._forms[key]

    def _take(
        self, manifest: Manifest, cluster: str, above: int, blank: Callable[[str], str]
    ) -> Form | str:
        """Return the form of an object, or a noun to count an omitted object by."""
        ref = manifest.ref
        if ref.kind == CRD_KIND:
            self.crds.setdefault(ref.name, manifest.object)
        if (ref.group, ref.kind) == NAMESPACE:
            rendered = namespace_object(ref.name, None, self._marks)
            self.namespaces.add(manifest.object == rendered)
        reason = find_reason_to_skip(manifest, self._marks)
        is_apart = (ref.group, ref.kind) in _MADE_THERE or is_never_shipped(ref)
        if reason is not None or is_apart or is_local_config(manifest):
            return ref.kind
        if as_mappings(manifest.object["metadata"].get("ownerReferences")):
            return "object that others own"
        data = make_portable(manifest, self._marks)
        slotted = Ref(ref.group, ref.kind, blank(ref.namespace), blank(ref.name))
        return Form(slotted, map_texts(data, blank), manifest, cluster, above)


def _list_errors(hub: Hub) -> list[Result]:
    errors = (item for item in hub.results if item.severity is Severity.ERROR)
    return [item for item in errors if item.code not in _PASSED]


def _split(data: bytes) -> Iterator[tuple[int, str]]:
    """Yield (offset, text) for each document of a file, and for each item of a List, as a List.

    The offset turns lines of the text into lines of the file.
    """
    line = 0
    for document in data.decode(errors="surrogateescape").split("\n---\n"):
        match = _LIST.fullmatch(document)
        if match is None:
            yield line, document
        else:
            above = line + match[0].count("\n", 0, match.start(1)) - _HEAD.count("\n")
            for item in match[1].removeprefix("- ").removesuffix("\n").split("\n- "):
                yield above, f"{_HEAD}{item}\n"
                above += item.count("\n") + 1
        line += document.count("\n") + 2
