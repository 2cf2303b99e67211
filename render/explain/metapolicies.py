"""Questions about metapolicies: which definitions there are, and what an expression comes to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from render.explain.lookup import find_spoke
from render.findings.errors import InputError
from render.judging.contributing import Contributing
from render.model import Manifest, Origin, PlacedGateway, Ref
from render.rendering.metapolicies import Rendering
from render.rendering.metapolicies.asking import RefusedError, evaluate
from render.rendering.metapolicies.order import waiting
from render.rendering.metapolicies.seen import Seen
from render.rendering.values.bundles import Bundle
from render.rendering.values.rendered import Rendered
from render.rendering.values.stages import Given, GroupKind


@dataclass(frozen=True, slots=True)
class Known:
    """A definition of metapolicies: what it reads and writes, and what goes before it."""

    name: str
    kind: GroupKind
    way: str
    origin: Origin
    reads: tuple[GroupKind, ...]
    writes: tuple[GroupKind, ...]
    behind: tuple[str, ...]
    ships: bool
    metapolicies: tuple[Ref, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What an expression comes to, as JSON data, and on which spokes."""

    spokes: tuple[str, ...]
    value: Any


def known(rendered: Rendered) -> tuple[Known, ...]:
    """The definitions in the order in which they run, each with its metapolicies in the hub."""
    definitions = [each.definition for each in rendered.stages if isinstance(each, Rendering)]
    behind = waiting({each.name: each for each in definitions})
    return tuple(
        Known(
            each.name,
            each.kind,
            each.way,
            each.document.at(),
            tuple(sorted(each.function.reads)),
            tuple(sorted(each.function.writes)),
            tuple(sorted(behind[each.name])),
            each.ships,
            tuple(m.ref for m in rendered.hub.manifests if (m.ref.group, m.ref.kind) == each.kind),
        )
        for each in definitions
    )


def answers(rendered: Rendered, expression: str, spoke: str, me: str) -> tuple[Answer, ...]:
    """What an expression comes to on one spoke or on all; equal answers are one.

    Raises:
        InputError: the expression is wrong or fails, or there is no such spoke or object.

    """
    bundles = [find_spoke(rendered, spoke)] if spoke else list(rendered.bundles.values())
    found: dict[str, tuple[list[str], Any]] = {}
    for bundle in bundles:
        value = _on(rendered, bundle, expression, me)
        found.setdefault(json.dumps(value, sort_keys=True), ([], value))[0].append(
            bundle.spoke.name
        )
    return tuple(Answer(tuple(spokes), value) for spokes, value in found.values())


def _on(rendered: Rendered, bundle: Bundle, expression: str, me: str) -> Any:  # noqa: ANN401
    given = given_of(bundle)
    seen = Seen(given, rendered.hub.catalogue, rendered.topology)
    in_force = Contributing(rendered.hub.catalogue, rendered.topology)
    try:
        ref = _named(given.objects, me) if me else None
        return evaluate(expression, seen, bundle.spoke.context, in_force, ref)
    except RefusedError as error:
        results = (fault.result(None, None, (bundle.spoke.name,)) for fault in error.faults)
        raise InputError(tuple(results)) from error


def given_of(bundle: Bundle) -> Given:
    """What a spoke gets, as a stage would be given it, with the spoke's own values."""
    objects = (
        Manifest(bundle.ref(each.ref), bundle.object_of(each), None, each.shipped.edits)
        for each in bundle.blueprint.variants
    )
    return Given(tuple(_filled(bundle, bundle.blueprint.placed)), tuple(objects))


def _filled(bundle: Bundle, placed: Sequence[PlacedGateway]) -> Iterable[PlacedGateway]:
    for place in placed:
        yield replace(
            place,
            ref=bundle.ref(place.ref),
            gateway_class=bundle.text(place.gateway_class),
            listeners=bundle.text(place.listeners),
        )


def _named(objects: Iterable[Manifest], name: str) -> Ref:
    """The object that `Kind/namespace/name` or `Kind/name` means."""
    kind, _, rest = name.partition("/")
    refs = [each.ref for each in objects]
    found = [
        ref
        for ref in refs
        if ref.kind.casefold() == kind.casefold() and rest in (ref.full_name, ref.name)
    ]
    if len(found) != 1:
        from render.findings.codes.arguments import UNKNOWN_OBJECT  # noqa: PLC0415

        message = f'"{name}" is no one object on the spoke'
        raise InputError((UNKNOWN_OBJECT.result(message, cure="write Kind/namespace/name"),))
    return found[0]
