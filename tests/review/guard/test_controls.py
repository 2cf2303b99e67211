"""Whoever loosens the judge is judged: what decides about findings is compared as well."""

from spokerender.findings.results import Severity
from spokerender.kinds.crds import CRD_KIND
from spokerender.model import Origin, Ref
from spokerender.model.refs import DataByRef
from spokerender.review.guard.controls import (
    compare_checks,
    compare_controls,
    compare_crds,
    compare_immutable,
)
from spokerender.wings.combined import read_fleet
from tests.support import cases, cyaml, each
from tests.support.crds import crd
from tests.support.stages import CLASS, GATEWAY, render

FLEET = "apiVersion: spokerender.io/v1alpha1\nkind: Fleet\nspec:\n"


def compared(before: str, after: str) -> list[tuple[Severity, str, int | None]]:
    """Each change of two specs: how severe it is, its message, and its line."""
    texts = (f"{FLEET}  {text or '{}'}\n".encode() for text in (before, after))
    old, new = (read_fleet(("fleet.yaml", text)) for text in texts)
    found = [*compare_controls(old.settings, new.settings, new.at)]
    assert all(result.code == "SR1912" for result in found)
    return [(it.severity, it.message, it.origin.line if it.origin else None) for it in found]


CASES = """
assertions: [{name: a, that: A, message: m}] | | warning | a: that: A: nobody checks it any more
assertions: [{name: a, that: A, message: m}] | assertions: [] | warning | a: that: A: nobody
assertions: [{name: a, that: A, message: m}] | assertions: [{name: a, that: A, message: m, when: 'false'}] | warning | nothing -> when: false: it may
assertions: [{name: a, that: A, message: m}] | assertions: [{name: a, that: A, message: m, severity: info}] | warning | -> severity: info
assertions: [{name: a, that: A, message: m}] | assertions: [{name: a, that: B, message: m}] | warning | a: that: A -> that: B: it may
 | suppressions: [{code: SR2502, kind: P, reason: x}] | warning | suppressions: code: SR2502, kind: P: such a finding is an info
 | suppressions: [{code: SR1502, namespace: shop, reason: x}] | warning | namespace: shop
 | suppressions: [{code: SR2502, resource: P/a/b, reason: x}] | info | resource: P/a/b
 | external: [{kind: HTTPRoute, namespace: '*', name: '*'}] | warning | kind: HTTPRoute, namespace: *, name: *: such objects count
external: [{kind: HTTPRoute, namespace: a, name: 'b?'}] | external: [{kind: HTTPRoute, namespace: a, name: 'b*'}] | warning | name: b*
external: [{kind: Gateway, namespace: a, name: '*'}] | external: [{kind: Gateway, namespace: a, name: 'b*', listeners: [c]}] | warning | listeners: ["c"]
external: [{group: b, kind: A, namespace: a, name: '*'}] | external: [{kind: A, namespace: a, name: 'b*'}] | warning | name: b*
external: [{kind: HTTPRoute, namespace: a, name: b}] | external: [{kind: HTTPRoute, namespace: a, name: 'b*'}] | warning | name: b*
 | external: [{kind: HTTPRoute, namespace: a, name: b}] | info | name: b
completeKinds: [Secret] | | warning | completeKinds: Secret: a reference to a missing one
 | completeKinds: [Secret] | info | Secret: an object that no file has counts as missing
 | completeKinds: ['*'] | warning | *: an object that no file has
 | policyKinds: [{group: kuadrant.io, kind: AuthPolicy, process: all}] | warning | AuthPolicy.kuadrant.io: process: all: its policies are judged by this, whatever
 | policyKinds: [{group: a.example, kind: AuthPolicy, process: all}] | info | AuthPolicy.a.example
policyKinds: [{group: a.example, kind: P, security: true}] | policyKinds: [{group: a.example, kind: P}] | warning | P.a.example: security: true -> nothing
policyKinds: [{group: a.example, kind: P, security: true}] | | warning | as if nothing had been declared
 | controllers: [{name: a/b, settings: {c: d}}] | info | controllers: a/b: settings.c: d
controllers: [{name: a/b, settings: {c: d}}] | | warning | controllers: a/b
controllers: [{name: a/b, settings: {c: d}}] | controllers: [{name: a/b, settings: {c: e}}] | warning | settings.c: d -> settings.c: e
requires: '>=0.1,<0.2' | | warning | requires: >=0.1,<0.2 -> nothing: other versions may build
requires: '>=0.1,<0.2' | requires: '>=0.1' | warning | -> >=0.1: other versions
assertions: [{name: a, that: A && B, message: m}] | assertions: [{name: a, that: A, message: m}] | warning | a: that: A && B -> that: A: it may
crds: [gateway-api@v1.4.1/standard, a/] | crds: [a/] | warning | gateway-api@v1.4.1/standard: it validates no object any more
"""  # noqa: E501
"""Two specs, how severe the change is, and what is told of it."""


@each(*CASES.strip().splitlines())
def test_what_checks_less_is_told(case: str) -> None:
    before, after, severity, words = (part.strip() for part in case.split("|"))
    ((found, message, line),) = compared(before, after)
    assert (found, words in message) == (severity, True), message
    assert line == (4 if after else 3)
    assert compared(before, before) == compared(after, after) == []


SILENT = """
 | assertions: [{name: a, that: A, message: m}]
assertions: [{name: a, that: A, message: m}] | assertions: [{name: a, that: A, message: b, cure: c}]
assertions: [{name: a, that: A, message: m}] | assertions: [{name: b, that: A, message: m}]
 | requires: '>=0.1'
suppressions: [{code: SR2502, kind: A, reason: x}] |
suppressions: [{code: SR2502, kind: A, reason: x}] | suppressions: [{code: SR2502, kind: A, reason: b}]
external: [{kind: A, namespace: '*', name: '*'}] |
external: [{kind: A, namespace: a, name: b}, {kind: A, namespace: c, name: d}] | external: [{kind: A, namespace: c, name: d}, {kind: A, namespace: a, name: b}]
 | crds: [crds/]
output: clusters/ | output: trees/
"""  # noqa: E501


@each(*SILENT.strip("\n").splitlines())
def test_what_checks_as_much_or_more_is_silent(case: str) -> None:
    before, after = (part.strip() for part in case.split("|"))
    assert compared(before, after) == []


FIELDS = {
    "process": ("none", "all"),
    "rules": ("[a.*]", "[b.*]"),
    "security": ("true", "false"),
    "targets": ("[Gateway]", "[Service]"),
    "targetPaths": ("[spec.a]", "[spec.b]"),
}


@each("kuadrant.io", "a.example")
def test_each_declared_field_of_a_kind_is_told_by_itself(group: str) -> None:
    """Of a kind that the table has, too, and whether the field comes, goes or differs."""

    def declared(side: int | None) -> str:
        fields = {name: it[side] for name, it in FIELDS.items()} if side is not None else {}
        own = {"group": group, "kind": "AuthPolicy", **fields}
        return f"policyKinds: [{{{', '.join(f'{k}: {v}' for k, v in own.items())}}}]"

    for was, now in ((0, 1), (1, 0), (None, 1), (0, None)):
        found = compared(declared(was), declared(now))
        assert {severity for severity, _, _ in found} == {"warning"}
        for (name, values), (_, message, _) in zip(FIELDS.items(), found, strict=True):
            sides = message.split(": its policies")[0].partition(f"AuthPolicy.{group}: ")[2]
            for side, text in zip((was, now), sides.split(" -> "), strict=True):
                words = "nothing" if side is None else values[side].strip("[]")
                assert text.removesuffix('"]').endswith(words), message
                assert side is None or text.startswith(name), message


CHECK = "{when: 'spec.x > 5', message: too many%s}"
CHECKS: tuple[tuple[str, str, list[str]], ...] = (
    ("", CHECK % "", []),
    (CHECK % "", "", ["when: spec.x > 5"]),
    (CHECK % "", (CHECK % "").replace("5", "9"), ["-> when: spec.x > 9: it may report"]),
    (CHECK % "", (CHECK % "").replace("5", "5 || spec.y"), ["it may report"]),
    ((CHECK % "").replace("5", "5 && spec.y"), f"{CHECK % ''}, {CHECK % 'x'}", ["spec.x > 5"]),
    (CHECK % "", (CHECK % "").replace("5", "5 && spec.y"), ["it may report"]),
    (CHECK % ", severity: warning", CHECK % ", severity: error", ["-> severity: error"]),
    (
        f"{CHECK % ''}, {CHECK % 'x, forEach: {a: b}'}",
        (CHECK % "").replace("5", "9"),
        ["-> when", "nothing reports"],
    ),
    (CHECK % ", severity: error", CHECK % ", severity: info", ["severity: error"]),
    (CHECK % "", CHECK % " of them, cure: fewer, field: spec.x", []),
    (f"{CHECK % ''}, {CHECK % 'x, forEach: {a: b}'}", CHECK % "", ["forEach.a: b"]),
)


@cases(*CHECKS)
def test_a_check_of_a_definition_that_goes(before: str, after: str, words: list[str]) -> None:
    ref = Ref("spokerender.io", "MetapolicyDefinition", "", "limits")
    old, new = (
        {ref: {"spec": {"declarative": cyaml.safe_load(f"checks: [{it}]")}}}
        for it in (before, after)
    )

    def found(now: DataByRef) -> list[str]:
        return [it.message for it in compare_checks(old, now, lambda *_: Origin("fleet.yaml"))]

    assert all(word in text for word, text in zip(words, found(new), strict=True))
    assert len(found({})) == before.count("when")
    assert [*compare_checks(new, new, lambda *_: Origin("fleet.yaml"))] == []


def test_a_crd_that_takes_more_or_goes() -> None:
    ref = Ref("apiextensions.k8s.io", CRD_KIND, "", "authpolicies.kuadrant.io")
    strict, lax = (
        {ref: cyaml.safe_load(crd(f"type: object\nproperties: {{a: {keyword}}}\n"))}
        for keyword in ("{type: object, required: [a]}", "{type: object}")
    )

    def found(old: DataByRef, new: DataByRef) -> list[str]:
        return [it.message for it in compare_crds(old, new, lambda *_: Origin("fleet.yaml"))]

    assert found(strict, lax) == ["it takes more than before in spec.a (required)"]
    assert found(strict, {}) == ["it is gone, and validates no object any more"]
    assert found(lax, strict) == found({}, lax) == []
    open_spec = "x-kubernetes-preserve-unknown-fields: true\n"
    for kind, count in (("AuthPolicy", 1), ("Own", 0)):
        new = {ref: cyaml.safe_load(crd(open_spec).replace("AuthPolicy", kind))}
        words = "it takes anything in spec (preserve-unknown-fields)"
        assert found({}, new) == [words] * count


@cases(
    ("projection: {kind: Login}", "projection: {kind: Door}",
     [("spec.projection", "kind: Login -> kind: Door")]),
    ("", "projection: {kind: Login}", [("spec.projection", "nothing -> kind: Login")]),
    ("naming: {name: a}", "naming: {name: b}", []),
)  # fmt: skip
def test_a_published_resource_that_changes_what_is_immutable(
    before: str, after: str, expected: list[tuple[str, str]]
) -> None:
    """Upstream's agent handles no such change (its documentation, PublishedResources)."""
    text = (
        "apiVersion: syncagent.kcp.io/v1alpha1\nkind: PublishedResource\nmetadata: {name: logins}\n"
        "spec: {resource: {apiGroup: kuadrant.io, kind: AuthPolicy}, MORE}\n"
    )
    hubs = [render([CLASS, GATEWAY, text.replace("MORE", more)]).hub for more in (before, after)]
    sides = [{it.ref: it.object for it in each.manifests} for each in hubs]
    results = [*compare_immutable(hubs[1], *sides)]
    assert [(it.field, it.message.partition(": it is")[0]) for it in results] == expected
    assert {str(it.resource) for it in results} <= {"PublishedResource logins"}
