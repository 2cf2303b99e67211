"""Reports what kustomizations beside a hub's files would change, as nobody applies them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Any

from spokerender.findings.codes.hub import KUSTOMIZED
from spokerender.findings.errors import InputBudget
from spokerender.findings.phrasing import count, joined, listed
from spokerender.findings.results import Result
from spokerender.formats.yamlio import reading
from spokerender.model.manifests import Manifest
from spokerender.model.refs import Origin
from spokerender.model.shapes import Json, as_list, as_mapping, as_text, grouped
from spokerender.model.sources import Files

_NAMES = {"kustomization.yaml", "kustomization.yml"}
_PATCHES = ("patches", "patchesStrategicMerge", "patchesJson6902")
_OF_ALL = (
    *("namePrefix", "nameSuffix", "labels", "commonLabels", "commonAnnotations"),
    *("components", "transformers", "replacements", "vars"),
)
"""The fields that may change every object."""
_OF_PODS = ("images", "replicas")
_CHANGING = frozenset(("namespace", *_OF_ALL, *_OF_PODS, *_PATCHES))
_POD_KINDS = frozenset(
    ("CronJob", "DaemonSet", "Deployment", "Job", "Pod", "ReplicaSet", "StatefulSet")
)
_MOST_STEPS = 1_000_000
"""More steps than real hubs take; each kustomization may name all others."""
RENDERED_FIRST = "kustomize build FOLDER | flux envsubst | spokerender import -"
"""The command with which a hub gets the result of kustomize and Flux for a folder."""


def is_kustomization(path: str) -> bool:
    """Return whether kustomize reads a file as the description of its folder."""
    return PurePosixPath(path).name.lower() in _NAMES


class Kustomizations:
    """All kustomizations among some files."""

    def __init__(self, files: Files) -> None:
        """Read the kustomizations; unreadable ones are ignored."""
        # Kustomizations may name each other in a grid, with many more paths than files.
        self._budget = InputBudget(_MOST_STEPS, KUSTOMIZED, "split the hub")
        # Without kustomizations nothing of the hub is kept in memory.
        self._data = dict(files) if any(is_kustomization(path) for path, _ in files) else {}
        self._content = {
            path: as_mapping(documents[0].value)
            for path, data in self._data.items()
            if is_kustomization(path) and (documents := reading.read(data, path)[0])
        }
        self._of_folder = {_folder(path): path for path in self._content}
        self._patches = {path: [*self._list_patches(path)] for path in self._content}

    @property
    def patch_files(self) -> frozenset[str]:
        """Return the files that are patches: they contain parts of objects, not objects."""
        return frozenset(path for items in self._patches.values() for path, _ in items)

    def report(self, manifests: Sequence[Manifest]) -> Result | None:
        """Return a finding about the kustomizations that would change objects of the hub, or None.

        Raises `InputError` if kustomizations name each other too often.
        """
        objects = grouped((manifest.origin.path, manifest) for manifest in manifests)
        changing = {}
        for path, content in self._content.items():
            # A kustomization that only lists resources changes nothing.
            if content.keys().isdisjoint(_CHANGING):
                continue
            # Only the files that it reaches count, not the rest of the hub.
            files = self._list_files(path)
            reached = [item for file in files for item in objects.get(file, ())]
            if reached and (fields := [*self._list_changes(path, content, reached)]):
                changing[path] = f"{path} ({joined(fields)})"
        if not changing:
            return None
        first = min(changing)
        return KUSTOMIZED.result(
            f"nobody applies {count(len(changing), 'kustomization')} that would change objects: "
            f"{listed(changing[path] for path in sorted(changing))}",
            cure=f"take what it makes in place of its files: {render_first(_folder(first))}",
            origin=Origin(first),
        )

    def _list_changes(
        self, path: str, content: Mapping[str, Any], reached: Sequence[Manifest]
    ) -> Iterator[str]:
        kinds = {item.ref.kind for item in reached}
        namespace = content.get("namespace")
        own = (item.object["metadata"].get("namespace") for item in reached if item.ref.namespace)
        # A namespace that the objects have already changes nothing.
        if namespace and any(name != namespace for name in own):
            yield "namespace"
        yield from (field for field in _OF_ALL if content.get(field))
        yield from (field for field in _OF_PODS if content.get(field) and kinds & _POD_KINDS)
        # A patch without a known kind may change anything.
        if any(not changed or changed & kinds for _, changed in self._patches[path]):
            yield "patches"

    def _list_files(self, path: str) -> set[str]:
        """Return the files that a kustomization reads, also through other kustomizations."""
        files: set[str] = set()
        seen, ahead = {path}, [path]
        while ahead:
            at = ahead.pop()
            for field in ("resources", "bases", "components"):
                for entry in filter(_is_text, as_list(self._content[at].get(field))):
                    self._budget.spend(1, "following kustomizations", None)
                    place = normpath(f"{_folder(at)}/{entry}")
                    below = self._of_folder.get(place, "")
                    ahead += [below] if below and below not in seen else []
                    # What is a folder with a kustomization is followed, everything else is a file.
                    (seen if below else files).add(below or place)
        return files

    def _list_patches(self, path: str) -> Iterator[tuple[str, set[str]]]:
        """Yield each patch: its file (or an empty text), and the kinds it changes, if known."""
        content = self._content[path]
        for entry in (item for field in _PATCHES for item in as_list(content.get(field))):
            patch = {"path": entry} if _is_text(entry) else as_mapping(entry)
            text, file = as_text(patch.get("patch")), as_text(patch.get("path"))
            if "\n" in file:  # patchesStrategicMerge may have it in place
                text, file = file, ""
            place = normpath(f"{_folder(path)}/{file}") if file else ""
            kinds = [as_text(as_mapping(patch.get("target")).get("kind"))]
            # A strategic merge patch names its object itself.
            if "target" not in patch:
                data = text.encode() if text else self._data.get(place, b"")
                documents = (as_mapping(item.value) for item in reading.read(data, place)[0])
                kinds = [as_text(document.get("kind")) for document in documents]
            yield place, {*filter(None, kinds)}


def find_flux_namespaces(manifests: Sequence[Manifest]) -> dict[str, str]:
    """Return Flux's `targetNamespace` by file, for files below the paths of Flux's Kustomizations.

    The nearest folder with a Kustomization counts; if it has Kustomizations with different
    namespaces, the result has no entry. Paths of Kustomizations begin at the top of a
    repository; paths of files may have further folders before it.
    """
    by_folder = grouped(
        (normpath(as_text(spec.get("path"))), as_text(spec.get("targetNamespace")))
        for item in manifests
        if (item.ref.group, item.ref.kind) == ("kustomize.toolkit.fluxcd.io", "Kustomization")
        for spec in [as_mapping(item.object.get("spec"))]
    )
    namespaces = {}
    for path in {item.origin.path for item in manifests}:
        folders = (
            "/".join(folder.parts[start:])
            for folder in PurePosixPath(path).parents
            for start in range(len(folder.parts))
        )
        names = {*next(filter(None, map(by_folder.get, folders)), [])}
        if len(names) == 1:
            namespaces[path] = names.pop()
    return namespaces


def render_first(folder: str) -> str:
    """Return the command that imports the result of kustomize for a folder."""
    return f"kustomize build {folder} | spokerender import -"


def _folder(path: str) -> str:
    return PurePosixPath(path).parent.as_posix()


def _is_text(value: Json) -> bool:
    return isinstance(value, str)
