"""The law of adopting: what is adopted comes back, or the report names it; in few lines."""

from copy import deepcopy
from functools import cache
from random import Random
from typing import Any

from hypothesis import given, settings, strategies as st

from spokerender.formats.comparing import is_same_json
from spokerender.judging.validation.choosing import choose_schema
from spokerender.judging.validation.crds import ANY_SERVER, Schemas
from spokerender.judging.validation.structure import complete
from spokerender.model import identity
from tests.conftest import ROOT
from tests.support.fleets import (
    Clusters,
    Objects,
    adopt,
    by_identity,
    count_lines,
    edit,
    read_objects,
    rendered_objects,
    write_objects,
)
from tests.support.profiles import examples

SAMPLES = (
    "clusters/eu-west-1-prod",
    "examples/one-gateway-two-spokes/clusters/europe",
    "examples/envoy-gateway/clusters/frankfurt",
    "examples/existing-gateway/clusters/cloud",
    "examples/existing-gateway/clusters/datacenter-1",
    "examples/renamed-and-moved/clusters/berlin",
    "examples/own-policy-kind/clusters/oslo",
)
NAMES = (
    ("eu", "us"),
    ("eu-1", "eu-2", "us-1", "us-2", "ap-1"),
    ("prod-a", "prod-b", "stage-a"),
    tuple(f"c{number}" for number in range(12)),
)


@cache
def sample(path: str) -> Objects:
    return read_objects(ROOT / path)


def copies(path: str, names: tuple[str, ...]) -> Clusters:
    return {name: deepcopy(sample(path)) for name in names}


def as_served(data: Any) -> Any:
    """An object with the defaults of its CRD."""
    ref = identity(data)
    assert ref is not None
    schema = choose_schema(data["apiVersion"], ref, Schemas({}), ANY_SERVER).schema
    return complete(schema.node, data, []) if schema is not None else data


@settings(max_examples=examples(200))
@given(st.sampled_from(SAMPLES), st.sampled_from(NAMES), st.randoms(), st.integers(0, 5))
def test_adopted_clusters_come_back_in_few_lines(
    path: str, names: tuple[str, ...], rng: Random, edits: int
) -> None:
    """What does not is told by name. Takes CPU seconds: each example renders a fleet twice."""
    clusters = copies(path, names)
    for _ in range(edits):
        name = rng.choice(names)
        edit(rng, clusters[name], name)
    adopted = adopt(clusters)
    rendered = rendered_objects(adopted)
    told = {(name, ref) for ref, name in adopted.stuck}
    for name, objects in by_identity(clusters).items():
        assert rendered[name].keys() <= objects.keys()
        for ref, data in rendered[name].items():
            assert is_same_json(as_served(data), as_served(objects[ref])) or (name, ref) in told
        absent = len(objects.keys() - rendered[name].keys())
        assert absent <= len(told) + sum(adopted.assembly.left.values())
    # A copied policy is in the hub, wherever it is: it is no edit of a few lines.
    copied = {
        identity(data): data
        for objects in clusters.values()
        for data in objects
        if data["kind"] != "Gateway" and identity(data) not in map(identity, sample(path))
    }
    wholes = (*clusters.values(), [*sample(path), *copied.values()])
    longest = max(write_objects(objects).count("\n") for objects in wholes)
    assert count_lines(adopted) <= longest + 8 * edits + 3 * len(names)
