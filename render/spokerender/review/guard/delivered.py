"""What a change of the fleet's own folder does to delivery: carriers that go, sources that move.

An engine deletes, with an object of its own, everything that it applied through it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from spokerender.findings.codes.deletions import REDIRECTED
from spokerender.findings.results import Result
from spokerender.findings.words import joined
from spokerender.kinds import Catalogue
from spokerender.model.plan import TreeSource
from spokerender.rendering.values.engines import EngineObjects
from spokerender.review.guard.differing import Before, Change
from spokerender.review.guard.documents import Reader, documents
from spokerender.review.guard.losses import Loss, Lost, Removal

Engines = Sequence[EngineObjects]
"""What each engine that there is does with its objects."""

_REASON = "what an engine has applied by it may go with it, and is applied no more"


def undelivered(
    change: Change, before: Before, after: TreeSource, reader: Reader, engines: Engines
) -> Iterator[Removal]:
    """Find the carriers that go although spokes stay that they are for; at most one removal.

    `change` is that of the fleet's own folder; `after` also says which spokes stay.
    """
    spokes = {name for name in after.folders if not name.startswith("_")}
    if not spokes or not (change.update or change.delete):
        return
    files = after.files(change.folder) if change.folder in after.folders else {}
    refs = set(map(reader.ref, documents(files)))
    kinds = {(ref.group, ref.kind) for ref in refs if ref is not None}
    engine_and_carrier = {
        (carrier.group, carrier.kind): (engine, carrier)
        for engine in engines
        for carrier in engine.carriers
    }
    lost = []
    for text in documents(before(change.folder, (*change.update, *change.delete))):
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
            lost.append(Lost(ref, guarded=_REASON))
    if lost:
        yield Removal(spoke=change.folder, loss=Loss.DELIVERY, lost=tuple(lost), total=len(lost))


def redirected(
    changes: Iterable[Change],
    before: Before,
    after: TreeSource,
    catalogue: Catalogue,
    engines: Engines,
) -> Iterator[Result]:
    """Warn of engines that would take trees from elsewhere than before, or no longer apply them."""
    reader = Reader(catalogue)
    engine_by_group = {group: engine for engine in engines for group in engine.source_groups}
    for change in changes:
        if not change.folder.startswith("_") or change.folder not in after.folders:
            continue
        text_by_ref = {reader.ref(text): text for text in documents(after.files(change.folder))}
        for text in documents(before(change.folder, change.update)):
            ref = reader.ref(text)
            if ref is None or ref.group not in engine_by_group or ref not in text_by_ref:
                continue
            old, new = reader.parse(text), reader.parse(text_by_ref[ref])
            if old is None or new is None:
                continue
            fields = _changed_sources(old.object, new.object, engine_by_group[ref.group])
            if fields:
                yield REDIRECTED.result(
                    f"{joined(fields, len(fields))} would be other than before: trees come from "
                    "elsewhere, or are applied no more",
                    cure="look at what fleet.yaml says under delivery: what is applied there is "
                    "what protects, and no other tree is compared",
                    resource=ref,
                )


def _changed_sources(
    old: Mapping[str, Any], new: Mapping[str, Any], engine: EngineObjects
) -> list[str]:
    """Return the source fields that lost a value, and the added ones that stop the engine."""
    old_values, new_values = (_sources(data, engine.source_fields) for data in (old, new))
    stopped = {name for name, _ in new_values - old_values if name in engine.stop_fields}
    return sorted({name for name, _ in old_values - new_values} | stopped)


def _sources(value: Any, fields: frozenset[str]) -> frozenset[tuple[str, str]]:  # noqa: ANN401  (JSON of any shape)
    """Return the source fields at any depth, with their values."""
    if isinstance(value, Mapping):
        here = {(key, repr(item)) for key, item in value.items() if key in fields}
        # The elements of an ApplicationSet's list are its spokes, which come and go.
        below = (item for key, item in value.items() if key != "elements")
        return frozenset(here).union(*(_sources(item, fields) for item in below))
    if isinstance(value, list):
        return frozenset().union(*(_sources(item, fields) for item in value))
    return frozenset()
