"""The laws hold with metapolicies in the fleet: order, repeat, isolation, and slots."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from spokerender.authoring import AuthoredEdit, Policy, SpokeTopology, change, make
from spokerender.pipeline import Project, render
from spokerender.rendering.bundles.bundler import Bundler
from spokerender.rendering.values.rendered import Rendered
from spokerender.wings.metapolicies.config import load_metapolicies
from tests.support import manifest, rows_of, text_of
from tests.support.metapolicies import QUOTA, ROUTE, definition, with_definitions
from tests.support.project import project, tree
from tests.support.stages import CLASS, GATEWAY, auth, fleet, hub, placement

TEXTS = st.sampled_from(["eu", "us", "gold", "fair", "shop", "web", "a.example", "b.example", "1m"])
"""Values that other things spell out, too: no slot may stand for these."""
NUMBERS = st.integers(0, 4)
MADE = text_of(__file__, "laws.yaml")
LATE = rows_of(__file__, "late")
Values = dict[str, Any]
IN_PYTHON = manifest(
    "MetapolicyDefinition quota",
    "for: {group: acme.example, kind: QuotaPolicy}, "
    "reads: [{group: gateway.networking.k8s.io, kind: Gateway}, {group: spokerender.io, "
    "kind: Spoke}], writes: [{group: kuadrant.io, kind: RateLimitPolicy}, "
    "{group: kuadrant.io, kind: AuthPolicy}], python: {entryPoint: made}",
    api="spokerender.io/v1alpha1",
)
WAYS = ("declarative", "python")
each_way = pytest.mark.parametrize("way", WAYS)


def made(policy: Policy, spoke: SpokeTopology) -> list[AuthoredEdit]:
    """The same in Python."""
    host = policy.hostnames()[0]
    word, minute = policy.spec["word"], policy.spec["perMinute"]
    text = f"{spoke.values['word']}-{word}"
    tests = f'request.host == "{host}"\n|| gold\n|| "{text}" == "{word}"\n'
    limit = {
        "rates": [{"limit": minute + spoke.values["more"], "window": word}],
        "when": [{"predicate": tests}, {"predicate": text}],
    }
    labels = {"word": spoke.values["word"]}
    spec = {"targetRef": policy.spec["targetRef"], "limits": {"gold": limit}}
    edits: list[AuthoredEdit] = [
        change(each, {"spec": {"when": [{"predicate": f"request.host == '{host}'"}], "word": text}})
        for each in policy.policies("AuthPolicy")
    ]
    if minute > 0:
        metadata = {"name": f"{policy.name}-limits", "labels": labels}
        head = {"apiVersion": "kuadrant.io/v1", "kind": "RateLimitPolicy"}
        edits.insert(0, make({**head, "metadata": metadata, "spec": spec}, f"for {host}"))
    return edits


@st.composite
def spokes(draw: st.DrawFn) -> list[tuple[str, Values]]:
    """Spokes by their names, with values that may be alike, or like something else."""
    values = st.fixed_dictionaries(
        {
            "domain": TEXTS,
            "ns": st.sampled_from(["shop", "edge", "gold", "infra"]),
            "word": TEXTS,
            "more": NUMBERS,
            "limit": NUMBERS,
        }
    )
    names = draw(st.lists(st.sampled_from(["eu", "us", "ap", "gold"]), min_size=1, unique=True))
    return [(name, draw(values)) for name in names]


def fleet_of(
    found: list[tuple[str, Values]],
    way: str = "declarative",
    ordered: Callable[[list[Any]], list[Any]] = list,
) -> Project:
    """A project; its documents are ordered so, and its first definition is written so."""
    listed = "".join(
        f"- {{name: {name}, values: {{{', '.join(f'{k}: {v!r}' for k, v in values.items())}}}}}\n"
        for name, values in found
    )
    rules = (
        "- {gateways: {names: [infra/web]}, spokes: {all: true}, as: {namespace: "
        "'{{ spoke.values.ns }}', hostnames: {'*.shop.example': '*.{{ spoke.values.domain }}'}}}"
    )
    overrides = """\
    - target: {kind: QuotaPolicy}
      spokes: {all: true}
      merge: {spec: {perMinute: "{{ spoke.values.limit }}", word: "{{ spoke.values.word }}"}}
    """
    policy = auth("web", "kind: Gateway, name: web", spec="rules: {authentication: {a: {}}}")
    late = QUOTA.replace("QuotaPolicy", "LatePolicy").replace("fair", "late")
    documents = [*CLASS.split("---\n"), GATEWAY, ROUTE, QUOTA, late, policy]
    first = definition(MADE) if way == "declarative" else IN_PYTHON
    definitions = [("1.yaml", definition(LATE, "late", "LatePolicy")), ("2.yaml", first)]
    text = placement(rules, spokes=listed, overrides=overrides)
    whole = project(hub(*ordered(documents)), text, fleet("{}"))
    files = [(path, each.encode()) for path, each in ordered(definitions)]
    return with_definitions(whole, load_metapolicies(files), code={"quota": made})


def without_slots(found: Rendered) -> dict[str, Any]:
    """What each spoke gets where no slot is used."""
    bundler = Bundler(
        found.hub, found.topology, found.decision, found.sync, with_slots=False, stages=found.stages
    )
    return {
        spoke.name: {
            str(variant.ref): variant.object for variant in bundler.bundle(spoke).blueprint.variants
        }
        for spoke in found.decision.spokes
    }


def objects_of(found: Rendered) -> dict[str, Any]:
    return {
        name: {
            str(bundle.ref(variant.ref)): bundle.object_of(variant)
            for variant in bundle.blueprint.variants
        }
        for name, bundle in found.bundles.items()
    }


@pytest.mark.property
@each_way
@given(spokes())
def test_with_slots_or_without_the_objects_are_the_same(
    way: str, found: list[tuple[str, Values]]
) -> None:
    rendered = render(fleet_of(found, way))
    assert objects_of(rendered) == without_slots(rendered)


@pytest.mark.property
@given(spokes())
def test_whichever_way_it_is_written_the_trees_are_the_same(
    found: list[tuple[str, Values]],
) -> None:
    first, *others = (tree(render(fleet_of(found, way))) for way in WAYS)
    assert all(other == first for other in others)


@pytest.mark.property
@each_way
@given(spokes(), st.data())
def test_the_order_of_documents_changes_nothing(
    way: str, found: list[tuple[str, Values]], data: st.DataObject
) -> None:
    other = fleet_of(found, way, lambda items: data.draw(st.permutations(items)))
    assert tree(render(fleet_of(found, way))) == tree(render(other))


@pytest.mark.property
@each_way
@given(spokes(), st.data())
def test_a_spoke_is_alone(way: str, found: list[tuple[str, Values]], data: st.DataObject) -> None:
    kept = data.draw(st.sampled_from(found))
    whole, alone = tree(render(fleet_of(found, way))), tree(render(fleet_of([kept], way)))
    assert whole[kept[0]] == alone[kept[0]]
