"""Losses through delivery engines: deleted carriers, changed sources, handwritten kustomizations.

A carrier is an object of an engine that applies trees; if it is deleted, the engine deletes all
that it applied. An engine reads a folder by its kustomization, and ignores files not listed there.
"""

import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
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
from spokerender.rendering.values.engines import DeliveryField, EngineObjects
from spokerender.rendering.values.layout import kustomization
from spokerender.review.comparison.documents import Before, ObjectReader, documents
from spokerender.review.guard.claims import Loss, Removal
from spokerender.review.meaning.drafts import write_value
from spokerender.review.values import LostObject

Engines = Sequence[EngineObjects]
"""The objects of each engine, and what their fields mean for trees."""

_REASON = "what an engine applied through it may be deleted with it, and is no longer applied"
_ELSEWHERE = (
    "a tree would no longer be applied to the cluster that it was applied to, where its objects "
    "may be deleted, and are not kept up to date"
)
_UNKNOWN = DeliveryField("", "its effect on the trees is not known")
_LISTING = "resources"
_SHOWN = 5


class DeliveryComparison:
    """The objects of delivery engines in a folder of the output, before and after a change."""

    def __init__(
        self,
        plan: FolderPlan,
        before: Before,
        after: TreeSource,
        reader: ObjectReader,
        engines: Engines,
    ) -> None:
        """Read the objects; `plan` is the folder's plan, `after` has the spokes that remain."""
        self._reader, self._engines, self._folder = reader, engines, plan.folder
        self._spokes = sorted(name for name in after.folders if not name.startswith("_"))
        self._is_there = plan.folder in after.folders
        paths = (*plan.update, *plan.delete)
        # Without spokes and without the folder nothing is delivered, nor was.
        is_asked = bool(self._spokes) or self._is_there
        self._old = documents(before(plan.folder, paths)) if is_asked else []
        files = after.files(plan.folder) if self._is_there else {}
        self._new = documents(files)
        self._carriers = {
            (carrier.group, carrier.kind): (engine, carrier)
            for engine in engines
            for carrier in engine.carriers
        }

    def list_removals(self) -> Iterator[Removal]:
        """Yield the losses: deleted carriers (they apply trees), lost trees, and changed fields."""
        undelivered = tuple(self._find_undelivered())
        moved = self._find_moved({item.ref for item in undelivered})
        for lost in (undelivered, tuple(moved), tuple(self._find_redirected())):
            if lost:
                yield Removal(spoke=self._folder, loss=Loss.DELIVERY, lost=lost)

    def _find_undelivered(self) -> Iterator[LostObject]:
        """Yield the deleted carriers (objects that apply trees) whose spokes remain."""
        refs = set(map(self._reader.ref, self._new))
        kinds = {(ref.group, ref.kind) for ref in refs if ref is not None}
        for text in self._old if self._spokes else ():
            ref = self._reader.ref(text)
            if ref is None or ref in refs or (ref.group, ref.kind) not in self._carriers:
                continue
            engine, carrier = self._carriers[ref.group, ref.kind]
            # A carrier for all spokes is missed unless another one of its engine takes over.
            if carrier.destination is None:
                is_missed = kinds.isdisjoint((other.group, other.kind) for other in engine.carriers)
            else:
                variant = self._reader.parse(text)
                spoke = carrier.destination(variant.object) if variant is not None else ""
                is_missed = not spoke or spoke in self._spokes
            if is_missed:
                yield LostObject(ref, guarded=_REASON)

    def _find_moved(self, reported: Collection[Ref]) -> Iterator[LostObject]:
        """Yield the objects that applied a tree to a cluster if no object does so afterwards.

        Trees of removed spokes are ignored, and so are objects that are `reported` already.
        """
        old, new = set(self._old), set(self._new)
        is_of_spokes = bool(self._spokes) and self._is_there
        gone = old - new if is_of_spokes else ()
        # By group, spoke and cluster: another object of the engine may apply the same tree.
        missing = {item: ref for text in gone for ref, item in self._list_reached(text)}
        # Changed objects first: one of them has likely taken over.
        for text in (*(new - old), *(new & old)):
            if not missing:  # unchanged objects are many, and seldom needed
                return
            for _, item in self._list_reached(text):
                missing.pop(item, None)
        staying = set(map(self._reader.ref, new)) if missing else ()
        for ref in sorted({*missing.values()}.difference(reported)):
            yield LostObject(ref, guarded=_ELSEWHERE, stays=ref in staying)

    def _list_reached(self, text: bytes) -> Iterator[tuple[Ref, tuple[str, str, str]]]:
        """Yield the object in `text` and (API group, spoke, cluster) for each tree it applies."""
        ref = self._reader.ref(text)
        if ref is None or (ref.group, ref.kind) not in self._carriers:
            return
        _, carrier = self._carriers[ref.group, ref.kind]
        # Parsing is needed only where the name does not tell the spoke.
        variant = None if carrier.is_by_name else self._reader.parse(text)
        metadata = {"name": ref.name, "namespace": ref.namespace}
        data = variant.object if variant is not None else {"metadata": metadata}
        for spoke, cluster in carrier.reaches(data, self._spokes):
            if not spoke or spoke in self._spokes:
                yield ref, (ref.group, spoke, cluster)

    def _find_redirected(self) -> Iterator[LostObject]:
        """Yield the objects of engines with changed fields that have an effect on trees.

        A change that loses a tree or protection must be acknowledged. Other changes get a warning:
        one for each effect, about the first object with it.
        """
        fields = {group: engine.fields for engine in self._engines for group in engine.groups}
        new_by_ref = {self._reader.ref(text): text for text in self._new}
        warned: dict[str, list[Ref]] = {}
        # Without the folder all objects are gone, which is reported as such.
        for text in self._old if self._is_there else ():
            ref = self._reader.ref(text)
            if ref is None or ref.group not in fields or new_by_ref.get(ref, text) == text:
                continue
            old, new = (self._reader.parse(it) for it in (text, new_by_ref[ref]))
            if old is None or new is None:
                continue
            effects = dict(_list_effects(fields[ref.group], old.object, new.object, ("", ref.name)))
            if lost := [effect for effect, loses in effects.items() if loses]:
                yield LostObject(ref, stays=True, guarded=joined(lost, len(lost)))
            # Warnings are joined by effect: a changed field is the same on all spokes.
            for effect, loses in effects.items():
                if not loses:
                    warned.setdefault(effect, []).append(ref)
        for effect, (first, *others) in warned.items():
            also = f". The same is true of {listed(others, _SHOWN)}" if others else ""
            yield LostObject(first, stays=True, weakened=(f"{effect}{also}",))


def _list_effects(
    rows: Sequence[DeliveryField], old: Json, new: Json, place: tuple[str, str]
) -> Iterator[tuple[str, bool]]:
    """Yield the effect of each changed field, and whether the change loses a tree or protection.

    `place` is the field path, and the name of the object or list element. The name of an object
    for one spoke ends with the name of the spoke.
    """
    if old == new:
        return
    path, name = place
    row = next((row for row in rows if row.matches(path)), None)
    maps = [isinstance(value, Mapping) for value in (old, new)]
    # A mapping that comes or goes is followed as well, unless a row judges it as a whole.
    if all(maps) or (row is None and any(maps) and None in (old, new)):
        old, new = old or {}, new or {}
        for key in dict.fromkeys((*old, *new)):
            yield from _list_effects(rows, old.get(key), new.get(key), (f"{path}.{key}", name))
    elif row is None and (pairs := _pair_items(as_mappings(old), as_mappings(new))):
        for element, one, other in pairs:
            yield from _list_effects(rows, one, other, (path, element or name))
    elif ((row := row or _UNKNOWN).effect or row.gone) and (
        loses := row.loses(old, new)
    ) is not None:
        effect = row.gone if row.gone and not new else row.effect
        was, now = (_write(*pair, name) for pair in ((old, new), (new, old)))
        yield f"{path[1:]}: {was} -> {now}: {effect}", loses


def _pair_items(
    old: Sequence[Mapping[str, Json]], new: Sequence[Mapping[str, Json]]
) -> list[tuple[str, Json, Json]]:
    """Return pairs of items of two lists, with their names; empty if they can't be paired.

    Items with names (elements of an ApplicationSet's list: spokes) are paired by name.
    """
    before, after = ({_name_element(item): item for item in items} for items in (old, new))
    if "" not in before and "" not in after:
        return [(name, before[name], after[name]) for name in before if name in after]
    # Without names, by position, if as many items are left.
    return [("", *pair) for pair in zip(old, new, strict=True)] if len(old) == len(new) else []


def _write(value: Json, other: Json, name: str) -> str:
    """Return a value as text; of two lists, only the items that `other` lacks.

    If a path and `name` end with the name of the same spoke, it becomes `<spoke>` in the path.
    """
    if isinstance(value, list) and isinstance(other, list):
        value = [item for item in value if item not in other]
    folder, slash, spoke = as_text(value).rpartition("/")
    # Folders that end in the spoke's name would make equal changes differ.
    is_of_spoke = slash and spoke and name.endswith(spoke)
    return f"{folder}/<spoke>" if is_of_spoke else write_value(value) or "nothing"


def _name_element(value: Json) -> str:
    """Return the spoke that an element of an ApplicationSet's list is for, or an empty text."""
    return as_text(as_mapping(as_mapping(value).get("path")).get("basename"))


class Kustomized(Struct, frozen=True):
    """The effect of a kustomization on its folder."""

    listed: frozenset[str] | None = None
    """The files that the kustomization applies; None if unknown, or all files."""
    more: tuple[str, ...] = ()
    """The contents besides the list of files."""

    def applied(self, files: Mapping[str, bytes]) -> Mapping[str, bytes]:
        """Return the files of the folder that are applied."""
        if self.listed is None:
            return files
        return {path: data for path, data in files.items() if path in self.listed}


def read_kustomization(files: Mapping[str, bytes]) -> Kustomized:
    """Return the effect of the kustomization in a folder with these files.

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
    """Yield a finding if a spoke's kustomization does more than list files."""
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
    """Yield the losses in an earlier output folder, which engines may still apply.

    `place` is the earlier output, `before` has its files by folder, and `left` returns the current
    files of a folder there. An object is not lost if it has its earlier or rendered text there.
    """
    reader = ObjectReader(catalogue)
    for folder in sorted(before):
        texts = documents(before[folder])
        files = left(folder)
        there = documents(read_kustomization(files).applied(files))
        rendered = documents(after.files(folder)) if folder in after.folders else []
        left_refs = {reader.ref(text) for text in {*there} & {*texts, *rendered}}
        refs = {ref for text in texts if (ref := reader.ref(text)) is not None} - left_refs
        lost = tuple(map(LostObject, sorted(refs)))
        if lost and folder.startswith("_"):
            reason = f"it was in {place}, and is not there any more"
            lost = tuple(replace(item, guarded=reason) for item in lost)
            yield Removal(spoke=folder, loss=Loss.DELIVERY, lost=lost)
        elif lost:
            yield Removal(spoke=folder, loss=Loss.SPOKE, lost=lost, left=place)
