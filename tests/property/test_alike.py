"""Judging an object for many spokes' values says what judging it anew for each of them would."""

from functools import cache
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings, strategies as st

from spokerender.judging.validation.crds import Schemas, read_schemas
from spokerender.judging.validation.objects import validate
from spokerender.model import Ref
from tests.judging.validation.objects import ANYWHERE
from tests.judging.validation.slotted import KNOWN, OBJECTS, REF, Object, agree, of_spokes, slotted
from tests.property.laws import law
from tests.support import cases
from tests.support.carried import KUADRANT, LATEST, carried_files
from tests.support.profiles import examples


@settings(law, max_examples=examples(300, house=20))
@given(st.data())
def test_it_agrees_with_judging_each_anew(data: st.DataObject) -> None:
    value, values = data.draw(slotted(data.draw(st.sampled_from(OBJECTS))))
    agree(value, REF, KNOWN, data.draw(of_spokes(values)))


@settings(law, max_examples=examples(300, house=20))
@given(st.data())
def test_once_it_was_sound_it_still_agrees(data: st.DataObject) -> None:
    """Only then it is quick."""
    value, values = data.draw(slotted(data.draw(st.sampled_from(OBJECTS))))
    agree(value, REF, KNOWN, [values, *data.draw(of_spokes(values))])


GATEWAY_API = "gateway.networking.k8s.io"
REAL = {
    (GATEWAY_API, "Gateway"): "gateway-api/examples/standard",
    (GATEWAY_API, "HTTPRoute"): "gateway-api/examples/standard",
    ("kuadrant.io", "DNSPolicy"): "hubs/kuadrant-operator/examples",
    ("kuadrant.io", "RateLimitPolicy"): "hubs/kuadrant-operator/examples",
    ("kuadrant.io", "AuthPolicy"): "hubs/kuadrant-operator/examples",
}


@pytest.fixture(scope="module")
def real() -> Schemas:
    found = read_schemas(carried_files(f"{LATEST}/standard", KUADRANT), (), REAL.keys())
    assert found.definitions.keys() == REAL.keys()
    return found


@cache
def real_objects(folder: Path, group: str, kind: str, crds: Schemas) -> list[Object]:
    """The sound objects of a kind in the YAML files of a folder, each in a namespace."""
    found = []
    for path in sorted(folder.rglob("*.yaml")):
        text = path.read_text(encoding="utf-8")
        for item in yaml.load_all(text, yaml.CSafeLoader) if "${" not in text else ():
            if isinstance(item, dict) and item.get("kind") == kind:
                item["metadata"]["namespace"] = "shop"
                if not validate(item, Ref(group, kind, "shop", "any"), crds, ANYWHERE):
                    found.append(item)
    return found


@cases(*REAL, ids=[kind for _, kind in REAL])
@settings(law, max_examples=examples(200))
@given(data=st.data())
def test_it_agrees_about_real_objects(
    group: str, kind: str, fixtures: Path, real: Schemas, data: st.DataObject
) -> None:
    objects = real_objects(fixtures / REAL[group, kind], group, kind, real)
    value, values = data.draw(slotted(data.draw(st.sampled_from(objects))))
    # What the object has elsewhere makes for repeated items and broken comparisons.
    spokes = data.draw(of_spokes(values))
    first = [values] if data.draw(st.booleans()) else []
    agree(value, Ref(group, kind, "shop", "any"), real, [*first, *spokes])
