"""Listeners that a certificate can be made for; upstream's own cases are acceptance tests."""

from typing import Any

from spokerender.judging.advice.certificates import list_secrets, list_tls_problems, set_defaults
from tests.support import each

NO_REFS = "spec.listeners[2].tls.certificateRef: Required value: listener has no certificateRefs"


def terminating(*references: dict[str, Any]) -> dict[str, Any]:
    return {
        "hostname": "a.example",
        "tls": {"mode": "Terminate", "certificateRefs": list(references)},
    }


@each(None, {}, "x", ["x"])
def test_what_is_no_list_of_references(entries: Any) -> None:
    listener = {"hostname": "a.example", "tls": {"mode": "Terminate", "certificateRefs": entries}}
    assert list(list_tls_problems(listener, 2, "infra")) == [NO_REFS]


def test_every_problem_of_every_reference_is_told() -> None:
    path = "spec.listeners[0].tls.certificateRef[1]"
    crossing = "cross-namespace secret references are not allowed in listeners"
    listener = terminating({}, {"group": "g", "kind": "k", "namespace": ""})
    assert list(list_tls_problems(listener, 0, "a")) == [
        f'{path}.group: Unsupported value: "g": supported values: "core", ""',
        f'{path}.kind: Unsupported value: "k": supported values: "Secret", ""',
        f'{path}.namespace: Invalid value: "": {crossing}',
    ]


def test_what_the_api_server_sets() -> None:
    assert set_defaults({"tls": {"x": 1}}) == {"tls": {"mode": "Terminate", "x": 1}}
    assert set_defaults({"tls": {"mode": "Passthrough"}}) == {"tls": {"mode": "Passthrough"}}
    assert set_defaults({"tls": None}) == {"tls": None}


def test_secrets() -> None:
    references = (
        {"name": "a"},
        {"name": "b", "namespace": "other", "group": "", "kind": "Secret"},
        {"name": "c", "kind": "ConfigMap"},
        {"name": "d", "group": "example.com"},
    )
    found = list(list_secrets(terminating(*references), "infra"))
    assert found == [("infra", "a"), ("other", "b")]
    assert list(list_secrets({"hostname": "x"}, "infra")) == []
