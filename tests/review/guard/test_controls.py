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
from tests.support import cases, cyaml, each, rows_of
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


@cases(*rows_of(__file__, "what_checks_less_is_told"))
def test_what_checks_less_is_told(before: str, after: str, severity: str, words: str) -> None:
    """Two specs, how severe the change is, and what is told of it."""
    ((found, message, line),) = compared(before, after)
    assert (found, words in message) == (severity, True), message
    assert line == (4 if after else 3)
    assert compared(before, before) == compared(after, after) == []


@cases(*rows_of(__file__, "what_checks_as_much_or_more_is_silent"))
def test_what_checks_as_much_or_more_is_silent(before: str, after: str) -> None:
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


@cases(*rows_of(__file__, "a_published_resource_that_changes_what_is_immutable"))
def test_a_published_resource_that_changes_what_is_immutable(
    before: str, after: str, expected: list[list[str]]
) -> None:
    """Upstream's agent handles no such change (its documentation, PublishedResources)."""
    text = (
        "apiVersion: syncagent.kcp.io/v1alpha1\nkind: PublishedResource\nmetadata: {name: logins}\n"
        "spec: {resource: {apiGroup: kuadrant.io, kind: AuthPolicy}, MORE}\n"
    )
    hubs = [render([CLASS, GATEWAY, text.replace("MORE", more)]).hub for more in (before, after)]
    sides = [{it.ref: it.object for it in each.manifests} for each in hubs]
    results = [*compare_immutable(hubs[1], *sides)]
    assert [[it.field, it.message.partition(": it is")[0]] for it in results] == expected
    assert {str(it.resource) for it in results} <= {"PublishedResource logins"}
