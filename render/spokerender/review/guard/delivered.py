"""Effects of a change through delivery engines: deleted carriers, moved sources, kustomizations.

An engine deletes, with an object of its own, everything that it applied through it. It reads a
folder through its kustomization: a file that is not listed there protects nothing.
"""

import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from spokerender.findings.codes.shipping import HAND_MADE, REDIRECTED
from spokerender.findings.phrasing import joined, listed
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Ref
from spokerender.model.plan import KUSTOMIZATION, FolderPlan, TreeSource
from spokerender.model.shapes import Json, as_list, as_mapping
from spokerender.rendering.values.engines import EngineObjects
from spokerender.rendering.values.layout import kustomization
from spokerender.review.comparison.documents import Before, ObjectReader, documents
from spokerender.review.guard.losses import Loss, LostObject, Removal

Engines = Sequence[EngineObjects]
"""What each engine that there is does with its objects."""

_REASON = "what an engine applied through it may be deleted with it, and is no longer applied"
_ELSEWHERE = (
    "a tree would no longer be applied to the cluster that it was applied to, where its objects "
    "may be deleted, and are not kept up to date"
)
_LISTING = "resources"
_SHOWN = 5


def find_undelivered(
    plan: FolderPlan, before: Before, after: TreeSource, reader: ObjectReader, engines: Engines
) -> Iterator[Removal]:
    """Find the carriers that go although spokes stay that they are for; at most one removal.

    `plan` is that of the fleet's own folder; `after` also says which spokes stay.
    """
    spokes = {name for name in after.folders if not name.startswith("_")}
    if not spokes or not (plan.update or plan.delete):
        return
    files = after.files(plan.folder) if plan.folder in after.folders else {}
    refs = set(map(reader.ref, documents(files)))
    kinds = {(ref.group, ref.kind) for ref in refs if ref is not None}
    engine_and_carrier = {
        (carrier.group, carrier.kind): (engine, carrier)
        for engine in engines
        for carrier in engine.carriers
    }
    lost = []
    for text in documents(before(plan.folder, (*plan.update, *plan.delete))):
        ref = reader.ref(text)
        if ref is None or ref in refs or (ref.group, ref.kind) not in engine_and_carrier:
            continue
        engine, carrier = engine_and_carrier[ref.group, ref.kind]
        if carrier.destination is None:
            is_missed = kinds.isdisjoint((other.group, other.kind) for other in engine.carriers)
        else:
            variant = reader.parse(text)
            spoke = carrier.destination(variant.object) if variant is not None else ""
            is_missed = not spoke or spoke in spokes
        if is_missed:
            lost.append(LostObject(ref, guarded=_REASON))
    if lost:
        yield Removal(spoke=plan.folder, loss=Loss.DELIVERY, lost=tuple(lost), total=len(lost))


def find_moved(  # noqa: PLR0913  (as `find_undelivered`)
    plan: FolderPlan,
    before: Before,
    after: TreeSource,
    reader: ObjectReader,
    engines: Engines,
    *,
    reported: Iterable[Ref] = (),
) -> Iterator[Removal]:
    """Find the objects that applied a tree to a cluster to which no object applies it any more.

    Trees of spokes that are gone do not count, nor objects that are `reported` already.
    """
    spokes = sorted(name for name in after.folders if not name.startswith("_"))
    if not spokes or plan.folder not in after.folders:
        return
    carriers = {(item.group, item.kind): item for engine in engines for item in engine.carriers}

    def reaches(text: bytes) -> Iterator[tuple[Ref, tuple[str, str, str]]]:
        ref = reader.ref(text)
        carrier = carriers.get((ref.group, ref.kind)) if ref is not None else None
        if ref is None or carrier is None:
            return
        metadata = {"name": ref.name, "namespace": ref.namespace}
        variant = None if carrier.is_by_name else reader.parse(text)
        data = variant.object if variant is not None else {"metadata": metadata}
        for spoke, cluster in carrier.reaches(data, spokes):
            if not spoke or spoke in spokes:
                yield ref, (ref.group, spoke, cluster)

    old = set(documents(before(plan.folder, (*plan.update, *plan.delete))))
    new = set(documents(after.files(plan.folder)))
    missing = {item: ref for text in old - new for ref, item in reaches(text)}
    for text in (*(new - old), *(new & old)):
        if not missing:  # what stayed as it is, and is more, is seldom read
            return
        for _, item in reaches(text):
            missing.pop(item, None)
    staying = set(map(reader.ref, new)) if missing else ()
    refs = sorted({*missing.values()} - set(reported))
    lost = tuple(LostObject(ref, guarded=_ELSEWHERE, stays=ref in staying) for ref in refs)
    if lost:
        yield Removal(spoke=plan.folder, loss=Loss.DELIVERY, lost=lost, total=len(lost))


def find_redirected(
    plans: Iterable[FolderPlan],
    before: Before,
    after: TreeSource,
    catalogue: Catalogue,
    engines: Engines,
) -> Iterator[Result]:
    """Warn of engines that would take trees from elsewhere than before, or no longer apply them."""
    reader = ObjectReader(catalogue)
    engine_by_group = {group: engine for engine in engines for group in engine.source_groups}
    redirected: dict[tuple[str, ...], list[Ref]] = {}
    for plan in plans:
        if not plan.folder.startswith("_") or plan.folder not in after.folders:
            continue
        text_by_ref = {reader.ref(text): text for text in documents(after.files(plan.folder))}
        for text in documents(before(plan.folder, plan.update)):
            ref = reader.ref(text)
            if ref is None or ref.group not in engine_by_group or ref not in text_by_ref:
                continue
            old, new = reader.parse(text), reader.parse(text_by_ref[ref])
            if old is None or new is None:
                continue
            fields = _changed_sources(old.object, new.object, engine_by_group[ref.group])
            if fields:
                redirected.setdefault((*fields,), []).append(ref)
    for names, (first, *others) in redirected.items():
        also = f". The same is true of {listed(others, _SHOWN)}" if others else ""
        yield REDIRECTED.result(
            f"{joined(names, len(names))} would change: the engine would take trees from "
            f"elsewhere, or no longer apply them{also}",
            cure="check spec.delivery in fleet.yaml: only the tree that the engine applies "
            "protects anything, and no other tree is compared",
            resource=first,
        )


def _changed_sources(
    old: Mapping[str, Any], new: Mapping[str, Any], engine: EngineObjects
) -> list[str]:
    """Return the source fields that lost a value, and the added ones that stop the engine."""
    names = [set(_list_elements(data)) for data in (old, new)]
    old_values, new_values = (
        _sources(data, engine.source_fields, names[0] & names[1]) for data in (old, new)
    )
    stopped = {name for name, _ in new_values - old_values if name in engine.stop_fields}
    return sorted({name for name, _ in old_values - new_values} | stopped)


def _sources(
    value: Json, fields: frozenset[str], spokes: Collection[object]
) -> frozenset[tuple[str, str]]:
    """Return the source fields at any depth, with their values.

    The elements of an ApplicationSet's list are its spokes, which come and go; `spokes` stay.
    """
    if isinstance(value, Mapping):
        name = _name_element(value)
        if name is not None and name not in spokes:
            return frozenset()
        here = {(key, repr(item)) for key, item in value.items() if key in fields}
        return frozenset(here).union(*(_sources(it, fields, spokes) for it in value.values()))
    if isinstance(value, list):
        return frozenset().union(*(_sources(item, fields, spokes) for item in value))
    return frozenset()


def _list_elements(value: Json) -> Iterator[object]:
    """Yield the names of the elements of lists at any depth."""
    items = value.values() if isinstance(value, Mapping) else as_list(value)
    for item in items:
        yield from _list_elements(item)
    if (name := _name_element(value)) is not None:
        yield name


def _name_element(value: Json) -> object:
    """Return the name of a spoke that an element of an ApplicationSet's list has."""
    return as_mapping(as_mapping(value).get("path")).get("basename")


class Kustomized(Struct, frozen=True):
    """The effect of a kustomization on its folder."""

    listed: frozenset[str] | None = None
    """The files that it applies; None if that is not known, or all of them."""
    more: tuple[str, ...] = ()
    """What it contains besides the list of files, as text."""

    def applied(self, files: Mapping[str, bytes]) -> Mapping[str, bytes]:
        """Return the files of the folder that are applied."""
        if self.listed is None:
            return files
        return {path: data for path, data in files.items() if path in self.listed}


def read_kustomization(files: Mapping[str, bytes]) -> Kustomized:
    """Read what kustomize makes of a folder with these files, whoever wrote them.

    A folder without a kustomization is applied as a whole, if at all.
    """
    data = files.get(KUSTOMIZATION)
    own_files = files.keys() - {KUSTOMIZATION}
    if data is None or data.replace(b"\r\n", b"\n") == kustomization(own_files):
        return Kustomized()
    documents, problems = yamlio.read(data, KUSTOMIZATION)
    value: Any = documents[0].value if len(documents) == 1 else None
    resources = value.get(_LISTING) if isinstance(value, Mapping) else None
    if problems or not isinstance(value, Mapping) or not isinstance(resources or [], list):
        return Kustomized(more=("what can't be read",))
    paths = {posixpath.normpath(item) for item in resources or () if isinstance(item, str)}
    more = (
        *sorted(set(value) - {"apiVersion", "kind", _LISTING}),
        *(f"{_LISTING}: {path}" for path in sorted(paths - files.keys())),
    )
    return Kustomized(more=more) if more else Kustomized(frozenset(paths))


def report_hand_made(kustomized: Kustomized, place: str) -> Iterator[Result]:
    """Report a spoke's kustomization that does more than list files."""
    if kustomized.more:
        yield HAND_MADE.result(
            f"the {KUSTOMIZATION} in {place} has {joined(kustomized.more, _SHOWN)}: what is on the "
            "spoke is not what the files say",
            cure="take it out, or build anew; what it is for belongs into the hub or the placement",
        )
