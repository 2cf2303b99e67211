"""The rows' target kinds and excluding fields against the CEL of the implementations' CRDs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from spokerender.kinds.catalogue import Catalogue
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Process, Several
from spokerender.kinds.table import all_rows
from spokerender.model import GATEWAY_API
from tests.support import rows_of

TABLE = tuple(all_rows().values())

Row = dict[str, Any]
CATALOGUE = Catalogue.of([])
# Rules that speak of kinds under a condition, or of kinds that are selected by their pods' labels.
CONDITIONAL = re.compile(
    r"[Cc]annot mix|must be the same|If Kind|Only one|when|combination|can only target (a )?Gateway"
)
KNOWN = sorted({name for row in TABLE for name in row.targets}, key=len, reverse=True)


@pytest.fixture(scope="module")
def rows(fixtures: Path) -> list[Row]:
    loaded: list[Row] = json.loads((fixtures / "policy-kinds.json").read_text(encoding="utf-8"))
    return loaded


def kinds_in(texts: list[str]) -> set[str]:
    """The kinds that a CRD's messages allow as targets."""
    found: set[str] = set()
    for text in texts:
        rest = text.replace(GATEWAY_API, "")
        about = re.search(r"[Kk]ind|must reference|can only target|may only reference", rest)
        if about and not CONDITIONAL.search(rest):
            words = re.findall(r"\b[A-Za-z]+\b", rest.replace("xRoute", ""))
            found |= {word for word in words if word in KNOWN}
    return found


def test_targets_are_those_of_the_crds(rows: list[Row]) -> None:
    checked = []
    for row in rows:
        texts = [text for ref in row["refs"] for text in ref["cel"]] + row["specCEL"]
        allowed = kinds_in(texts)
        if allowed:
            checked.append(row["kind"])
            assert set(CATALOGUE.kind(row["group"], row["kind"]).targets) == allowed, row["kind"]
    assert sorted(set(checked)) == rows_of(__file__, "targets_are_those_of_the_crds")


def test_fields_that_exclude_each_other_are_those_of_the_crds(rows: list[Row]) -> None:
    says = {
        "only one of targetRefs or selector can be set": "selector",
        "only one of targetRefs or workloadSelector can be set": "workloadSelector",
        "either targetRef or targetRefs must be used": "targetRef",
        "exactly one of the fields in [targetRefs targetSelectors] must be set": "targetSelectors",
    }
    excluding = {
        (row["group"], row["kind"]): says[text]
        for row in rows
        for text in row["specCEL"]
        if text in says
    }
    for identity, field in excluding.items():
        (fields,) = CATALOGUE.kind(*identity).alternatives
        assert {"targetRefs", field} <= set(fields)
    assert excluding.keys() == {(row.group, row.kind) for row in TABLE if row.alternatives}


def test_whatever_excludes_another_field_is_one_that_names_targets() -> None:
    for row in TABLE:
        naming = {rule.path.split(".")[1].removesuffix("[]") for rule in row.references}
        assert {field for fields in row.alternatives for field in fields} <= naming


def merges(group: str, kind: str) -> tuple[Process, Several]:
    row = CATALOGUE.kind(group, kind)
    return row.merged.process, row.merged.several


def test_how_the_vendors_policies_come_together() -> None:
    envoy, istio, aws = (
        "gateway.envoyproxy.io",
        "security.istio.io",
        "application-networking.k8s.aws",
    )
    assert merges(envoy, "SecurityPolicy") == (Process.NONE, Several.ONE)
    assert merges(envoy, "EnvoyPatchPolicy") == (Process.ALL, Several.PROCESS)
    assert merges(istio, "AuthorizationPolicy") == (Process.ALL, Several.PROCESS)
    assert merges(aws, "IAMAuthPolicy") == (Process.ALL, Several.ONE)
    assert merges(GATEWAY_API, "BackendTLSPolicy") == (Process.ALONE, Several.ONE)
    assert merges("apisix.apache.org", "Consumer") == (Process.ALL, Several.PROCESS)
    assert merges("gateway.nginx.org", "ObservabilityPolicy") == (Process.FIELDS, Several.DISJOINT)
    assert merges("gateway.kgateway.dev", "TrafficPolicy") == (Process.FIELDS, Several.PROCESS)
    assert merges("example.com", "CachePolicy") == (Process.UNKNOWN, Several.PROCESS)


def test_every_kind_with_targets_is_known_or_said_not_to_be() -> None:
    """Each with where that is known from, or why it is not."""
    told = {
        (row.group, row.kind): row.merging.source if row.merging is not None else ""
        for row in TABLE
        if row.is_policy
    }
    assert [identity for identity, source in told.items() if not source] == []
    assert len(told) >= 66


def test_which_vendors_need_no_target() -> None:
    def vendor(kind: Kind) -> str:
        return kind.group.partition(".")[2]

    assert {vendor(kind) for kind in TABLE if kind.targetless} == {
        "apache.org",
        "io",  # traefik.io
        "istio.io",
        "k8s.aws",
        "kgateway.dev",
        "konghq.com",
        "nginx.org",
        "solo.io",
    }
