"""Law of closure: every reference in a spoke's tree resolves there, or a result says otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import assume, given

from spokerender.explain import SpokeExplanation, explain_named
from spokerender.rendering.values.rendered import Rendered
from tests.property.fleets import Fleet, fleets
from tests.property.hubs import Object
from tests.property.laws import law, ref_of
from tests.property.references import entries, named
from tests.support import end_to_end as e2e


def explained(found: Rendered, spoke: str) -> SpokeExplanation:
    explanation = explain_named(found, spoke=spoke)
    assert isinstance(explanation, SpokeExplanation)
    return explanation


@law
@given(fleets(overridden=False))
def test_every_reference_resolves_or_is_told(fleet: Fleet) -> None:
    """A Service is the spoke's own: it is told with what the spoke needs."""
    found = e2e.rendered(fleet.files)
    assume(not e2e.errors(found.results))
    for spoke in found.bundles:
        explanation = explained(found, spoke)
        here = {ref_of(item): item for item in e2e.objects(found, spoke).values()}
        needed = explanation.requirements
        theirs = {gateway.ref for gateway in needed.gateways}
        theirs |= {thing.ref for thing in needed.objects if thing.ref.kind == "Service"}
        sources = {shipped.ref: shipped.hub for shipped in explanation.objects}
        told = {(result.resource, result.field) for result in explanation.results}
        for ref, item in here.items():
            for field, entry in entries(item):
                target = named(item, entry)
                if target in here:
                    assert_section(here[target], entry)
                elif target not in theirs:
                    assert (sources[ref], field) in told


def assert_section(target: Object, entry: Object) -> None:
    """A section name is one that its target has."""
    section = entry.get("sectionName")
    listeners = target["spec"].get("listeners", [])
    assert section is None or section in {listener["name"] for listener in listeners}


@law
@given(fleets(overridden=False))
def test_no_gateway_reads_a_certificate_without_a_grant(fleet: Fleet) -> None:
    found = e2e.rendered(fleet.files)
    assume(not e2e.errors(found.results))
    for spoke in found.bundles:
        items = list(e2e.objects(found, spoke).values())
        granted = {
            (entry["namespace"], item["metadata"]["namespace"])
            for item in items
            if item["kind"] == "ReferenceGrant"
            for entry in item["spec"]["from"]
        }
        assert {crossing for item in items for crossing in certificates(item)} <= granted


def certificates(item: Object) -> Iterator[tuple[str, Any]]:
    """From which namespace to which a Gateway's certificates cross."""
    if item["kind"] == "Gateway":
        own = item["metadata"]["namespace"]
        for listener in item["spec"]["listeners"]:
            for reference in listener["tls"]["certificateRefs"]:
                if reference.get("namespace", own) != own:
                    yield own, reference["namespace"]
