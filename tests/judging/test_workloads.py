"""Rules of Istio's policies that are for a request, by what the API says of an operation."""

from typing import Any

import yaml

from spokerender.explain.requests import read_request
from spokerender.judging.workloads import is_operation, list_operations, narrow_policy
from tests.judging.advice.spokes import CART, GATEWAY, view
from tests.support import manifest, rows_of
from tests.support.cases import cases

TARGET = "targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: web}]"
ASKED = "POST http://shop.example/pay/all?x=1"


@cases(*rows_of(__file__, "an_operation_is_a_requests"))
def test_an_operation_is_a_requests(fields: str, expected: bool | None) -> None:
    operation = {"operation": yaml.safe_load(f"{{{fields}}}")}
    assert is_operation(operation, read_request(ASKED)) is expected


@cases(("shop.example", False), ("shop.example:*", True))
def test_an_unusual_port_is_in_the_host(host: str, expected: bool) -> None:
    operation = {"operation": {"hosts": [host]}}
    assert is_operation(operation, read_request("http://shop.example:8080/")) is expected


PAY, OTHER = "{operation: {paths: [/pay*]}}", "{operation: {paths: [/o]}}"


@cases(*rows_of(__file__, "the_rules_of_a_policy_for_a_request"))
def test_the_rules_of_a_policy_for_a_request(rules: str, expected: Any) -> None:
    spec = f"{TARGET}, action: DENY, rules: {rules}"
    policy = manifest("AuthorizationPolicy infra/p", spec, api="security.istio.io/v1")
    (item,) = view(GATEWAY, CART, policy).effective
    narrowed = narrow_policy(item, read_request(ASKED), lambda value: value)
    values = {rule.key: rule.value for rule in narrowed.likely.rules}
    assert values == {"action": "DENY", "rules": expected}
    assert len(list_operations([item])) == rules.count("operation")
