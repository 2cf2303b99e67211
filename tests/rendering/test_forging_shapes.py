"""What a spoke's value brings stays a value, in every place that an expression can be in.

Each text is tried as a value of one spoke, in a slot beside another spoke's. It is refused, or
it stands in what is written exactly as it is, in documents that are one object each.
"""

import json

from spokerender.findings.errors import InputError
from spokerender.formats import yamlio
from tests.support import each, end_to_end as e2e, manifest, rows_of
from tests.support.profiles import is_weekly
from tests.support.stages import hub

TEXTS = {
    "private use": "\ue000a",
    "the last characters": "\U0010fffe\U0010ffff",
    "a document": "x\n---\nkind: Secret\nmetadata: {name: x}\n",
    "a mapping": "a: b",
    "a flow mapping": "{a: b}",
    "a comment": "x # y",
    "quotes": "'\"",
    "an escape": "\\ud800\\udc00",
    "an anchor": "&a",
    "an alias": "*a",
    "a tag": "!!int 1",
    "a block": "|",
    "a merge key": "<<",
    "a number": "1e3",
    "a word": "yes",
    "nothing": "~",
    "a substitution": "${x}",
    "a template": "{{ spoke.name }}",
    "spaces": " x ",
    "long": "9" * 70,
}
AS = rows_of(__file__, "as")
TARGET = "target: {kind: AuthPolicy}, spokes: {all: true}"
OVERRIDES = {
    "a merge": f'[{{{TARGET}, merge: {{spec: {{rules: {{x: "%s"}}}}}}}}]',
    "a patch": f'[{{{TARGET}, patch: [{{op: add, path: /spec/rules/x, value: ["%s"]}}]}}]',
    "two overrides": f'[{{{TARGET}, merge: {{spec: {{rules: {{x: "%s"}}}}}}}}, '
    f"{{{TARGET}, patch: [{{op: copy, from: /spec/rules/x, path: /spec/rules/y}}]}}]",
}
EXPRESSIONS = ("{{ spoke.values.v }}", "p{{ spoke.values.v }}s", "{{ spoke.values.v ~ '' }}")

HUB = hub(
    manifest(
        "Gateway infra/web",
        "gatewayClassName: istio, listeners: [{name: web, port: 80, protocol: HTTP, "
        "hostname: '*.example.com'}]",
    ),
    manifest(
        "AuthPolicy infra/a",
        "targetRef: {group: gateway.networking.k8s.io, kind: Gateway, name: web}, "
        "rules: {authentication: {a: {anonymous: {}}}}",
    ),
)


def project(place: str, expression: str, values: tuple[str, str]) -> dict[str, str]:
    spokes = ", ".join(
        f"{{name: s{i}, values: {{v: {yamlio.scalar(value)}}}}}"
        for i, value in enumerate(values, 1)
    )
    as_ = AS[place] % expression if place in AS else "{}"
    rules = f"[{{gateways: {{names: [infra/web]}}, spokes: {{all: true}}, as: {as_}}}]"
    overrides = OVERRIDES[place] % expression if place in OVERRIDES else "[]"
    return {
        "fleet.yaml": e2e.fleet(("kuadrant.io", "AuthPolicy")),
        "hub/hub.yaml": HUB,
        "placement.yaml": e2e.placement(f"[{spokes}]", rules, overrides),
    }


@each(*AS, *OVERRIDES)
@each(*TEXTS)
def test_a_value_stays_a_value(text: str, place: str) -> None:
    """Each text is tried in each place by one of the expressions; weekly by all of them."""
    turn = [*AS, *OVERRIDES].index(place) + [*TEXTS].index(text)
    for expression in EXPRESSIONS if is_weekly() else (EXPRESSIONS[turn % len(EXPRESSIONS)],):
        values = (TEXTS[text], f"{TEXTS[text]}x")
        try:
            found = e2e.rendered(project(place, expression, values))
        except InputError:
            continue
        if e2e.errors(found.results):
            continue
        for spoke, value in zip(("s1", "s2"), values, strict=True):
            files = found.tree.files(spoke)
            assert {len(e2e.parsed(data)) for data in files.values()} == {1}
            objects = e2e.objects(found, spoke)
            assert objects == e2e.model(found, spoke)
            wanted = expression.replace("{{ spoke.values.v }}", value)
            wanted = wanted.replace("{{ spoke.values.v ~ '' }}", value)
            assert json.dumps(wanted) in json.dumps(list(objects.values()))


@each("an annotation", "a merge", "a patch", "two overrides")
def test_most_texts_are_rendered(place: str) -> None:
    """So that the test above tries something."""
    files = project(place, EXPRESSIONS[0], ("a: b", "&a"))
    assert e2e.errors(e2e.rendered(files).results) == []
