"""Annotations that engines obey: no tree is parted by one, unseen, from what is on its spoke."""

import subprocess
from pathlib import Path

import pytest

from spokerender.findings.results import Severity
from tests.support import cases, each, rows_of
from tests.support.stages import CLASS, GATEWAY, auth, gateway, render, told

ARGO, FLUX = "argocd.argoproj.io", "kustomize.toolkit.fluxcd.io"
INTERNAL = "internal.config.kubernetes.io"
LOCAL = "config.kubernetes.io/local-config"

REFUSED = [
    f"{INTERNAL}/needsHashSuffix: enabled",
    f"{INTERNAL}/previousNames: other",
    f"{INTERNAL}/what-nobody-knows: x",
    f"{ARGO}/hook: PreSync",
    f"{ARGO}/hook: Skip",
    "helm.sh/hook: post-install",
    "helm.sh/hook: 'crd-install,pre-install'",
    f"{FLUX}/reconcile: disabled",
    f"{FLUX}/reconcile: Disabled",
    f"{FLUX}/ssa: Ignore",
    f"{FLUX}/ssa: IfNotPresent",
]
TOLD = rows_of(__file__, "told")
HARMLESS = [
    f"{LOCAL}: 'false'",
    "config.kubernetes.io/depends-on: x",
    f"{ARGO}/sync-wave: '5'",
    f"{ARGO}/sync-options: ServerSideApply=true",
    f"{ARGO}/compare-options: ServerSideDiff=true",
    f"{FLUX}/reconcile: enabled",
    f"{FLUX}/substitute: disabled",
    "helm.sh/hook: crd-install",
    f"example.com/{FLUX}: disabled",
]
CODES = ("SR1514", "SR1515")
POLICY = "kind: Gateway, name: web"


def of_hub(mark: str, field: str = "annotations") -> list[str]:
    policy = auth("p", POLICY, metadata=f"{field}: {{{mark}}}")
    return told(render([CLASS, GATEWAY, policy]).results, *CODES)


def of_override(mark: str, field: str = "annotations") -> list[str]:
    override = (
        "- target: {kind: AuthPolicy, name: p}\n  spokes: {names: [eu]}\n"
        f"  merge: {{metadata: {{{field}: {{{mark}}}}}}}\n"
    )
    found = render([CLASS, GATEWAY, auth("p", POLICY)], overrides=override)
    return told(found.results, *CODES)


def of_rule(mark: str, field: str = "annotations") -> list[str]:
    rule = "- gateways: {names: [infra/web]}\n  spokes: {all: true}\n"
    rule += f"  as: {{{field}: {{{mark}}}}}\n"
    return told(render([CLASS, GATEWAY], rule).results, *CODES)


def codes(found: list[str]) -> list[str]:
    return [line.split()[0] for line in found]


@each(*REFUSED)
def test_what_keeps_an_object_off_its_spoke_is_refused(mark: str) -> None:
    assert codes(of_hub(mark)) == codes(of_override(mark)) == codes(of_rule(mark)) == ["SR1514"]


@each(*TOLD)
def test_what_else_is_done_to_an_object_is_told(mark: str) -> None:
    assert codes(of_hub(mark)) == codes(of_override(mark)) == codes(of_rule(mark)) == ["SR1515"]


@each(*HARMLESS)
def test_what_is_not_obeyed_is_nobodys_business(mark: str) -> None:
    assert of_hub(mark) == of_override(mark) == of_rule(mark) == []


@each("'true'", "'yes'", "'False'", "''")
def test_what_kustomize_would_leave_out(value: str) -> None:
    policy = auth("p", POLICY, metadata=f"annotations: {{{LOCAL}: {value}}}")
    found = render([CLASS, GATEWAY, policy])
    assert all(
        not path.startswith("infra/authpolicy")
        for spoke in found.tree.folders
        for path in found.tree.paths(spoke)
    )
    assert [each.severity for each in found.results if each.code == "SR1501"] == [Severity.INFO] * 3
    assert codes(of_override(f"{LOCAL}: {value}")) == ["SR1514"]
    assert codes(of_rule(f"{LOCAL}: {value}")) == ["SR1514"]


def test_flux_reads_labels_as_well() -> None:
    assert codes(of_hub(f"{FLUX}/reconcile: disabled", "labels")) == ["SR1514"]
    assert codes(of_override(f"{FLUX}/prune: disabled", "labels")) == ["SR1515"]
    assert of_hub(f"{ARGO}/hook: PreSync", "labels") == []


def test_the_override_that_sets_it_is_named_on_its_spoke() -> None:
    assert of_override(f"{FLUX}/reconcile: disabled") == [
        (
            "SR1514 AuthPolicy infra/p spec.overrides[0]: metadata.annotations[kustomize.toolkit."
            "fluxcd.io/reconcile]: Flux neither applies nor prunes the object (take it out, or the "
            "object out of the hub) [eu]"
        )
    ]


def test_a_spokes_own_value_decides() -> None:
    spokes = "- {name: eu, values: {mode: disabled}}\n- {name: us, values: {mode: enabled}}\n"
    mark = f"{FLUX}/reconcile: '{{{{ spoke.values.mode }}}}'"
    override = (
        "- target: {kind: AuthPolicy, name: p}\n  spokes: {all: true}\n"
        f"  merge: {{metadata: {{annotations: {{{mark}}}}}}}"
    )
    found = render([CLASS, GATEWAY, auth("p", POLICY)], spokes=spokes, overrides=override)
    assert [(each.code, each.spokes) for each in found.results if each.code in CODES] == [
        ("SR1514", ("eu",))
    ]


def test_what_an_override_takes_out_again_is_not_told() -> None:
    policy = auth("p", POLICY, metadata=f"annotations: {{{ARGO}/hook: PreSync}}")
    override = (
        "- target: {kind: AuthPolicy, name: p}\n  spokes: {all: true}\n"
        f"  merge: {{metadata: {{annotations: {{{ARGO}/hook: null}}}}}}"
    )
    assert told(render([CLASS, gateway("web"), policy], overrides=override).results, *CODES) == []


@cases(("create", ["SR1514"]), ("require", []))
def test_of_a_namespace_it_is_refused_where_it_is_rendered(
    namespaces: str, expected: list[str]
) -> None:
    text = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: infra\n  annotations:\n"
    text += f"    {LOCAL}: 'yes'\n    {FLUX}/prune: disabled\n"
    found = render([CLASS, GATEWAY, text], settings=f"namespaces: {namespaces}")
    assert codes(told(found.results, *CODES)) == expected


@pytest.mark.kubectl
@cases(*rows_of(__file__, "kustomize_does_so"))
def test_kustomize_does_so(mark: str, is_there: bool, kubectl: str, tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text("resources: [p.yaml]\n")
    (tmp_path / "p.yaml").write_text(auth("p", POLICY, metadata=f"annotations: {{{mark}}}"))
    made = subprocess.run([kubectl, "kustomize", tmp_path], capture_output=True, check=True)
    assert (b"\n  name: p\n" in made.stdout) is is_there
