"""The project's own placement files: spokes, rules and overrides that users write.

The models of `spokerender.config` are converted here into frozen values.
"""

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any

from spokerender.config.documents import Named
from spokerender.config.loading import PlacementDocument, read_placements
from spokerender.config.placement import (
    FOR,
    GatewayAs as WrittenAs,
    OverrideRule,
    PlacedSelection,
    Placement,
    PlacementRule,
    listed_hub_listeners,
)
from spokerender.config.selectors import LabelSelector
from spokerender.model import GATEWAY, SERVICE, Place, Ref, Spoke, selectors as model
from spokerender.model.refs import GroupKind
from spokerender.model.sources import File
from spokerender.rendering.placement.source import Declared, PlacementSource
from spokerender.rendering.values.placement import (
    NO_SELECTION,
    GatewayChanges,
    Override,
    OverrideSelector,
    PlacedSelector,
    Rule,
)


def declare(files: Sequence[File]) -> Declared:
    """Return the declarations in the files, in the order of the documents' names."""
    unsorted, results = read_placements(files)
    placements = sorted(unsorted, key=lambda item: item.model.metadata.name)
    everywhere: dict[str, Mapping[str, str]] = {
        name: labels for item in placements for name, labels in item.model.spec.namespaces.items()
    }
    return Declared(
        spokes=tuple(
            Spoke(
                entry.name,
                entry.labels,
                entry.values,
                place,
                bundle=entry.gateway_api.bundle or "",
                channel=entry.gateway_api.channel or "",
                # One mapping shared by all spokes, which `make_labels_key` recognizes.
                namespaces=ChainMap({**entry.namespaces}, everywhere),
            )
            for entry, place, _ in _entries(placements, "spokes")
        ),
        rules=tuple(
            _rule(number, *entry) for number, entry in enumerate(_entries(placements, "rules"))
        ),
        overrides=tuple(
            _override(number, *entry)
            for number, entry in enumerate(_entries(placements, "overrides"))
        ),
        # `duplicates` reports the second of two equal names: files are read in this order.
        names=tuple(
            Named("spoke", entry.name, ("spec", "spokes", index, "name"), placement.written)
            for placement in unsorted  # in the order of the documents
            for index, entry in enumerate(placement.model.spec.spokes)
        ),
        results=tuple(results),
    )


SOURCE = PlacementSource((".yaml", ".yml", ".json"), declare, lambda: {"Placement": Placement})


def _rule(number: int, written: PlacementRule, place: Place, field: str) -> Rule:
    return Rule(
        number,
        written.spokes.value if written.spokes is not None else model.LABELLED,
        place,
        field,
        _placed(written.gateways, GATEWAY),
        placed_as=_placed_as(written.as_),
        services=_placed(written.services, SERVICE),
        existing=written.mode == "existing",
        routes_follow=written.routes == "follow",
        optional=written.optional,
    )


def _placed(written: PlacedSelection | None, kind: GroupKind) -> PlacedSelector:
    if written is None:
        return NO_SELECTION
    names = (name.partition("/") for name in written.names or ())
    return PlacedSelector(
        tuple(Ref(*kind, namespace, name) for namespace, _, name in names),
        model.EVERYTHING if written.all else _selector(written.selector),
    )


def _placed_as(written: WrittenAs) -> GatewayChanges:
    allowed = written.allowed_routes
    return GatewayChanges(
        name=written.name,
        namespace=written.namespace,
        gateway_class=written.gateway_class_name,
        is_mgc=written.naming == "kuadrant-mgc",
        hostnames=written.hostnames,
        listeners=tuple(
            {key: item[key] for key in item if key != FOR} for item in written.listeners
        ),
        hub_listeners=tuple(map(listed_hub_listeners, written.listeners)),
        # Without defaults, which would otherwise be written into every listener.
        allowed_routes=allowed.model_dump(by_alias=True, mode="json", exclude_defaults=True)
        if allowed is not None
        else None,
        labels=written.labels,
        annotations=written.annotations,
    )


def _override(number: int, written: OverrideRule, place: Place, field: str) -> Override:
    target, patch = written.target, written.patch
    return Override(
        number,
        written.spokes.value,
        place,
        field,
        OverrideSelector(
            target.kind, target.group, target.namespace, target.name, _selector(target.selector)
        ),
        patch=written.merge
        if patch is None
        # An operation may write null, which differs from an absent value.
        else [operation.model_dump(by_alias=True, exclude_unset=True) for operation in patch],
        is_merge=written.merge is not None,
        optional=written.optional,
    )


def _selector(written: LabelSelector | None) -> model.Selector | None:
    return written.value if written is not None else None


def _entries(
    placements: Iterable[PlacementDocument], section: str
) -> Iterator[tuple[Any, Place, str]]:
    """Yield the entries of one section of all documents, each with its line and its field."""
    for placement in placements:
        for index, entry in enumerate(getattr(placement.model.spec, section)):
            # Finding a line costs a parse, and each finding about the entry needs the line.
            place: Place = cache(partial(placement.at, "spec", section, index))
            yield entry, place, f"spec.{section}[{index}]"
