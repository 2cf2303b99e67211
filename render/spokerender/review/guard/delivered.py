"""What delivery loses: an engine deletes with an object of its own all that it has applied by it.

Sources: Argo CD's docs, operator-manual/applicationset/Application-Deletion; Flux's docs,
components/kustomize/kustomizations (prune); Open Cluster Management's docs, concepts/work
(deletion); Karmada's docs, userguide/scheduling/resource-propagating.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from spokerender.findings.codes.deletions import REDIRECTED
from spokerender.findings.results import Result
from spokerender.findings.words import joined
from spokerender.kinds import Catalogue
from spokerender.model import Ref
from spokerender.model.plan import TreeSource
from spokerender.model.shapes import as_mapping
from spokerender.review.guard.differing import Before, Change
from spokerender.review.guard.documents import Reader, documents
from spokerender.review.guard.losses import Loss, Lost, Removal

_REASON = "what an engine has applied by it may go with it, and is applied no more"
_ARGO, _FLUX = "argoproj.io", "kustomize.toolkit.fluxcd.io"
_OCM, _KARMADA = "work.open-cluster-management.io", "policy.karmada.io"
_GROUPS = frozenset({_ARGO, _FLUX, "source.toolkit.fluxcd.io"})
_SOURCES = frozenset(
    {"automated", "path", "ref", "repoURL", "sourceRef", "suspend", "targetRevision", "url"}
)
_STOP = "suspend"
Object = Mapping[str, Any]


def _path(item: Object) -> str:
    path = as_mapping(as_mapping(item.get("spec")).get("source")).get("path")
    return str(path).rstrip("/").rpartition("/")[2]


def _name(item: Object) -> str:
    return str(as_mapping(item.get("metadata")).get("name"))


def _all(_: Object) -> str:
    return ""


_BRING: Mapping[tuple[str, str], Callable[[Object], str] | None] = {
    (_ARGO, "ApplicationSet"): _all,
    (_ARGO, "Application"): _path,
    (_FLUX, "Kustomization"): _name,
    (_OCM, "ManifestWork"): None,
    (_OCM, "ManifestWorkReplicaSet"): None,
    (_KARMADA, "PropagationPolicy"): None,
    (_KARMADA, "ClusterPropagationPolicy"): None,
}
"""What brings spokes their trees, and the spoke whose it is, if it is one's.

Those without bring objects, which go with them, or get another: they count where all go.
"""


def undelivered(
    change: Change, before: Before, after: TreeSource, reader: Reader
) -> Iterator[Removal]:
    """What goes of delivery though spokes stay that it is for: nothing, or one removal.

    `change` is that of the fleet's own folder; `after` also says which spokes stay.
    """
    staying = {name for name in after.folders if not name.startswith("_")}
    if not staying or not (change.update or change.delete):
        return
    now = after.files(change.folder) if change.folder in after.folders else {}
    engines = {path.partition("/")[0] for path in now}
    there = set(map(reader.ref, documents(now)))
    lost = [
        Lost(ref, guarded=_REASON)
        for path, data in before(change.folder, (*change.update, *change.delete)).items()
        for ref, text in _bringing(documents({path: data}), reader)
        if ref not in there
        and _is_missed(ref, text, reader, staying, goes_whole=path.partition("/")[0] not in engines)
    ]
    if lost:
        yield Removal(spoke=change.folder, loss=Loss.DELIVERY, lost=tuple(lost), total=len(lost))


def redirected(
    changes: Iterable[Change], before: Before, after: TreeSource, catalogue: Catalogue
) -> Iterator[Result]:
    """Tell of engines that would take trees from elsewhere than before, or apply them no more."""
    reader = Reader(catalogue)
    for change in changes:
        if not change.folder.startswith("_") or change.folder not in after.folders:
            continue
        there = {reader.ref(text): text for text in documents(after.files(change.folder))}
        for text in documents(before(change.folder, change.update)):
            ref = reader.ref(text)
            if ref is None or ref.group not in _GROUPS or ref not in there:
                continue
            old, new = reader.parse(text), reader.parse(there[ref])
            fields = _moved(old.object, new.object) if old is not None and new is not None else []
            if fields:
                yield REDIRECTED.result(
                    f"{joined(fields, len(fields))} would be other than before: trees come from "
                    "elsewhere, or are applied no more",
                    cure="look at what fleet.yaml says under delivery: what is applied there is "
                    "what protects, and no other tree is compared",
                    resource=ref,
                )


def _moved(old: Object, new: Object) -> list[str]:
    """The fields of which a value has gone, or by which an engine was told to stop."""
    was, is_now = _sources(old), _sources(new)
    stopped = {name for name, _ in is_now - was if name == _STOP}
    return sorted({name for name, _ in was - is_now} | stopped)


def _sources(value: Any) -> frozenset[tuple[str, str]]:  # noqa: ANN401  (JSON of any shape)
    """The fields that say where a tree comes from and whether it is applied, with what they say.

    The elements of an ApplicationSet's list are its spokes, which come and go.
    """
    if isinstance(value, Mapping):
        own = {(key, repr(each)) for key, each in value.items() if key in _SOURCES}
        below = (each for key, each in value.items() if key != "elements")
        return frozenset(own).union(*map(_sources, below))
    return frozenset().union(*map(_sources, value)) if isinstance(value, list) else frozenset()


def _bringing(texts: Iterable[bytes], reader: Reader) -> Iterator[tuple[Ref, bytes]]:
    for text in texts:
        ref = reader.ref(text)
        if ref is not None and (ref.group, ref.kind) in _BRING:
            yield ref, text


def _is_missed(
    ref: Ref, text: bytes, reader: Reader, staying: set[str], *, goes_whole: bool
) -> bool:
    """Whether a spoke stays that this brought something to; its engine may go as a whole."""
    spoke_of = _BRING[ref.group, ref.kind]
    if spoke_of is None:
        return goes_whole
    item = reader.parse(text)
    spoke = spoke_of(item.object) if item is not None else ""
    return not spoke or spoke in staying
