"""Cases that were read off kuadrant-operator's own tests, with its answers."""

import re
from pathlib import Path
from typing import Any

from spokerender.formats import yamlio
from spokerender.judging.advice.certificates import list_tls_problems
from spokerender.judging.effective.rates import hash_limit_name
from spokerender.kinds.catalogue import Catalogue
from tests.support.carried import carried

# Upstream has these as two cases of one limit; in one pattern nothing can match both.
TWO_IN_ONE = {r"^limit\.foo.+__1da6e70a$": (r"^limit\.foo.+$", r"^.+__1da6e70a$")}


def cases(fixtures: Path, name: str, number: int) -> list[dict[str, Any]]:
    path = fixtures / "cases" / "kuadrant" / name
    documents, wrong = yamlio.read(path.read_bytes(), name)
    assert wrong == ()
    found: list[dict[str, Any]] = documents[0].value["cases"]
    assert len(found) == number
    return found


def test_listeners_that_a_certificate_can_be_made_for(fixtures: Path) -> None:
    for case in cases(fixtures, "tls_listener_validation.yaml", 10):
        expected = [case["error"]] if case["error"] else []
        found = list_tls_problems(case["listener"], 0, case.get("gatewayNamespace", "default"))
        assert list(found) == expected, case["name"]


def test_identifiers_of_limits(fixtures: Path) -> None:
    catalogue = Catalogue.of([])
    for case in cases(fixtures, "limitador_identifiers.yaml", 6):
        counters = catalogue.kind(
            "kuadrant.io", case.get("kind", "RateLimitPolicy")
        ).traits.counters
        assert counters is not None
        namespace, _, name = case["policy"].partition("/")
        made = hash_limit_name(counters.prefix, namespace, name, case["limit"])
        for pattern in TWO_IN_ONE.get(case["regex"], (case["regex"],)):
            assert re.search(pattern, made), case


def test_what_the_traits_name_is_in_the_crds() -> None:
    catalogue = Catalogue.of([])
    for crd in carried("kuadrant@1.5.2"):
        spec, kind = crd["spec"], crd["spec"]["names"]["kind"]
        traits = catalogue.kind(spec["group"], kind).traits
        schema = spec["versions"][0]["schema"]["openAPIV3Schema"]
        for field in traits.unheard:
            assert has(schema, f"spec.{field}"), kind
            assert not any(f"self.{field}" in rule for rule in rules_of(schema)), spec["names"][
                "kind"
            ]
        if traits.counters is not None:
            for block in ("spec", "spec.defaults", "spec.overrides"):
                assert has(schema, f"{block}.{traits.counters.limits}"), kind
        if traits.records is not None:
            said = traits.records
            for pattern in (said.geo, said.weight, said.default, said.delegate):
                assert has(schema, pattern), (kind, pattern)
            assert said.geo.startswith(f"{said.balancing}.")


def has(schema: dict[str, Any], pattern: str) -> bool:
    for key in pattern.split("."):
        schema = schema.get("properties", {}).get(key)
        if schema is None:
            return False
    return True


def rules_of(schema: dict[str, Any]) -> list[str]:
    """The CRD's CEL rules about `spec`."""
    found = schema["properties"]["spec"].get("x-kubernetes-validations", [])
    return [entry["rule"] for entry in found]
