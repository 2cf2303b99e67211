"""What delivery loses: an engine deletes with an object of its own all that it has applied by it.

Sources: Argo CD's docs, operator-manual/applicationset/Application-Deletion; Flux's docs,
components/kustomize/kustomizations (prune); Open Cluster Management's docs, concepts/work
(deletion); Karmada's docs, userguide/scheduling/resource-propagating.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from render.model import Ref
from render.model.plan import TreeSource
from render.model.shapes import as_mapping
from render.review.guard.differing import Before, Change
from render.review.guard.documents import Reader, documents
from render.review.guard.losses import Loss, Lost, Removal

_REASON = "what an engine has applied by it may go with it, and is applied no more"
_ARGO, _FLUX = "argoproj.io", "kustomize.toolkit.fluxcd.io"
_OCM, _KARMADA = "work.open-cluster-management.io", "policy.karmada.io"
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
