"""Metapolicies put together with what they need: what is in force, and a rendered fleet.

A project without them imports nothing of this: their languages cost start-up time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from msgspec.structs import replace

from spokerender.config.base import API_VERSION
from spokerender.findings.codes.metapolicies import ASSERTION, TOO_COSTLY
from spokerender.findings.codes.project import UNKNOWN_OBJECT
from spokerender.findings.errors import InputError
from spokerender.findings.occurrences import Occurrence, merge_occurrences
from spokerender.findings.results import Result
from spokerender.findings.suppressions import suppress
from spokerender.judging.fleet.contributing import Contributing
from spokerender.kinds.credentials import Redactor, find_credentials, find_likely_credentials
from spokerender.model import Manifest, Origin, PlacedGateway, Ref, Spoke, shown, slots
from spokerender.model.budget import BudgetSpentError
from spokerender.model.spokes import DeclaredListeners
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.metapolicies import Answer, Known
from spokerender.rendering.values.rendered import Rendered
from spokerender.rendering.values.stages import Given, Stage
from spokerender.topology.graph import Topology
from spokerender.topology.hub import Hub
from spokerender.wings.metapolicies.asking import Asserting, evaluate
from spokerender.wings.metapolicies.assertions import Assertion
from spokerender.wings.metapolicies.config.definitions import MetapolicyDocument
from spokerender.wings.metapolicies.expressions import expressions_budget
from spokerender.wings.metapolicies.model import Resources
from spokerender.wings.metapolicies.order import in_order, waiting
from spokerender.wings.metapolicies.queries import RefusedError
from spokerender.wings.metapolicies.seen import Seen
from spokerender.wings.metapolicies.stage import Rendering

_OURS = API_VERSION.partition("/")[0]
MOST_TOLD, MOST_TOLD_OF_ALL = 100, 5_000
"""Of what breaks one assertion on one spoke, and of what breaks all on any."""


def stages(
    documents: Sequence[MetapolicyDocument],
    resources: Resources,
    hub: Hub,
    topology: Topology,
) -> tuple[Stage, ...]:
    """A stage for each definition, in their order.

    Raises:
        InputError: a definition is wrong, or some wait for each other.

    """
    definitions = in_order(documents, resources)
    in_force = Contributing(hub.catalogue, topology)
    return tuple(Rendering(each, hub.catalogue, topology, in_force) for each in definitions)


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


def answers(
    rendered: Rendered, bundles: Iterable[Bundle], expression: str, me: str
) -> tuple[Answer, ...]:
    """What an expression comes to on these spokes, without credentials; equal answers are one.

    Raises:
        InputError: the expression is wrong or fails, or there is no such object.

    """
    found: dict[str, tuple[list[str], Any]] = {}
    catalogue, redactor = rendered.hub.catalogue, Redactor()
    known: dict[int, frozenset[str]] = {}
    looking = _Looking(rendered)
    for bundle in bundles:
        value = _on(*looking.at(bundle), bundle, expression, me)
        secrets = find_likely_credentials(value) | find_likely_credentials(
            dict(bundle.spoke.values)
        )
        for variant in bundle.blueprint.variants:
            if id(variant) not in known:
                kind = catalogue.kind(variant.ref.group, variant.ref.kind)
                known[id(variant)] = find_credentials(kind, variant.object)
            secrets |= {bundle.text(each) for each in known[id(variant)]}
        value = redactor.data(value, secrets)
        alike, _ = found.setdefault(json.dumps(value, sort_keys=True), ([], value))
        alike.append(bundle.spoke.name)
    return tuple(Answer(tuple(names), value) for names, value in found.values())


def broken(
    assertions: Sequence[Assertion], rendered: Rendered, at: Callable[..., Origin]
) -> tuple[Result, ...]:
    """What breaks the assertions of the fleet file; `at` tells where its fields are written."""
    if not assertions:
        return ()
    found: list[Occurrence] = []
    asked, looking = _Asked(rendered), _Looking(rendered)
    for bundle in rendered.bundles.values():
        seen, in_force = looking.at(bundle)
        for number, assertion in enumerate(assertions):
            place = ("spec", "assertions", number)
            for result in asked.broken(assertion, seen, bundle.spoke, in_force):
                told = replace(result, origin=at(*place), spokes=())
                found.append(Occurrence(told, (bundle.spoke.name,)))
    return suppress(
        merge_occurrences(found), rendered.settings.suppressions, rendered.topology.labels_of
    )


class _Asked:
    """What the assertions of a fleet say, and what they have left to ask and to tell."""

    def __init__(self, rendered: Rendered) -> None:
        self._budget = expressions_budget(
            sum(1 + len(bundle.blueprint.variants) for bundle in rendered.bundles.values())
        )
        self._told: set[tuple[Ref, str]] = set()
        self._is_over = False
        self._asserting = cache(Asserting)

    def broken(
        self, assertion: Assertion, seen: Seen, spoke: Spoke, in_force: Contributing
    ) -> Iterator[Result]:
        """What breaks an assertion on a spoke; of the first one that asks too much, that."""
        if self._is_over:
            return
        name = Ref(_OURS, "Assertion", "", assertion.name)
        try:
            messages = self._asserting(assertion).broken(
                seen, spoke.context, in_force, self._budget
            )
            for count, message in enumerate(messages):
                self._told.add((name, message))
                if len(self._told) > MOST_TOLD_OF_ALL:
                    self._is_over = True
                    more = f"more than {MOST_TOLD_OF_ALL:,} break an assertion"
                    yield _over(more, "mend what is told, or the assertion", spoke, name)
                    return
                if count == MOST_TOLD:
                    more = (
                        f"more than {MOST_TOLD} break it on a spoke; the others are not looked at"
                    )
                    yield ASSERTION.result(more, resource=name, severity=assertion.severity)
                    return
                yield ASSERTION.result(
                    message, cure=assertion.cure, resource=name, severity=assertion.severity
                )
        except BudgetSpentError as error:
            self._is_over = True
            more = f"the assertions cost too much: {error}"
            yield _over(more, "ask several things of an object in one assertion", spoke, name)
        except RefusedError as error:
            yield from _refused(error, name)


def _over(message: str, cure: str, spoke: Spoke, name: Ref) -> Result:
    whole = f"{message}: it and those after it are not evaluated from {spoke.name} on"
    return TOO_COSTLY.result(whole, cure=cure, resource=name)


def _refused(error: RefusedError, name: Ref) -> Iterator[Result]:
    for fault in error.faults:
        message, field = fault.message, shown(fault.field)
        yield fault.finding.result(message, cure=fault.cure, resource=name, field=field)


class _Looking:
    """What is seen of each spoke: once of those that share a blueprint without values in it."""

    def __init__(self, rendered: Rendered) -> None:
        self._rendered = rendered
        self._shared: dict[int, tuple[Seen, Contributing]] = {}

    def at(self, bundle: Bundle) -> tuple[Seen, Contributing]:
        """A spoke's topology, and what tells what is in force there."""
        blueprint, catalogue = bundle.blueprint, self._rendered.hub.catalogue
        if id(blueprint) in self._shared:
            return self._shared[id(blueprint)]
        given, hub = given_of(bundle), self._rendered.topology
        found = Seen(given, catalogue, hub), Contributing(catalogue, hub)
        pairs = zip(given.objects, blueprint.variants, strict=True)
        is_shared = given.placed == tuple(blueprint.placed) and all(
            own.object is variant.object and own.ref == variant.ref for own, variant in pairs
        )
        if is_shared:
            self._shared[id(blueprint)] = found
        return found


def _on(seen: Seen, in_force: Contributing, bundle: Bundle, expression: str, me: str) -> Any:  # noqa: ANN401
    try:
        ref = _named(seen.given.objects, me) if me else None
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
    placed = (_filled(bundle, place) for place in bundle.blueprint.placed)
    return Given(tuple(placed), tuple(objects))


def _filled(bundle: Bundle, place: PlacedGateway) -> PlacedGateway:
    listeners = slots.fill(list(place.listeners.entries), bundle.values)
    return replace(
        place,
        ref=bundle.ref(place.ref),
        gateway_class=bundle.text(place.gateway_class),
        listeners=DeclaredListeners.of(listeners),
    )


def _named(objects: Iterable[Manifest], name: str) -> Ref:
    """The object that `Kind/namespace/name` or `Kind/name` means."""
    kind, _, rest = name.partition("/")
    found = [
        each.ref
        for each in objects
        if each.ref.kind.casefold() == kind.casefold()
        and rest in (each.ref.full_name, each.ref.name)
    ]
    if len(found) != 1:
        message = f'"{name}" is no one object on the spoke'
        raise InputError((UNKNOWN_OBJECT.result(message, cure="write Kind/namespace/name"),))
    return found[0]
