"""Would the API server take it: the Gateway API's own cases, and the answers of cel-go."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from spokerender.findings.results import Fault
from spokerender.formats import cel, yamlio
from spokerender.judging.validation.choosing import choose_schema
from spokerender.judging.validation.crds import Schemas, Server, read_schemas
from spokerender.judging.validation.objects import validate
from spokerender.judging.validation.rules import convert_for_cel
from spokerender.judging.validation.structure import SchemaNode, complete
from spokerender.model import Ref
from tests.support import cases, each, rows_of
from tests.support.carried import KUADRANT, LATEST, carried_files

CHANNELS = ("standard", "experimental")
EVERYWHERE = Server()
INVALID_CASES = {"standard": 87, "experimental": 140}
VALID_CASES = {"standard": 68, "experimental": 101}
INVALID = 36

GATEWAY_API, X = "gateway.networking.k8s.io", "gateway.networking.x-k8s.io"
WANTED = frozenset(
    (group, kind)
    for group, kinds in {
        GATEWAY_API: "BackendTLSPolicy GRPCRoute Gateway GatewayClass HTTPRoute ListenerSet "
        "ReferenceGrant TCPRoute TLSRoute UDPRoute",
        X: "XBackend XBackendTrafficPolicy XMesh",
        "kuadrant.io": "AuthPolicy DNSPolicy Kuadrant RateLimitPolicy TLSPolicy "
        "TokenRateLimitPolicy",
        "extensions.kuadrant.io": "OIDCPolicy PlanPolicy TelemetryPolicy ThreatPolicy",
    }.items()
    for kind in kinds.split()
)


@cache
def crds(channel: str, release: str = LATEST) -> Schemas:
    found = read_schemas(carried_files(f"{release}/{channel}", KUADRANT), (), WANTED)
    assert found.results == ()
    return found


def objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    documents, problems = yamlio.read(path.read_bytes(), path.name)
    assert problems == (), path
    for document in documents:
        if isinstance(document.value, dict) and "apiVersion" in document.value:
            yield document.index, document.value


def ref(value: dict[str, Any]) -> Ref:
    metadata = value.get("metadata") or {}
    group = value["apiVersion"].rpartition("/")[0]
    return Ref(group, value["kind"], metadata.get("namespace", ""), metadata.get("name", ""))


def told(value: dict[str, Any], known: Schemas) -> list[Fault]:
    """The faults; examples leave out the namespace, which kubectl fills in."""
    found = validate(value, ref(value), known, EVERYWHERE)
    return [fault for fault in found if fault.field != ("metadata", "namespace")]


def upstream(fixtures: Path, channel: str, expect: str) -> list[dict[str, Any]]:
    """Return the cases of a channel: name, object, and the messages that are expected."""
    found = json.loads((fixtures / "cases/cel.json").read_text(encoding="utf-8"))
    return [c for c in found if c["expect"] == expect and c["channel"] in {"both", channel}]


@cases(*INVALID_CASES.items())
def test_every_invalid_case_is_refused_with_the_expected_message(
    channel: str, count: int, fixtures: Path
) -> None:
    invalid, missed = upstream(fixtures, channel, "invalid"), []
    for case in invalid:
        said = [fault.message.lower() for fault in told(case["object"], crds(channel))]
        missed += [
            (case["name"], error, said)
            for error in case["errors"]
            if not any(error.lower() in text for text in said)
        ]
    assert missed == []
    assert len(invalid) == count


@cases(*VALID_CASES.items())
def test_no_valid_case_is_refused(channel: str, count: int, fixtures: Path) -> None:
    valid = upstream(fixtures, channel, "valid")
    assert [
        (case["name"], fault.message)
        for case in valid
        for fault in told(case["object"], crds(channel))
    ] == []
    assert len(valid) == count


def test_every_invalid_example_is_refused(fixtures: Path) -> None:
    folder = fixtures / "cases/invalid-examples"
    files = sorted(folder.rglob("*.yaml"))
    refused = [
        path
        for path in files
        for _, value in objects(path)
        if any(
            fault.finding.severity == "error"
            for fault in told(value, crds(path.relative_to(folder).parts[0]))
        )
    ]
    assert [path for path in files if path not in refused] == []
    assert len(files) == INVALID


@each(*CHANNELS)
def test_every_official_example_is_taken(channel: str, fixtures: Path) -> None:
    files = sorted((fixtures / "gateway-api/examples" / channel).rglob("*.yaml"))
    found = [
        (path.name, fault.message)
        for path in files
        for _, value in objects(path)
        for fault in told(value, crds(channel))
    ]
    assert found == []
    assert len(files) > 5


KUADRANT_MISTAKES = {
    # `window: 1d`, which the pattern of durations does not have
    ("config/samples/kuadrant_v1alpha1_tokenratelimitpolicy.yaml", "spec.limits.free.rates[0]"),
    ("config/samples/kuadrant_v1alpha1_tokenratelimitpolicy.yaml", "spec.limits.gold.rates[0]"),
    ("examples/toystore/tokenratelimitpolicy_httproute.yaml", "spec.limits.free.rates[0]"),
    # `credentials` one level too high: it becomes an authentication rule
    ("examples/toystore/authpolicy.yaml", "spec.rules.authentication.credentials"),
}


def test_kuadrants_own_mistakes_are_found_and_nothing_else(fixtures: Path) -> None:
    folder = fixtures / "hubs/kuadrant-operator"
    known = crds("experimental")
    found = set()
    for path in sorted(folder.rglob("*.yaml")):
        if b"${" in path.read_bytes():  # to be filled in before it is applied
            continue
        for _, value in objects(path):
            for fault in told(value, known):
                if fault.finding.code != "SR2307":
                    place = fault.message.removeprefix('unknown field "').partition(":")[0]
                    where = place.rpartition(".")[0]
                    found.add((path.relative_to(folder).as_posix(), where))
    assert found == KUADRANT_MISTAKES


def test_all_distinct_rules_compile(fixtures: Path) -> None:
    rules = json.loads((fixtures / "extensions/cel/x-kubernetes-validations.json").read_text())
    for rule in rules:
        cel.compile_rule(rule)
    assert len(rules) == 127


REFERENCE_FOLDERS = rows_of(__file__, "reference_folders")


def test_every_evaluation_agrees_with_cel_go(fixtures: Path) -> None:
    """cel-go's run had 13,744 evaluations of 659 objects and names only those that are not true.

    Of these objects 543 are in tests/data; every evaluation of theirs that is not named is
    true, and all that are named are of theirs. (Which the other 116 are isn't told; none of
    their evaluations is named, so all of them are true.)
    """
    reference = json.loads((fixtures / "extensions/cel/reference-evaluations.json").read_text())
    expected = {(row["src"], row["path"], row["rule"]): row["out"] for row in reference["not_true"]}
    known = crds("experimental", "gateway-api@v1.6.3")
    evaluations, judged, found = 0, 0, {}
    for name, folder in REFERENCE_FOLDERS.items():
        for path in sorted((fixtures / folder).rglob("*.yaml")):
            source = f"{name}/{path.relative_to(fixtures / folder).as_posix()}"
            for index, value in objects(path):
                if (ref(value).group, ref(value).kind) not in WANTED:
                    continue
                schema = choose_schema(value["apiVersion"], ref(value), known, EVERYWHERE).schema
                if schema is None:
                    continue
                judged += 1
                whole = complete(schema.node, value, [])
                view = convert_for_cel(schema.node, whole)
                for place, rule, outcome in evaluated(schema.node, whole, view, ""):
                    evaluations += 1
                    if outcome != "true":
                        found[f"{source}#{index}", place, rule] = outcome
    assert found == expected
    assert (judged, evaluations) == (543, 10_836)


def evaluated(node: SchemaNode, value: Any, view: Any, path: str) -> Iterator[tuple[str, str, str]]:
    """Place, rule and outcome of every evaluation in an object, as the reference writes them."""
    if value is None:
        return
    for rule in node.rules:
        outcome = cel.compile_rule(rule.source).evaluate(cel.bind(view))
        words = "ERR" if isinstance(outcome, cel.Failure) else str(outcome).lower()
        yield path, rule.source, words
    if isinstance(value, dict):
        for key, item in value.items():
            child = node.properties.get(key, node.others)
            if child is not None and child.is_ruled:
                inner = view[key if child is node.others else cel.escaped(key)]
                yield from evaluated(child, item, inner, f"{path}.{key}")
    elif isinstance(value, list) and node.items is not None:
        for index, item in enumerate(value):
            yield from evaluated(node.items, item, view[index], f"{path}[{index}]")
