"""The objects of many clusters; what is equal but for their names is one form, read once."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from msgspec.structs import replace

from spokerender.adopting.fleets.values import Form, GatheredCluster
from spokerender.adopting.imports import find_reason_to_skip, make_portable
from spokerender.findings.codes import hub as codes
from spokerender.findings.results import Result, Severity
from spokerender.kinds.crds import CRD_KIND
from spokerender.kinds.marks import Marks
from spokerender.model import FieldPath, Manifest, Origin, Ref
from spokerender.model.shapes import as_mappings, match_words
from spokerender.model.slots import NAME, fill_ref
from spokerender.model.sources import Files
from spokerender.rendering.marks import namespace_object
from spokerender.rendering.values.own_texts import map_texts
from spokerender.topology.hub import Hub, is_local_config, read_hub
from spokerender.topology.objects import is_never_shipped
from spokerender.topology.places import hub_line

_SAFE = re.compile(r"(?=.*[g-z])(?!true$|false$|null$|yes$|off$|inf$)[a-z][a-z0-9-]{2,}")
"""Names that are no number, boolean or null in YAML, nor make one of what is around them."""
_LIST = re.compile(
    r"apiVersion: v1\nitems:\n(?=- )(.*\n)kind: List(?:\nmetadata:.*)?\s*\Z", re.DOTALL
)
"""A List as `kubectl get -o yaml` prints it: no item has a line that begins with a hyphen."""
_HEAD = "kind: List\napiVersion: v1\nitems:\n"
_OWN_METADATA = re.compile(
    r"^    (?:creationTimestamp|generation|resourceVersion|selfLink|uid): .*\n", re.MULTILINE
)
_METADATA = re.compile(r"^  metadata:\n(?:    .*\n|  - .*\n)+", re.MULTILINE)
_STATUS = re.compile(r"^  status:\n(?:    .*\n)+", re.MULTILINE)
_MADE_THERE = {("", "Service"), ("multicluster.x-k8s.io", "ServiceImport")}
_PASSED = {codes.EMPTY_HUB.code, codes.MISSPELT_KIND.code, codes.NOT_AN_OBJECT.code}
_NO_OBJECT = "document without a Kubernetes object"


class Gatherer:
    """Reads clusters one after the other; `results` are what is wrong, `left` what is not taken."""

    def __init__(self, marks: Marks) -> None:
        """Start; `marks` are what engines write into objects."""
        self.results: list[Result] = []
        self.left: Counter[str] = Counter()
        self.crds: dict[str, dict[str, Any]] = {}
        self.namespaces: set[bool] = set()
        """True for a Namespace that is as rendering makes it, False for one that is not."""
        self._marks = marks
        self._forms: dict[object, tuple[Form | str, ...]] = {}

    def gather(self, cluster: str, files: Files) -> GatheredCluster:
        """Return the objects of a cluster that may hang on a Gateway."""
        blank = partial(match_words([cluster]).sub, NAME)
        forms: dict[Ref, Form] = {}
        paths: dict[Ref, str] = {}
        for path, data in files:
            if PurePosixPath(path).stem == "kustomization":
                continue
            for form in self._read(cluster, path, data, blank):
                if isinstance(form, str):
                    self.left[form] += 1
                    continue
                ref = fill_ref(form.ref, {NAME: cluster})
                first = forms.setdefault(ref, form)
                paths.setdefault(ref, path)
                if first is not form and first.object != form.object:
                    message = f"it has other content in {paths[ref]}"
                    result = codes.DUPLICATE.result(message, cure="keep one", resource=ref)
                    self.results.append(replace(result, origin=Origin(path)))
        return GatheredCluster(cluster, forms, paths)

    def _read(
        self, cluster: str, path: str, data: bytes, blank: Callable[[str], str]
    ) -> Iterator[Form | str]:
        """Yield the content of a file, of which each piece that others have, too, is read once."""
        for _, piece in _split(data):
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
                taken = (self._take(manifest, cluster, blank) for manifest in hub.manifests)
                self._forms[key] = (*[_NO_OBJECT] * empty, *taken)
            yield from self._forms[key]

    def _take(self, manifest: Manifest, cluster: str, blank: Callable[[str], str]) -> Form | str:
        """Return the form of an object, or what it counts as where it is not taken."""
        ref = manifest.ref
        if ref.kind == CRD_KIND:
            self.crds.setdefault(ref.name, manifest.object)
        if (ref.group, ref.kind) == ("", "Namespace"):
            rendered = namespace_object(ref.name, None, self._marks)
            self.namespaces.add(manifest.object == rendered)
        reason = find_reason_to_skip(manifest, self._marks)
        if reason is not None or (ref.group, ref.kind) in _MADE_THERE or is_never_shipped(ref):
            return ref.kind
        if as_mappings(manifest.object["metadata"].get("ownerReferences")):
            return "object that others own"
        if is_local_config(manifest):
            return "object that is local config"
        data = make_portable(manifest, self._marks)
        slotted = Ref(ref.group, ref.kind, blank(ref.namespace), blank(ref.name))
        return Form(slotted, map_texts(data, blank), manifest, cluster)


def _list_errors(hub: Hub) -> list[Result]:
    errors = (item for item in hub.results if item.severity is Severity.ERROR)
    return [item for item in errors if item.code not in _PASSED]


def find_field(file: tuple[str, bytes], ref: Ref, field: FieldPath) -> Origin:
    """Return the line of a field of an object that a cluster has in a file."""
    path, data = file
    for line, piece in _split(data):
        if ref.name in piece:  # a file is long, and most pieces are about others
            for manifest in read_hub([(path, piece.encode(errors="surrogateescape"))]).manifests:
                if manifest.ref == ref:
                    return Origin(path, line=line + hub_line(manifest, field).line)
    return Origin(path)


def _split(data: bytes) -> Iterator[tuple[int, str]]:
    """Yield the documents of a file, and the items of a List, each as a List.

    Each comes with the number of lines that the file has more above it.
    """
    line = 0
    for document in data.decode(errors="surrogateescape").split("\n---\n"):
        match = _LIST.fullmatch(document)
        if match is None:
            yield line, document
        else:
            above = line + match[0].count("\n", 0, match.start(1)) - _HEAD.count("\n")
            for item in match[1].removeprefix("- ").removesuffix("\n").split("\n- "):
                yield above, f"{_HEAD}- {item}\n"
                above += item.count("\n") + 1
        line += document.count("\n") + 2
