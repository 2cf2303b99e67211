"""Contentions that end otherwise on a spoke than on the hub."""

from typing import Any

from spokerender.judging.attachment.contentions import find_flips
from spokerender.model import Ref
from tests.judging.attachment.policies import GATEWAY, GATEWAYS, SECURITY, attachments, policy
from tests.support import each

GROUP, KIND = "gateway.envoyproxy.io", "SecurityPolicy"


def hub_and_spoke(
    hub: dict[str, str], ages: dict[str, int] | None = None, kind: str = SECURITY
) -> list[str]:
    """Flips of policies on one gateway; `hub` has each hub name with its name on the spoke."""

    def on(name: str, says: str) -> str:
        field = f"targetRef: {GATEWAY}" if "kuadrant" in kind else f"targetRefs: [{GATEWAY}]"
        return policy(kind, name, f"{{{field}, says: {says}}}")

    before: dict[str, Any] = attachments(
        GATEWAYS, *(on(name, name) for name in hub), ages=ages or {}
    )
    now = attachments(GATEWAYS, *(on(name, source) for source, name in hub.items()))
    group, _, short = kind.split("/")
    hub_of = {
        Ref(group, short, "infra", name): Ref(group, short, "infra", source)
        for source, name in hub.items()
    }
    found = find_flips(before.values(), now.values(), hub_of)
    assert all(flip.fault.finding.code == "SR2115" and flip.fault.cure for flip in found)
    return [f"{flip.policy.name}: {flip.fault.message}" for flip in found]


@each({"a": "a", "b": "b"}, {"a": "c", "b": "d"}, {"a": "b"}, {"a": "a", "b": "c", "c": "b"})
def test_nothing_flips(hub: dict[str, str]) -> None:
    assert hub_and_spoke(hub) == []


def test_a_rename_may_flip_the_winner() -> None:
    assert hub_and_spoke({"a": "z", "b": "b"}) == [
        (
            "b: on the hub SecurityPolicy infra/a holds, if ages are equal, on Gateway infra/web; "
            "on the spoke SecurityPolicy infra/b holds, if ages are equal, on Gateway infra/web "
            "(SecurityPolicy infra/a is SecurityPolicy infra/z)"
        )
    ]


def test_all_are_new_on_a_spoke() -> None:
    assert hub_and_spoke({"a": "a", "b": "b"}, {"infra/a": 2, "infra/b": 1}) == [
        (
            "a: on the hub SecurityPolicy infra/b holds on Gateway infra/web; on the spoke "
            "SecurityPolicy infra/a holds, if ages are equal, on Gateway infra/web"
        )
    ]


def test_what_the_hub_does_not_know_did_not_flip() -> None:
    two = [policy(SECURITY, name, f"{{targetRefs: [{GATEWAY}], says: {name}}}") for name in "abc"]
    before, now = attachments(GATEWAYS, *two[1:]), attachments(GATEWAYS, *two)
    hub_of = {Ref(GROUP, KIND, "infra", name): Ref(GROUP, KIND, "infra", name) for name in "bc"}
    assert find_flips(before.values(), now.values(), hub_of) == ()


def test_where_no_tie_is_broken_there_is_no_winner() -> None:
    assert hub_and_spoke({"a": "z", "b": "b"}, kind="kuadrant.io/v1/DNSPolicy") == []


def test_it_does_not_matter_where_they_say_the_same() -> None:
    same = [policy(SECURITY, name, f"{{targetRefs: [{GATEWAY}]}}") for name in ("a", "b", "z")]
    before, now = attachments(GATEWAYS, *same[:2]), attachments(GATEWAYS, *same[1:])
    hub_of = {
        Ref(GROUP, KIND, "infra", name): Ref(GROUP, KIND, "infra", source)
        for name, source in (("b", "b"), ("z", "a"))
    }
    assert find_flips(before.values(), now.values(), hub_of) == ()


def test_policies_that_met_only_on_the_spoke_do_not_flip() -> None:
    two = [policy(SECURITY, name, f"{{targetRefs: [{GATEWAY}], says: {name}}}") for name in "ab"]
    before = {**attachments(GATEWAYS, two[0]), **attachments(GATEWAYS, two[1])}
    hub_of = {Ref(GROUP, KIND, "infra", name): Ref(GROUP, KIND, "infra", name) for name in "ab"}
    assert find_flips(before.values(), attachments(GATEWAYS, *two).values(), hub_of) == ()
