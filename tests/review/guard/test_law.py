"""The law of slots for the guard: what a spoke loses is what it would lose if compared alone."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

import pytest
from hypothesis import assume, given, strategies as st

from spokerender.findings.results import ERROR
from spokerender.formats import yamlio
from spokerender.judging.fleet.blueprints import BlueprintJudge
from spokerender.model.plan import planned
from spokerender.rendering.tree import SpokeFolders
from spokerender.rendering.values.rendered import Rendered
from spokerender.rendering.values.trees import Tree
from spokerender.review.guard.claims import Removal
from spokerender.review.guard.removals import find_losses, make_context
from spokerender.review.meaning.consequences import compare_states
from spokerender.review.values import LossName
from tests.judging.fleet.exact import exactly
from tests.property.laws import law
from tests.rendering.bundles.documents import HUB, LENIENT
from tests.review import domains
from tests.review.meaning.scenes import state
from tests.support import cases, each, end_to_end as e2e, named_rows_of, rows_of, stages, traps

EDITS = [*map(tuple, rows_of(__file__, "edits"))]


def compared(
    old: Rendered, new: Rendered, tree: Tree
) -> Mapping[str, tuple[list[Removal], set[tuple[str, LossName]]]]:
    """What each spoke loses from the old fleet to a tree of the new one."""

    def before(folder: str, paths: Collection[str] | None) -> Mapping[str, bytes]:
        files = old.tree.files(folder)
        return files if paths is None else {path: files[path] for path in paths}

    folders = sorted({*old.bundles, *new.bundles})
    plans = (
        planned(
            folder,
            old.tree.files(folder) if folder in old.bundles else {},
            new.tree.files(folder) if folder in new.bundles else {},
        )
        for folder in folders
    )
    changed = [plan for plan in plans if plan.changes]
    found = find_losses(before, tree, changed, make_context(new, ()))
    return {
        name: (
            [removal for removal in found.removals if removal.spoke == name],
            {
                (item.result.code, loss)
                for item in found.consequences
                for loss in item.losses
                if loss.spoke == name
            },
        )
        for name in folders
    }


def alone(new: Rendered) -> SpokeFolders:
    """The tree of the fleet when every spoke is made without slots."""
    return SpokeFolders(exactly(new).bundles, one_file=False, namespaces=None)


Pair = tuple[Rendered, Rendered]


@st.composite
def changes(draw: st.DrawFn) -> Pair:
    """A fleet before and after some of its hub, spokes, placement and overrides have changed."""
    documents = draw(st.sampled_from([HUB, LENIENT])).split("---\n")
    parts = (traps.spokes, traps.rules, traps.overrides)
    old = [draw(part) for part in parts]
    new = [
        each if draw(st.booleans()) else draw(part) for each, part in zip(old, parts, strict=True)
    ]
    dropped = draw(st.sets(st.integers(2, 12), max_size=2))
    left = "---\n".join(text for number, text in enumerate(documents) if number not in dropped)
    for edit in draw(st.lists(st.sampled_from(EDITS), max_size=3, unique=True)):
        left = left.replace(*edit)
    project: Callable[..., Rendered] = traps.project
    return project("---\n".join(documents), *old), project(left, *new)


@pytest.mark.property
@law
@given(changes())
def test_what_is_lost_with_slots_is_lost_without(pair: Pair) -> None:
    """Each example compares two fleets, spoke by spoke: 6 CPU seconds."""
    old, new = pair
    assume(not e2e.errors(old.results) and not e2e.errors(new.results))
    assert compared(old, new, new.tree) == compared(old, new, alone(new))


@pytest.mark.property
@law
@given(domains.projects(), domains.projects())
def test_what_is_lost_with_values_of_before_is_lost_without(
    before: domains.Project, after: domains.Project
) -> None:
    old, new = state(*before).rendered, state(*after).rendered
    assert compared(old, new, new.tree) == compared(old, new, alone(new))


@pytest.mark.property
@law
@given(domains.projects(), domains.projects())
def test_what_is_refused_is_an_error_of_the_review(
    before: domains.Project, after: domains.Project
) -> None:
    """The guard reads the files of before, the review renders them."""
    old, new = state(*before), state(*after)
    told = {
        (item.result.code, name)
        for item in compare_states(old, new).consequences
        if item.severity is ERROR
        for name in item.losses
    }
    refused = compared(old.rendered, new.rendered, new.rendered.tree).values()
    assert {name for _, names in refused for name in names} <= told


SPOKES = "".join(f"- {{name: s{n}, values: {{domain: s{n}.example}}}}\n" for n in range(20))
MAPPED = """\
- gateways: {names: [infra/web]}
  spokes: {all: true}
  as: {hostnames: {"*.shop.example": "*.{{ spoke.values.domain }}"}}
"""


USERS = "rules: {authentication: {users: {jwt: {issuerUrl: https://id.example}}}}"
OWN_ISSUERS = "".join(
    f"- target: {{kind: AuthPolicy, name: users}}\n  spokes: {{names: [s{n}]}}\n"
    f"  merge: {{spec: {{{USERS.replace('id', f'id{n}')}}}}}\n"
    for n in range(0, 20, 2)
)


@each(("", 2), (OWN_ISSUERS, 22), ids=["as the hub", "with overrides"])
@cases(*named_rows_of(__file__, "spokes_that_change_alike_are_compared_once"))
def test_spokes_that_change_alike_are_compared_once(
    edit: tuple[str, str], lost: int, own: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has a hostname of its own in the gateway, but not where it changes."""
    overrides, judged = own
    gateway = stages.GATEWAY.replace(
        "metadata: {name: web, namespace: infra}", "metadata:\n  name: web\n  namespace: infra"
    )
    gateway += "  - {name: plain, port: 81, protocol: HTTP}\n"
    auth = stages.auth("web", "kind: Gateway, name: web", spec="rules: {authentication: {a: {}}}")
    route = stages.route("r")
    users = stages.auth("users", "kind: HTTPRoute, name: r", "shop", spec=USERS)
    documents = stages.hub(stages.CLASS, gateway, route, auth, users)
    old, new = (
        stages.render(text, MAPPED, spokes=SPOKES, overrides=overrides)
        for text in (documents, documents.replace(*edit))
    )
    assert stages.told(new.results) == []
    counts = {"parsed": 0, "judged": 0}

    def counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*args: Any, **options: Any) -> Any:
            counts[name] += 1
            return function(*args, **options)

        return called

    old.tree.files("s0")
    new.tree.files("s0")  # compares its splice with what it parses
    monkeypatch.setattr(yamlio, "read", counted("parsed", yamlio.read))
    monkeypatch.setattr(BlueprintJudge, "judge", counted("judged", BlueprintJudge.judge))
    found = compared(old, new, new.tree)
    assert len([name for name, (_, names) in found.items() if names]) == lost
    assert counts == {"parsed": 1, "judged": judged}


def test_policies_of_a_spoke_with_other_values_of_its_own_are_not_taken_for_another_ones() -> None:
    """A value that the hub has as well, by chance, is no value of its own in the blueprint."""
    spokes = (
        "- {name: s0, values: {domain: s0.example, issuer: https://s0.example}}\n"
        "- {name: s1, values: {domain: s1.example, issuer: https://id.example}}\n"
    )
    issuer = USERS.replace("https://id.example", '"{{ spoke.values.issuer }}"')
    overrides = (
        "- target: {kind: AuthPolicy, name: users}\n  spokes: {all: true}\n"
        f"  merge: {{spec: {{{issuer}}}}}\n"
    )
    route = stages.route("r", spec="hostnames: [a.shop.example]")
    users = stages.auth("users", "kind: HTTPRoute, name: r", "shop", spec=USERS)
    documents = stages.hub(stages.CLASS, stages.GATEWAY, route, users)
    old, new = (
        stages.render(text, MAPPED, spokes=spokes, overrides=overrides)
        for text in (documents, documents.replace("a.shop.example", "a.other.example"))
    )
    assert compared(old, new, new.tree) == compared(old, new, alone(new))


def test_losses_stand_in_the_order_of_their_names_on_each_spoke() -> None:
    values = "- {name: s0, values: {ns: edge}}\n- {name: s1, values: {ns: zone}}\n"
    rules = """\
- gateways: {names: [infra/web]}
  spokes: {all: true}
  as: {namespace: "{{ spoke.values.ns }}"}
"""
    places = [stages.CLASS, stages.GATEWAY, stages.route("a")]
    asks = "rules: {authentication: {a: {}}}"
    policies = [
        stages.auth("all", "kind: Gateway, name: web", spec=asks),
        stages.auth("one", "kind: HTTPRoute, name: a", "shop", spec=asks),
    ]
    old = stages.render(stages.hub(*places, *policies), rules, spokes=values)
    new = stages.render(stages.hub(*places), rules, spokes=values)
    lost = compared(old, new, new.tree)
    gone = ([it.ref.full_name for one in lost[name][0] for it in one.lost] for name in ("s0", "s1"))
    assert [*gone] == [
        ["edge/all", "shop/one"],
        ["shop/one", "zone/all"],
    ]
