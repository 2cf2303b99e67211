"""Effects of a change through delivery engines: deleted carriers, moved sources, kustomizations.

An engine deletes, with an object of its own, everything that it applied through it. It reads a
folder through its kustomization: a file that is not listed there protects nothing.
"""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes.shipping import HAND_MADE
from spokerender.findings.phrasing import joined, listed
from spokerender.findings.results import Result
from spokerender.formats import yamlio
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Ref
from spokerender.model.plan import KUSTOMIZATION, FolderPlan, TreeSource
from spokerender.model.shapes import Json, as_mapping, as_mappings, as_text
from spokerender.rendering.values.engines import DeliveryField, EngineObjects, loses_never
from spokerender.rendering.values.layout import kustomization
from spokerender.review.comparison.documents import Before, ObjectReader, documents
from spokerender.review.guard.losses import Loss, LostObject, Removal
from spokerender.review.guard.targets import targets_of_policy
from spokerender.review.meaning.drafts import write_value

Engines = Sequence[EngineObjects]
"""What each engine that there is does with its objects."""

_REASON = "what an engine applied through it may be deleted with it, and is no longer applied"
_ELSEWHERE = (
    "a tree would no longer be applied to the cluster that it was applied to, where its objects "
    "may be deleted, and are not kept up to date"
)
_UNKNOWN = DeliveryField("", "its effect on the trees is not known", loses=loses_never)
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
    plan: FolderPlan, before: Before, after: TreeSource, reader: ObjectReader, engines: Engines
) -> Iterator[LostObject]:
    """Find the objects of engines in which a field changes that has an effect on trees.

    Those that lose a tree or protection have to be acknowledged, of others is warned: of objects
    that change alike, by the first one.
    """
    fields = {group: engine.fields for engine in engines for group in engine.groups}
    if plan.folder not in after.folders:
        return
    new_by_ref = {reader.ref(text): text for text in documents(after.files(plan.folder))}
    warned: dict[str, list[Ref]] = {}
    for text in documents(before(plan.folder, (*plan.update, *plan.delete))):
        ref = reader.ref(text)
        if ref is None or ref.group not in fields or new_by_ref.get(ref, text) == text:
            continue
        old, new = (reader.parse(it) for it in (text, new_by_ref[ref]))
        if old is None or new is None:
            continue
        comparison = _FieldComparison(fields[ref.group])
        effects = dict(comparison.list_effects(old.object, new.object, "", ref.name))
        if lost := [effect for effect in effects if effects[effect]]:
            yield LostObject(ref, stays=True, guarded=joined(lost, len(lost)))
        for effect in effects.keys() - lost:
            warned.setdefault(effect, []).append(ref)
    for effect, (first, *others) in warned.items():
        also = f". The same is true of {listed(others, _SHOWN)}" if others else ""
        yield LostObject(first, stays=True, weakened=(f"{effect}{also}",))


class _FieldComparison(Struct, frozen=True):
    fields: Sequence[DeliveryField]

    def list_effects(
        self, old: Json, new: Json, path: str, name: str
    ) -> Iterator[tuple[str, bool]]:
        """Yield the effect of each field that differs, and whether it loses something.

        `name` is that of the object or element, which ends in the spoke's if it is for one.
        """
        if old == new:
            return
        row = next((row for row in self.fields if row.matches(path)), None)
        maps = [isinstance(value, Mapping) for value in (old, new)]
        if all(maps) or (row is None and any(maps) and None in (old, new)):
            old, new = old or {}, new or {}
            for key in dict.fromkeys((*old, *new)):
                yield from self.list_effects(old.get(key), new.get(key), f"{path}.{key}", name)
        elif row is None and (pairs := _pair_items(as_mappings(old), as_mappings(new))):
            for element, one, other in pairs:
                yield from self.list_effects(one, other, path, element or name)
        elif (loses := (row or _UNKNOWN).loses(old, new)) is not None:
            row = row or _UNKNOWN
            effect = row.gone if row.gone and not new else row.effect
            was, now = (_write(*pair, name) for pair in ((old, new), (new, old)))
            yield f"{path[1:]}: {was} -> {now}: {effect}", loses


def _pair_items(
    old: Sequence[Mapping[str, Json]], new: Sequence[Mapping[str, Json]]
) -> list[tuple[str, Json, Json]]:
    """Pair the items of two lists, with their names; none where nobody can tell how.

    The elements of an ApplicationSet's list are its spokes, which come and go.
    """
    before, after = ({_name_element(item): item for item in items} for items in (old, new))
    if "" not in before and "" not in after:
        return [(name, before[name], after[name]) for name in before if name in after]
    return [("", *pair) for pair in zip(old, new, strict=True)] if len(old) == len(new) else []


def _write(value: Json, other: Json, name: str) -> str:
    """Write a value, of lists what the other one does not have."""
    if isinstance(value, list) and isinstance(other, list):
        value = [item for item in value if item not in other]
    folder, slash, spoke = as_text(value).rpartition("/")
    is_of_spoke = slash and spoke and name.endswith(spoke)
    return f"{folder}/<spoke>" if is_of_spoke else write_value(value) or "nothing"


def _name_element(value: Json) -> str:
    """Return the name of a spoke that an element of an ApplicationSet's list has, or nothing."""
    return as_text(as_mapping(as_mapping(value).get("path")).get("basename"))


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


def find_left(
    place: str,
    before: Mapping[str, Mapping[str, bytes]],
    left: Callable[[str], Mapping[str, bytes]],
    after: TreeSource,
    catalogue: Catalogue,
) -> Iterator[Removal]:
    """Find what an earlier output loses, from which trees may be applied still.

    `place` is the output that there was, `before` its files by folder, and `left` reads a folder of
    it as it is now. An object there is kept if it is as it was, or as it is rendered now.
    """
    reader = ObjectReader(catalogue)
    for folder in sorted(before):
        texts = documents(before[folder])
        files = left(folder)
        there = documents(read_kustomization(files).applied(files))
        rendered = documents(after.files(folder)) if folder in after.folders else []
        left_refs = {reader.ref(text) for text in {*there} & {*texts, *rendered}}
        refs = ((reader.ref(text), text) for text in texts)
        text_by_ref = {ref: text for ref, text in refs if ref is not None and ref not in left_refs}
        lost = tuple(lose_with_spoke(ref, text_by_ref[ref], reader) for ref in sorted(text_by_ref))
        if lost and folder.startswith("_"):
            reason = f"it was in {place}, and is not there any more"
            lost = tuple(replace(item, guarded=reason) for item in lost)
            yield Removal(spoke=folder, loss=Loss.DELIVERY, lost=lost, total=len(texts))
        elif lost:
            yield Removal(spoke=folder, loss=Loss.SPOKE, lost=lost, total=len(texts), left=place)


def lose_with_spoke(ref: Ref, text: bytes, reader: ObjectReader) -> LostObject:
    """Return an object that goes with all of its spoke, with what it protected there."""
    kind = reader.catalogue.kind(ref.group, ref.kind)
    if not kind.security:
        return LostObject(ref)
    policy = reader.parse(text)
    targets = targets_of_policy(kind, policy.object, ref.namespace) if policy is not None else ()
    return LostObject(ref, security=True, unprotected=tuple(map(str, targets)))
