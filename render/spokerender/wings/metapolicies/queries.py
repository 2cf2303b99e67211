"""Queries of a rendered fleet: the value of an expression on each spoke (`spokerender query`)."""

import json
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from spokerender.findings.codes.project import UNKNOWN_OBJECT
from spokerender.findings.errors import InputError
from spokerender.kinds.credentials import Redactor, find_credentials, find_likely_credentials
from spokerender.model import Manifest, Ref, slots
from spokerender.model.budget import Budget
from spokerender.model.shapes import Json
from spokerender.model.spokes import JsonValue
from spokerender.rendering.values.bundles import Bundle
from spokerender.rendering.values.metapolicies import Answer
from spokerender.rendering.values.rendered import Rendered
from spokerender.rendering.values.stages import Given
from spokerender.wings.metapolicies.expressions import (
    ALL_NAMES,
    NAMES_WITHOUT_SELF,
    evaluate_source,
    expressions_budget,
)
from spokerender.wings.metapolicies.functions import RefusedError
from spokerender.wings.metapolicies.shared_topology import SharedTopology
from spokerender.wings.metapolicies.topology_view import TopologyView, TrackedValues

_NO_POLICY = Manifest(Ref("", "", "", ""), {"metadata": {}}, None)


def answer_query(
    rendered: Rendered, bundles: Iterable[Bundle], expression: str, self_name: str
) -> tuple[Answer, ...]:
    """Evaluate an expression on these spokes, and group the spokes that have equal values.

    `self_name` is the object that the expression calls `self`, as `Kind/[namespace/]name`, or
    empty. Credentials are redacted. Raises `InputError` if the expression is wrong or fails.
    """
    answers: dict[str, tuple[list[str], Any]] = {}
    catalogue, redactor = rendered.hub.catalogue, Redactor()
    credentials_by_variant: dict[int, frozenset[str]] = {}
    topologies = RenderedTopologies(rendered)
    for bundle in bundles:
        value = _evaluate_on(topologies, bundle, expression, self_name)
        secrets = find_likely_credentials(value) | find_likely_credentials(
            dict(bundle.spoke.values)
        )
        for variant in bundle.blueprint.variants:
            if id(variant) not in credentials_by_variant:
                kind = catalogue.kind(variant.ref.group, variant.ref.kind)
                credentials_by_variant[id(variant)] = find_credentials(kind, variant.object)
            secrets |= {bundle.text(text) for text in credentials_by_variant[id(variant)]}
        value = redactor.data(value, secrets)
        spokes, _ = answers.setdefault(json.dumps(value, sort_keys=True), ([], value))
        spokes.append(bundle.spoke.name)
    return tuple(Answer(tuple(names), value) for names, value in answers.values())


class RenderedTopologies:
    """The topologies of rendered spokes; spokes of a blueprint without placeholders share one."""

    def __init__(self, rendered: Rendered) -> None:
        self._catalogue, self._hub = rendered.hub.catalogue, rendered.topology
        self._shared: dict[int, SharedTopology] = {}

    def view(self, bundle: Bundle, budget: Budget, self_ref: Ref | None = None) -> TopologyView:
        """Return a view of a spoke; `self_ref` is the object that expressions call `self`."""
        shared = self._topology(bundle)
        objects = shared.given.objects
        manifest = _NO_POLICY if self_ref is None else objects[shared.by_ref[self_ref]]
        # The objects have the spoke's own values already: there are no slots to fill.
        return TopologyView(shared, manifest, bundle.spoke.context, TrackedValues({}), budget)

    def objects(self, bundle: Bundle) -> tuple[Manifest, ...]:
        """Return the objects of a spoke."""
        return self._topology(bundle).given.objects

    def _topology(self, bundle: Bundle) -> SharedTopology:
        blueprint = bundle.blueprint
        if id(blueprint) in self._shared:
            return self._shared[id(blueprint)]
        given = fill_bundle(bundle)
        topology = SharedTopology(given, self._catalogue, self._hub)
        pairs = zip(given.objects, blueprint.variants, strict=True)
        is_shared = given.placed == tuple(blueprint.placed) and all(
            item.object is variant.object and item.ref == variant.ref for item, variant in pairs
        )
        if is_shared:
            self._shared[id(blueprint)] = topology
        return topology


def fill_bundle(bundle: Bundle) -> Given:
    """Return a spoke's gateways and objects with its values in place of placeholders (slots)."""
    objects = (
        Manifest(bundle.ref(item.ref), bundle.object_of(item), None, item.shipped.edits)
        for item in bundle.blueprint.variants
    )
    placed = (
        replace(
            gateway,
            ref=bundle.ref(gateway.ref),
            gateway_class=bundle.text(gateway.gateway_class),
            listeners=JsonValue.of(slots.fill(list(gateway.listeners.data), bundle.values)),
        )
        for gateway in bundle.blueprint.placed
    )
    return Given(tuple(placed), tuple(objects))


def _evaluate_on(
    topologies: RenderedTopologies, bundle: Bundle, expression: str, self_name: str
) -> Json:
    self_ref = _find_self(topologies.objects(bundle), self_name) if self_name else None
    names = NAMES_WITHOUT_SELF if self_ref is None else ALL_NAMES
    view = topologies.view(bundle, expressions_budget(), self_ref)
    try:
        return evaluate_source(expression, view, names)
    except RefusedError as error:
        results = (fault.result(None, None, (bundle.spoke.name,)) for fault in error.faults)
        raise InputError(tuple(results)) from error


def _find_self(objects: Iterable[Manifest], name: str) -> Ref:
    kind, _, rest = name.partition("/")
    refs = [
        item.ref
        for item in objects
        if item.ref.kind.casefold() == kind.casefold()
        and rest in (item.ref.full_name, item.ref.name)
    ]
    if len(refs) != 1:
        number = "several objects" if refs else "no object"
        message = f'the spoke has {number} of the name "{name}"'
        raise InputError((UNKNOWN_OBJECT.result(message, cure="write Kind/namespace/name"),))
    return refs[0]
