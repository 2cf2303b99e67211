"""What is told of policies' CRDs, made up and real."""

from typing import Any

from spokerender.findings.results import Severity
from spokerender.judging.attachment.attach import check_definition
from spokerender.judging.attachment.crd_rules import PolicyDefinition
from tests.judging.attachment.policies import line
from tests.support import cases, each, rows_of, text_of
from tests.support.carried import carried
from tests.support.stages import values

GOOD = text_of(__file__, "policy_crds.yaml")
LABEL = "labels: {gateway.networking.k8s.io/policy: Direct}"
SPEC = "          spec:\n            properties:\n"
BOTH = "              defaults: {type: object}\n              overrides: {type: object}\n"
SINGLE = "              targetRef: {properties: {group: {}, kind: {}, name: {}}}\n"
INHERITED = LABEL.replace("Direct", "inherited")

KEPT = {
    "C1": [("", ""), (LABEL, LABEL.replace("Direct", "direct")), (LABEL, INHERITED)],
    "C6": [
        (
            SPEC,
            (
                "          spec:\n            x-kubernetes-validations: "
                "[{rule: '!(has(self.targetRef) && has(self.targetRefs))'}]\n"
                f"            properties:\n{SINGLE}"
            ),
        )
    ],
    "C7": [
        ("sectionName: {}", "namespace: {x-kubernetes-validations: [{rule: self.size() == 0}]}")
    ],
    "C8": [("kind: {}", "kind: {enum: [Gateway]}")],
}

BROKEN = rows_of(__file__, "broken")


def crd(before: str, after: str, extra: str = "") -> Any:
    text = GOOD.replace(SPEC, SPEC + extra) if extra else GOOD
    assert before in text
    (data,) = values(text.replace(before, after, 1))
    return data


@cases(*(pair for pairs in KEPT.values() for pair in pairs))
def test_kept(before: str, after: str) -> None:
    assert check_definition(crd(before, after)) == ()


@cases(*((rule, change, message) for rule, cases in BROKEN.items() for change, message in cases))
def test_broken(rule: str, change: tuple[str, str], message: str) -> None:
    faults = check_definition(crd(*change, BOTH if rule == "C9" else ""))
    mine = [fault for fault in faults if dict(fault.finding.tags)["rule"] == rule]
    assert [line(fault) for fault in mine] == [message]
    assert all(fault.finding.severity is Severity.INFO and fault.cure for fault in faults)


OLD = """\
  - name: v1alpha1
    served: false
    schema: {openAPIV3Schema: {properties: {spec: {properties: {targetRefs: {items: {}}}}}}}
"""


def test_versions_that_are_not_served_are_left_alone() -> None:
    (data,) = values(GOOD + OLD)
    assert check_definition(data) == ()
    (data,) = values(GOOD + OLD.replace("false", "true"))
    assert {each.finding.code for each in check_definition(data)} == {"SR2122", "SR2125", "SR2130"}


def test_the_room_of_a_status_is_what_every_served_version_has() -> None:
    less = "{openAPIV3Schema: {properties: {status: {properties: {ancestors: {maxItems: 8}}}}}}"
    for served, room in (("true", 8), ("false", 16)):
        (data,) = values(GOOD + f"  - {{name: v2, served: {served}, schema: {less}}}\n")
        assert PolicyDefinition.read(data).ancestors == room
    (data,) = values(GOOD.replace("ancestors", "parents"))
    assert PolicyDefinition.read(data) == PolicyDefinition("direct", None)


@each(*rows_of(__file__, "nothing_is_said_of_what_is_no_policy"))
def test_nothing_is_said_of_what_is_no_policy(text: str) -> None:
    (data,) = values(text)
    assert check_definition(data) == ()


@each(*rows_of(__file__, "odd_data_raises_nothing"))
def test_odd_data_raises_nothing(text: str) -> None:
    (data,) = values(text)
    assert check_definition(data)


# Read off the CRDs by eye (gateway-api v1.6.1 and kuadrant-operator v1.5).
REAL = rows_of(__file__, "real")


def test_real_crds() -> None:
    found = {
        crd["spec"]["names"]["kind"]: sorted(
            {dict(fault.finding.tags)["rule"] for fault in check_definition(crd)}
        )
        for crd in carried("gateway-api@v1.6.1", "kuadrant@1.5.2")
    }
    assert {kind: rules for kind, rules in found.items() if kind in REAL} == REAL
    assert {kind for kind, rules in found.items() if rules} <= REAL.keys()
