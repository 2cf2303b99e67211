"""Every rule of policy attachment: something that keeps it, and something that breaks it."""

import re
from collections.abc import Sequence
from typing import Any

from spokerender.findings.codes.table import HUNDREDS
from spokerender.judging.attachment.statuses import Attachment
from spokerender.rendering.marks import cleaned
from spokerender.wings.combined import all_engines
from tests.judging.attachment.policies import (
    CLASS,
    GATEWAY,
    GATEWAYS,
    ROUTE,
    SERVICE,
    attachments,
    policy,
    section,
    status,
    told,
)
from tests.judging.attachment.test_policy_crds import BROKEN as BROKEN_CRDS
from tests.support import each, manifest, rows_of, text_of
from tests.support.stages import gateway, values


def list_gateways(number: int) -> str:
    """Targets of so many Gateways."""
    return ", ".join(GATEWAY.replace("web", f"g{n}") for n in range(number))


AUTHORITY = "validation: {hostname: a.example, wellKnownCACertificates: System}"
LIMITED = text_of(__file__, "rules.yaml")
GATEWAYS_17 = "---\n".join(gateway(f"g{n}") for n in range(17))
CROSSING = GATEWAY.replace("}", ", namespace: edge}")
DNS_CRD = LIMITED.replace("example.com", "kuadrant.io").replace("CachePolicy", "DNSPolicy")
ISTIO_CRD = LIMITED.replace("example.com", "security.istio.io").replace(
    "CachePolicy", "AuthorizationPolicy"
)
GRANT = manifest(
    "ReferenceGrant edge/g",
    "from: [{group: example.com, kind: CachePolicy, namespace: infra}], "
    "to: [{group: gateway.networking.k8s.io, kind: Gateway}]",
)

Case = dict[str, Any]
TARGETS = {"GATEWAY": GATEWAY, "ROUTE": ROUTE, "SERVICE": SERVICE, "CLASS": CLASS}
WORDS = {
    "SEVENTEEN": list_gateways(17),
    "SIXTEEN": list_gateways(16),
    "CROSSING": CROSSING,
    "AUTHORITY": AUTHORITY,
}
BESIDE = {
    "API": gateway("api"),
    "DNS_CRD": DNS_CRD,
    "EDGE": gateway("web", "edge"),
    "GATEWAYS_17": GATEWAYS_17,
    "GRANT": GRANT,
    "ISTIO_CRD": ISTIO_CRD,
    "LABELLED": gateway("web", "edge", metadata="labels: {a: b}"),
    "LIMITED": LIMITED,
}
"""Documents that a case may name."""
STATUS = {"Accepted": "True", "Unverified": "Unknown"}
"""By reason; the others are False."""
ELSEWHERE = {"P2", "P7", "P8", "P13", "P18"}
"""The rules that other stages check, or that no file can break."""
KEPT: list[Case] = rows_of(__file__, "kept")
BROKEN: list[Case] = rows_of(__file__, "broken")


def spell(spec: str) -> str:
    """A spec with what its words stand for; `GATEWAY#https` is a section of a target."""
    for word, text in WORDS.items():
        spec = spec.replace(word, text)
    for word, target in TARGETS.items():
        spec = re.sub(rf"{word}#([\w-]+)", section(target, r"\1"), spec)
        spec = spec.replace(word, target)
    return spec


def judge(case: Case) -> dict[str, Attachment]:
    """The attachments of a case; what is beside its policy has a name, or is a policy as well."""
    documents = [GATEWAYS, policy(case["kind"], "p", spell(case["spec"]))]
    for text in case.get("beside", ()):
        kind, _, rest = text.partition(" ")
        name, _, spec = rest.partition(" ")
        documents.append(policy(kind, name, spell(spec)) if rest else BESIDE[text])
    return attachments(*documents)


def condition(case: Case) -> tuple[str, str]:
    reason = case["accepted"]
    return STATUS.get(reason, "False"), reason


def numbered(cases: Sequence[Case]) -> list[str]:
    """A rule has several cases."""
    return [f"{case['rule']}-{number}" for number, case in enumerate(cases)]


@each(*KEPT, ids=numbered(KEPT))
def test_kept(case: Case) -> None:
    found = judge(case)
    assert status(found["infra/p"]) == condition(case)
    assert [line for item in found.values() for line in told(item)] == []


@each(*BROKEN, ids=numbered(BROKEN))
def test_broken(case: Case) -> None:
    found, lines = judge(case)["infra/p"], case.get("told", [])
    assert status(found) == condition(case)
    assert told(found) == lines
    if lines and case["rule"] not in ELSEWHERE:
        assert {dict(fault.finding.tags)["rule"] for fault in found.faults} == {case["rule"]}
    assert all(fault.cure for fault in found.faults)


def test_marks_of_a_cluster_are_not_copied() -> None:
    """P18."""
    (data,) = values(
        """\
        metadata:
          name: a
          annotations: {example.com/WasmPluginAffected: "true", example.com/isAffected: "true"}
          labels: {gateway.networking.k8s.io/PolicyAffected: "true", app: a}
        """
    )
    assert cleaned(data, all_engines().marks) == {
        "metadata": {
            "name": "a",
            "annotations": {"example.com/isAffected": "true"},
            "labels": {"app": "a"},
        }
    }


def test_no_rule_is_without_a_case() -> None:
    every = {dict(kind.tags)["rule"] for kind in HUNDREDS["Attachment"]} | ELSEWHERE
    assert every == {f"C{n}" for n in range(1, 11)} | {f"P{n}" for n in range(1, 20)}
    assert {case["rule"] for case in BROKEN} == {case["rule"] for case in KEPT}
    assert {case["rule"] for case in BROKEN} | BROKEN_CRDS.keys() | {"P7", "P18"} == every


def test_every_code_says_its_rule_with_level_and_source() -> None:
    for kind in HUNDREDS["Attachment"]:
        assert dict(kind.tags).keys() == {"rule", "level", "source"}
        assert kind.code.startswith("SR21")
