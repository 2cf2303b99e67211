"""Two hub gateways that became one on a spoke."""

from tests.support import cases, each
from tests.support.stages import CLASS, auth, gateway, render, told

CODE = "SR1511"
ONE = "as: {name: one, namespace: gw}"
EXISTING = (
    "mode: existing, as: {name: one, namespace: gw, listeners: [{name: http}, {name: other}]}"
)
ON_WEB = auth("w", "kind: Gateway, name: web")
ON_API = auth("a", "kind: Gateway, name: api")


def found(web: str, api: str, *texts: str) -> list[str]:
    rules = (
        f"- {{gateways: {{names: [infra/web]}}, spokes: {{all: true}}, {web}}}\n"
        f"- {{gateways: {{names: [infra/api]}}, spokes: {{names: [eu]}}, {api}}}\n"
    )
    results = render([CLASS, gateway("web"), gateway("api"), *texts], rules).results
    assert all(result.origin is not None for result in results if result.code == CODE)
    return told(results, CODE)


@cases(
    ("as: {}", "as: {}", (ON_WEB, ON_API)),
    ("as: {namespace: gw}", "as: {namespace: gw}", (ON_WEB, ON_API)),
    ("as: {name: one}", "as: {name: one, namespace: gw}", (ON_WEB, ON_API)),
    # A gateway of the spoke's own may carry the policies of two, if they do not contend.
    (EXISTING, EXISTING, ()),
    (EXISTING, EXISTING, (ON_WEB,)),
    (EXISTING, EXISTING, (ON_WEB, auth("a", "kind: Gateway, name: api", kind="DNSPolicy"))),
    (EXISTING, EXISTING, (ON_WEB, auth("a", "kind: Gateway, name: api, sectionName: http"))),
    (EXISTING, EXISTING,
     (auth("w", "kind: Gateway, name: web, sectionName: other"),
      auth("a", "kind: Gateway, name: api, sectionName: http"))),
    # Two policies on one hub gateway contended there already.
    (EXISTING, EXISTING, (ON_WEB, auth("w2", "kind: Gateway, name: web"))),
)  # fmt: skip
def test_nothing_to_tell(web: str, api: str, texts: tuple[str, ...]) -> None:
    assert found(web, api, *texts) == []


@cases((ONE, ONE), (ONE, EXISTING), (EXISTING, ONE))
def test_a_gateway_that_is_rendered_can_be_only_one_of_two(web: str, api: str) -> None:
    assert found(web, api)[0].partition(": ")[2] == (
        "Gateway infra/api and Gateway infra/web become Gateway gw/one (give one of them "
        "another name or namespace in its rule's `as`) [eu]"
    )


def test_it_also_holds_for_names_that_expressions_give() -> None:
    as_ = "as: {name: '{{ spoke.values.domain }}', namespace: gw}"
    same = "as: {name: '{{ spoke.name }}.example', namespace: gw}"
    assert [line.partition(": ")[2] for line in found(as_, same)] == [
        (
            "Gateway infra/api and Gateway infra/web become Gateway gw/eu.example (give one of "
            "them another name or namespace in its rule's `as`) [eu]"
        )
    ]


@each("", ", sectionName: http")
def test_policies_that_would_contend_on_an_existing_gateway_are_an_error(section: str) -> None:
    documents = (
        auth("w", f"kind: Gateway, name: web{section}"),
        auth("a", f"kind: Gateway, name: api{section}"),
    )
    assert found(EXISTING, EXISTING, *documents) == [
        (
            "SR1511 AuthPolicy infra/w: has the same target on the spoke as AuthPolicy gw/a: two "
            "hub gateways became Gateway gw/one (let one of the two policies target a section, or "
            "place the gateways apart) [eu]"
        )
    ]


LISTENER = "{name: http, port: 80}"


@cases(
    (f"{LISTENER}, {{name: api, port: 81}}", []), ("{name: http, port: 81}", ['listener "http"'])
)
def test_what_two_rules_say_of_one_existing_gateway_is_the_same(
    listeners: str, what: list[str]
) -> None:
    existing = "mode: existing, as: {name: one, namespace: gw, listeners: [%s]}"
    lines = found(existing % LISTENER, existing % listeners)
    assert lines == [
        (
            "SR1511 Gateway infra/web: Gateway infra/api and Gateway infra/web become Gateway "
            f"gw/one, and their rules declare its {each} differently (declare it equally in "
            "both rules' `as`, or place the gateways apart) [eu]"
        )
        for each in what
    ]
