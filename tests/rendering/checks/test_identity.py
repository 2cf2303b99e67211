"""Two objects with one identity on a spoke: one of them would be lost."""

from tests.support import cases, rows_of
from tests.support.stages import CLASS, auth, gateway, render, told

CODE = "SR1507"
RULES = """\
- {{gateways: {{names: [infra/web]}}, spokes: {{all: true}}, as: {first}}}
- {{gateways: {{names: [edge/web]}}, spokes: {{names: [eu]}}, as: {second}}}
"""


def found(first: str, second: str, *texts: str) -> list[str]:
    documents = [CLASS, gateway("web"), gateway("web", "edge"), *texts]
    return told(render(documents, RULES.format(first=first, second=second)).results, CODE)


POLICIES = (auth("p", "kind: Gateway, name: web"), auth("p", "kind: Gateway, name: web", "edge"))
OTHER = auth("q", "kind: Gateway, name: web", "edge")


@cases(
    ("{}", "{}", POLICIES),
    ("{namespace: gw}", "{}", POLICIES),
    ("{namespace: gw}", "{namespace: gw, name: other}", (POLICIES[0],)),
    ("{namespace: gw}", "{namespace: gw, name: other}", (POLICIES[0], OTHER)),
    ("{namespace: 'gw-{{ spoke.name }}'}", "{namespace: gw}", POLICIES),
)
def test_nothing_to_tell(first: str, second: str, texts: tuple[str, ...]) -> None:
    assert found(first, second, *texts) == []


CURE = "give them different names or namespaces on the hub, or place their gateways apart"


@cases(*rows_of(__file__, "policies_of_two_gateways_that_meet_are_an_error"))
def test_policies_of_two_gateways_that_meet_are_an_error(
    first: str, second: str, place: str
) -> None:
    assert found(first, second, *POLICIES) == [
        (
            f"SR1507 AuthPolicy infra/p metadata.name: two hub objects become AuthPolicy {place}/p "
            f"on the spoke ({CURE}) [eu]"
        )
    ]


def test_kinds_that_differ_in_case_only_would_be_one_file() -> None:
    unheard = (
        "apiVersion: example.com/v1\nkind: {kind}\nmetadata: {{name: p, namespace: infra}}\n"
        "spec: {{targetRef: {{group: gateway.networking.k8s.io, kind: Gateway, name: web}}}}\n"
    )
    kinds = ("UnHeard", "Unheard")
    entries = ", ".join(f"{{group: example.com, kind: {kind}}}" for kind in kinds)
    results = render(
        [gateway("web"), *(unheard.format(kind=kind) for kind in kinds)],
        settings=f"policiesToSync: [{entries}]",
    ).results
    assert told(results, CODE) == [
        (
            "SR1507 Unheard infra/p metadata.name: two hub objects become Unheard infra/p on the "
            f"spoke ({CURE}) [eu us]"
        )
    ]
