"""What is known of kinds without their CRDs: versions and fields that nobody has heard of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from spokerender.judging import validation
from spokerender.judging.validation.carried_schemas import FIELDS, check_known_fields
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Ref
from tests.judging.validation.field_names import carried

CATALOGUE = Catalogue.of([])
ROUTE = "{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: a}"
AUTH = "{apiVersion: kuadrant.io/v1, kind: AuthPolicy, metadata: {name: a}"


def told(text: str) -> list[tuple[str, str]]:
    value: dict[str, Any] = yaml.safe_load(text)
    ref = Ref(value["apiVersion"].rpartition("/")[0], value["kind"], "b", "a")
    faults = check_known_fields(value, ref, CATALOGUE.kind(ref.group, ref.kind).versions)
    return [(f"{f.finding.code} {f.message}", f.cure.splitlines()[0]) for f in faults]


RELEASES = "Gateway API v1.4 to v1.6 and main"


@pytest.mark.parametrize(
    ("text", "message", "cure"),
    [
        (
            "{apiVersion: gateway.networking.k8s.io/v2, kind: HTTPRoute, metadata: {name: a}}",
            "SR2312 v2 is not a version of HTTPRoute that is known here (v1, v1beta1)",
            (
                "write gateway.networking.k8s.io/v1, or add the CRD that has v2 with "
                "`spokerender crds add`"
            ),
        ),
        (
            f"{ROUTE}, spec: {{hostname: [a.example.com]}}}}",
            f'SR2313 spec.hostname: no HTTPRoute of {RELEASES} has the field "hostname"',
            'did you mean "hostnames"?',
        ),
        (
            f"{ROUTE}, spec: {{rules: [{{}}, {{backendRef: [{{name: x}}]}}]}}}}",
            (
                f"SR2313 spec.rules[1].backendRef: no HTTPRoute of {RELEASES} has the field "
                '"backendRef"'
            ),
            'did you mean "backendRefs"?',
        ),
        (
            f"{AUTH}, spec: {{rules: {{authentication: {{key: {{apikey: {{}}}}}}}}}}}}",
            (
                "SR2313 spec.rules.authentication.key.apikey: no AuthPolicy of kuadrant-operator "
                'v1.5 has the field "apikey"'
            ),
            'did you mean "apiKey"?',
        ),
    ],
)
def test_what_nobody_has_heard_of(text: str, message: str, cure: str) -> None:
    assert told(text) == [(message, cure)]


@pytest.mark.parametrize(
    "text",
    [
        f"{ROUTE}, spec: {{hostnames: [a.example.com]}}}}",
        f"{ROUTE}, spec: 7}}",
        f"{ROUTE}, metadata: {{anything: 7}}}}",
        f"{AUTH}, spec: {{rules: {{authentication: {{any-name: {{anonymous: {{}}}}}}}}}}}}",
        "{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, spec: {x: 1}}",
        "{apiVersion: example.com/v9, kind: Unheard, spec: {x: 1}}",
    ],
)
def test_nothing_is_claimed_where_nothing_is_known(text: str) -> None:
    assert told(text) == []


@pytest.mark.golden
def test_the_fields_are_those_of_the_releases(fixtures: Path, *, update_golden: bool) -> None:
    at = Path(validation.__path__[0]) / FIELDS
    if update_golden:
        at.write_text(carried(fixtures), encoding="utf-8")
    assert at.read_text(encoding="utf-8") == carried(fixtures), "run make golden"


def test_official_examples_have_nothing_unheard(fixtures: Path) -> None:
    """Those of the Gateway API and Kuadrant, but for one where a field is a level too high."""
    folders = ("gateway-api/examples", "hubs/kuadrant-operator")
    paths = [path for folder in folders for path in (fixtures / folder).rglob("*.yaml")]
    assert len(paths) > 50
    said = {}
    for path in paths:
        for value in yaml.load_all(path.read_text(), yaml.CSafeLoader):
            if not isinstance(value, dict) or "kind" not in value:
                continue
            group = str(value["apiVersion"]).rpartition("/")[0]
            ref = Ref(group, value["kind"], "", "")
            faults = check_known_fields(value, ref, CATALOGUE.kind(ref.group, ref.kind).versions)
            if faults:
                said[path.name] = [fault.message for fault in faults]
    field = "authorizationHeader"
    wrong = f"spec.rules.authentication.credentials.{field}: no AuthPolicy of kuadrant-operator"
    assert said == {"authpolicy.yaml": [f'{wrong} v1.5 has the field "{field}"']}
