"""Nothing that a project says is taken for a slot, or for a mark around one."""

from typing import Any

from spokerender.findings.results import Severity
from spokerender.model.slots import number_slot
from spokerender.rendering.values.rendered import Rendered
from tests.property.texts import inline
from tests.support import each, end_to_end as e2e, rows_of

HUB = (
    e2e.WEB
    + """\
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: shop, namespace: infra}
spec:
  parentRefs: [{name: web}]
  hostnames: [HOSTNAME]
"""
)
LISTED = (("gateway.networking.k8s.io", "HTTPRoute"),)
INJECTED = "\\n---\\napiVersion: v1\\nkind: Secret\\nmetadata: {name: x}\\n"
CHARACTERS = ("\U00100000", "\U00100001", "\U00104e20", "\U0010fffd", "\U0010fffe", "\U0010ffff")
"""What once stood for a value, or around one."""
FORGED = (
    *CHARACTERS,
    f"\U0010fffe{INJECTED}\U0010ffff",
    f"\U0010ffff{INJECTED}\U0010fffe",
    "\U0010fffd\U00100000\U0010ffff",
)
ESCAPES = tuple(
    "".join(f"\\U{ord(each):08x}" if ord(each) > 0xFFFF else each for each in text)
    for text in FORGED
)
"""The same inside of quotes in an expression, in which a line end is an escape as well."""


def project(
    as_: Any, *overrides: Any, hostname: str = "a.example", values: Any = None, **fleet: str
) -> Rendered:
    own = values or {}
    spokes = [{"name": name, "values": {"own": f"{name}.example", **own}} for name in ("s1", "s2")]
    rule = {"gateways": {"names": ["infra/web"]}, "spokes": {"all": True}, "as": as_}
    made = [
        {
            "target": {"kind": "HTTPRoute"},
            "spokes": {"all": True},
            "patch" if isinstance(patch, list) else "merge": patch,
        }
        for patch in overrides
    ]
    return e2e.rendered(
        {
            "hub/all.yaml": HUB.replace("HOSTNAME", hostname),
            "fleet.yaml": e2e.fleet(*LISTED, **fleet),
            "placement.yaml": e2e.placement(inline(spokes), inline([rule]), inline(made)),
        }
    )


def assert_true(found: Rendered) -> None:
    """Each file has the one object that it was made from, and no spoke has another's values."""
    assert e2e.errors(found.results) == []
    for spoke, other in (("s1", "s2"), ("s2", "s1")):
        assert e2e.objects(found, spoke) == e2e.model(found, spoke)
        assert len(e2e.objects(found, spoke)) == 2
        assert all(other.encode() not in data for data in found.tree.files(spoke).values())


@each(*ESCAPES, ids=ascii)
@each("annotations", "listeners", "override", "key")
def test_an_expression_that_gives_what_slots_were_once(place: str, text: str) -> None:
    expression, held = f'{{{{ "{text}" }}}}', "{{ spoke.values.own }}"
    as_: dict[str, Any] = {"annotations": {"held": held}}
    overrides = [{"spec": {"held": held, "and": held}}]
    if place == "annotations":
        as_["annotations"]["odd"] = expression
    elif place == "listeners":
        as_["listeners"] = [{"name": "http", "odd": expression}]
    elif place == "override":
        overrides.append({"spec": {"odd": expression, "mixed": f"{held}{expression}"}})
    else:
        overrides.append({"spec": {"odd": f'{{{{ {{"{text}": spoke.values.own}} }}}}'}})
    assert_true(project(as_, *overrides))


@each(*CHARACTERS, f"\U0010fffe{INJECTED}\U0010ffff", ids=ascii)
@each("hub", "rule", "override", "value", "unused value")
def test_a_text_of_what_slots_were_once(place: str, text: str) -> None:
    texts = dict.fromkeys(("hub", "rule", "override", "value"), "plain") | {place: text}
    found = project(
        {"annotations": {"rule": texts["rule"], "held": "{{ spoke.values.own }}"}},
        {"spec": {"a": texts["override"], "b": "{{ spoke.values.used }}"}},
        {"spec": {"c": "{{ spoke.values.own }}"}},
        hostname=f'"{texts["hub"]}"' if place == "hub" else "a.example",
        values={"used": texts["value"], "unused": texts.get("unused value", "")},
    )
    assert_true(found)
    spec = e2e.objects(found)["HTTPRoute infra/shop"]["spec"]
    assert (spec["a"], spec["b"]) == (texts["override"], texts["value"])


def test_a_value_that_nobody_uses_changes_no_byte() -> None:
    """With characters of slots in it, its spoke was written without them, and otherwise."""
    trees = [
        e2e.tree(
            project(
                {"name": "gw-{{ spoke.name }}"},
                {"spec": {"x": "{{ spoke.values.lines }}"}},
                values={"unused": unused, "lines": "two\nlines\n"},
            )
        )
        for unused in ("plain", "\U00100000", "\U0010fffe")
    ]
    assert trees[0] == trees[1] == trees[2]


HALVES = ("\\ud800", "\\udbff", "\\udc00", "\\ud800\\ud802\\ud801", "\\udc00x\\udc02")


@each(*HALVES)
@each(*rows_of(__file__, "what_slots_are_made_of_is_refused"))
def test_what_slots_are_made_of_is_refused(expression: str, text: str) -> None:
    odd, held = expression.format(text), "{{ spoke.values.own }}"
    found = project(
        {"annotations": {"held": held, "odd": odd}}, {"spec": {"held": held, "odd": odd}}
    )
    told = [result for result in found.results if result.severity is Severity.ERROR]
    assert {result.code for result in told} <= {"SR1406", "SR1407"}
    assert len(told) >= 2
    for result in told:
        assert f"{result.message}{result.cure}".encode()
        assert "example" not in result.message


def test_an_escape_in_a_file_is_refused() -> None:
    for text in ('"\\ud800"', '"\\U0000d800"'):
        found = project({}, hostname=text)
        assert [result.code for result in e2e.errors(found.results)][:1] == ["SR1001"]


@each(int(number_slot(0)), int(number_slot(1)), 2**64, -(2**64), ids=str)
def test_no_number_is_a_slot(number: int) -> None:
    found = project(
        {"annotations": {"held": "{{ spoke.values.own }}"}},
        {"spec": {"held": "{{ spoke.values.count }}"}},
        {"spec": {"both": "{{ spoke.values.count }}"}},
        hostname=f"a.example]\n  number: {number} #",
        values={"count": 7},
    )
    assert_true(found)
    spec = e2e.objects(found)["HTTPRoute infra/shop"]["spec"]
    assert (spec["held"], spec["both"], float(spec["number"])) == (7, 7, float(number))


@each(*FORGED, ids=ascii)
def test_a_delivery_setting_of_what_slots_were_once(text: str) -> None:
    url = inline({"argocd": {"repoURL": f"https://example.com/{text}"}})
    found = project({"name": "gw-{{ spoke.name }}"}, delivery=url)
    data = found.tree.files("_fleet")["argocd/applicationset.yaml"]
    assert [document["kind"] for document in e2e.parsed(data)] == ["ApplicationSet"]


def test_values_by_the_ten_thousands() -> None:
    """The rule's slots met those of overrides at 20,000: a gateway got another's text as a name."""
    count = 20_001
    found = project(
        {"annotations": {f"a{n}": f"{{{{ spoke.name }}}}-{n}" for n in range(count)}},
        {"spec": {"first": "{{ spoke.values.own }}", "second": "{{ spoke.name }}-override"}},
    )
    assert e2e.errors(found.results) == []
    for spoke in ("s1", "s2"):
        made = e2e.objects(found, spoke)
        annotations = made["Gateway infra/web"]["metadata"]["annotations"]
        assert annotations == {f"a{n}": f"{spoke}-{n}" for n in range(count)}
        spec = made["HTTPRoute infra/shop"]["spec"]
        assert (spec["first"], spec["second"]) == (f"{spoke}.example", f"{spoke}-override")


@each(8080, "{{ spoke.values.port }}")
def test_a_port_is_what_a_reference_names_however_it_is_written(port: Any) -> None:
    found = project(
        {"annotations": {"held": "{{ spoke.values.own }}"}},
        [{"op": "add", "path": "/spec/parentRefs/0/port", "value": port}],
        values={"port": 8080},
    )
    assert ("SR1603", ("s1", "s2")) in {
        (result.code, result.spokes) for result in e2e.errors(found.results)
    }
