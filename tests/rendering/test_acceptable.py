"""What overrides and rules make of an object is what an API server takes, without any CRD."""

from tests.support import cases, each
from tests.support.overriding import HUB, SPOKES, override
from tests.support.stages import CLASS, GATEWAY, gateway, render, told

SECOND = "{name: b, port: 80, protocol: HTTP"
RULE = "(correct the listeners, or the spoke's labels and values that they use)"
STRING = (
    "(make it a string: end the expression in `| string`, as in "
    '"{{ spoke.values.NAME | string }}", or put quotes around the value)'
)
OVERRIDE = "(correct the override, or the spoke's labels and values that it uses)"
IN_RULE = "SR1407 Gateway infra/web spec.rules[0].as.listeners: "


def ruled(listeners: str, text: str = GATEWAY) -> list[str]:
    rule = "gateways: {names: [infra/web]}, spokes: {all: true}"
    return told(render([CLASS, text], f"- {{{rule}, as: {{listeners: {listeners}}}}}\n").results)


@cases(
    ("[{name: b, protocol: HTTP}]", 'listener "b" has no port'),
    ("[{name: b, port: 81}]", 'listener "b" has no protocol'),
    ("[{name: http, port: null}]", 'listener "http" has no port'),
    ("[{name: b, port: '81', protocol: HTTP}]",
     'listener "b": port must be a whole number from 1 to 65535, but is the text "81"'),
    ("[{name: b, port: 65536, protocol: HTTP}]",
     'listener "b": port must be a whole number from 1 to 65535, but is the number 65536'),
    ("[{name: B, port: 81, protocol: HTTP}]",
     'listener "B": name must be a DNS name, but is the text "B"'),
    (f'[{SECOND}, hostname: "*.shop.example"}}]',
     'listeners "http" and "b" have one port, protocol and hostname'),
    (f"[{SECOND}, hostname: Shop.example}}]",
     'listener "b": hostname: "Shop.example" is not a DNS name (a-z, 0-9, "-", ".")'),
    (f"[{SECOND}, hostname: 5}}]", 'listener "b": hostname: must be a string, but is the number 5'),
)  # fmt: skip
def test_a_rules_listeners_are_complete_and_distinct(listeners: str, expected: str) -> None:
    cure = STRING if "a string, but is the number" in expected else RULE
    assert ruled(listeners) == [f"{IN_RULE}{expected} {cure} [eu us]"]


@each(
    f"[{SECOND}}}]",  # the hub's has a hostname
    f'[{SECOND}, hostname: "{{{{ spoke.values.domain }}}}"}}]',
    "[{name: http, port: 81}]",
    '[{name: b, port: 80, protocol: HTTPS, hostname: "*.shop.example"}]',
)
def test_listeners_that_are_right(listeners: str) -> None:
    assert ruled(listeners) == []


def test_the_hubs_own_mistakes_are_not_the_rules() -> None:
    text = gateway("web", listeners="[{name: a}, {name: B, port: 80, protocol: HTTP}]")
    assert ruled("[{name: c, port: 81, protocol: HTTP}]", text) == []


def test_it_is_told_of_the_spoke_whose_value_is_wrong() -> None:
    """Also where a slot stands for the value at first."""
    spokes = "- {name: eu, values: {d: eu.example}}\n- {name: us, values: {d: US_example}}\n"
    rule = (
        "- {gateways: {names: [infra/web]}, spokes: {all: true}, as: {listeners: "
        f"[{SECOND}, hostname: '{{{{ spoke.values.d }}}}'}}]}}}}\n"
    )
    assert told(render([CLASS, GATEWAY], rule, spokes=spokes).results) == [
        (
            f'{IN_RULE}listener "b": hostname: "US_example" is not a DNS name (a-z, 0-9, "-", ".") '
            f"{RULE} [us]"
        )
    ]


WEB = "{kind: Gateway, name: web}"
CART = "{kind: HTTPRoute, name: cart}"


@cases(
    (CART, "merge: {metadata: {labels: {a: 5}}}",
     "metadata.labels: a must be a string, but is the number 5"),
    (CART, 'merge: {metadata: {annotations: {a: "{{ 5 }}"}}}',
     "metadata.annotations: a must be a string, but is the number 5"),
    (CART, "merge: {metadata: {ownerReferences: [{kind: ConfigMap, name: gone, uid: a}]}}",
     "metadata.ownerReferences is the cluster's own, and no object is applied with it"),
    (CART, "patch: [{op: add, path: /metadata/resourceVersion, value: '5'}]",
     "metadata.resourceVersion is the cluster's own, and no object is applied with it"),
    (CART, "merge: {apiVersion: gateway.networking.k8s.io/V1}",
     'apiVersion: "V1" is not a version (such as v1)'),
    (CART, "merge: {items: []}", "with items at its top, kubectl takes it for a list of objects"),
    (CART, "merge: {metadata: {labels: [a]}}", "metadata.labels must be a mapping, but is a list"),
    (CART, "patch: [{op: add, path: /metadata/labels, value: {a b: c}}]",
     'metadata.labels: "a b" is not a key of labels or annotations'),
    (CART, "merge: {metadata: {labels: {a: b c}}}",
     'metadata.labels: a: "b c" is not a label value'),
    (CART, "patch: [{op: add, path: /spec/hostnames/-, value: A.shop.example}]",
     'spec.hostnames: "A.shop.example" is not a DNS name (a-z, 0-9, "-", ".")'),
    (
        WEB,
        (
            f"patch: [{{op: add, path: /spec/listeners/-, value: {SECOND}, "
            'hostname: "*.shop.example"}}]'
        ),
        'listeners "http" and "b" have one port, protocol and hostname',
    ),
    (WEB,
     ("patch: [{op: add, path: /spec/listeners/-, value: "
      "{name: http, port: 81, protocol: HTTP}}]"), 'two listeners are named "http"'),
    (WEB, "patch: [{op: remove, path: /spec/listeners/0/port}]", 'listener "http" has no port'),
    (WEB, "merge: {spec: {listeners: {}}}", "spec.listeners must be a list, but is a mapping"),
)  # fmt: skip
def test_an_override_makes_no_object_that_is_refused(
    target: str, patch: str, expected: str
) -> None:
    found = render(HUB, spokes=SPOKES, overrides=override(target, patch, spokes="{names: [eu]}"))
    (result,) = (result for result in found.results if result.code == "SR1604")
    assert (result.message, f"({result.cure})") == (
        expected,
        STRING if "a string, but is the number" in expected else OVERRIDE,
    )
    assert (result.field, result.spokes) == (f"spec.overrides[0].{patch[:5]}", ("eu",))
    assert str(result.origin).startswith("placement.yaml:")


def test_only_the_override_that_made_it_is_told() -> None:
    """Not the next one on the same object."""
    entries = override(CART, "merge: {metadata: {labels: {a: 5}}}") + override(
        CART, "merge: {metadata: {labels: {b: c}, annotations: {Example.com/a: c}}}"
    )
    found = render(HUB, spokes=SPOKES, overrides=entries)
    assert [result.field for result in found.results if result.code == "SR1604"] == [
        "spec.overrides[0].merge"
    ]
