"""The law of fields: whatever a policy may have, by its CRD, no change of it goes without a word.

For each kind of policy whose CRD the package carries, fields are drawn from the schema, and a
policy gets one, loses it, or has another value. Where other rules are in force on some path then,
a consequence names the policy or its path, or it counts as stricter, unless the value is the one
that an absent field counts as. A field of a policy that attaches is in some rule.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import cache
from random import Random
from typing import Any

import pytest

from spokerender.formats import yamlio
from spokerender.judging.effective.scales import leads_to, list_scales
from spokerender.judging.validation.defaults import fill_defaults
from spokerender.kinds.fields import read_value
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Process
from spokerender.kinds.table import find_row
from spokerender.review.comparison.states import FleetState, find_states
from spokerender.review.values import PolicyState, Review
from tests.review.meaning import scenes
from tests.support import each
from tests.support.carried import ENVOY_GATEWAY, ISTIO, KUADRANT, LATEST, carried

Json = dict[str, Any]
Path = tuple[str | int, ...]
Spec = Mapping[str, Any]
HOW_MANY = pytest.mark.parametrize(
    "fields", [4, pytest.param(80, marks=pytest.mark.weekly)], ids=["some", "many"]
)
"""The number of fields that are drawn for each kind."""
DEEPEST = 6
TARGETS = ("targetRef", "targetRefs", "targetSelectors", "selector", "workloadSelector")
MERGING = ("strategy", "mergeType", "priority")
"""Fields that say how a policy is merged with others: here is none."""
UNREAD = {("XBackendTrafficPolicy", "sessionPersistence")}
"""Fields that the controller does not read (`counts` of its row)."""
HELD = (PolicyState.IN_FORCE, PolicyState.PARTLY)


@cache
def schemas() -> Mapping[str, tuple[Kind, str, Json]]:
    """The kinds of policy with their rows, the stored versions and the schemas of `spec`."""
    made: dict[str, tuple[Kind, str, Json]] = {}
    for crd in carried(LATEST, KUADRANT, ENVOY_GATEWAY, ISTIO):
        group, kind = crd["spec"]["group"], crd["spec"]["names"]["kind"]
        row = find_row(group, kind)
        (version,) = [item for item in crd["spec"]["versions"] if item["storage"]]
        spec = version["schema"]["openAPIV3Schema"].get("properties", {}).get("spec")
        # A PeerAuthentication is for its namespace, which has one.
        if row and row.is_policy and row.merged.is_known and spec and kind != "PeerAuthentication":
            made[f"{kind}.{group}"] = row, f"{group}/{version['name']}", spec
    return made


def smallest(schema: Json) -> Any:
    """The smallest value with all that a schema requires."""
    if "enum" in schema:
        return schema["enum"][0]
    fields = schema.get("properties", {})
    if schema.get("type") == "array":
        return [smallest(schema["items"])]
    simple = {
        "boolean": True,
        "integer": max(2, int(schema.get("minimum", 2))),
        "number": 2,
        "string": "10s" if "h|m|s|ms" in schema.get("pattern", "") else "one",
    }
    if schema.get("type") in simple or schema.get("x-kubernetes-int-or-string"):
        return simple.get(schema.get("type", ""), 2)
    required = {key: smallest(fields[key]) for key in schema.get("required", ()) if key in fields}
    return required or {key: smallest(fields[key]) for key in list(fields)[:1]} or {"one": "two"}


def other(schema: Json, value: Any) -> Any:
    """Another value in place of one; None where the schema has none."""
    if "enum" in schema:
        return next((item for item in schema["enum"] if item != value), None)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return {"10s": "20s", "one": "two"}.get(value) if isinstance(value, str) else None


def places(schema: Json, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    """The fields of a schema, one entry for each list and mapping."""
    if len(path) > DEEPEST:
        return
    below = schema.get("additionalProperties")
    fields = {**schema.get("properties", {}), **({"own": below} if below else {})}
    for key, inside in fields.items():
        if key not in (*TARGETS, *MERGING):
            yield (*path, key), inside
            yield from places(inside, (*path, key))
    if schema.get("type") == "array":
        yield from places(schema["items"], (*path, 0))


def defaults(kind: str) -> list[tuple[Path, Any]]:
    """The fields of a kind that have a default, with it."""
    schema = schemas()[kind][2]
    return [(path, inside["default"]) for path, inside in places(schema) if "default" in inside]


def write(schema: Json, path: Path, value: Any) -> Json:
    """A spec with a value at a place, and all that is required above it; None is no value."""
    spec = {k: v for k, v in smallest(schema).items() if k in schema.get("required", ())}
    spec = {key: item for key, item in spec.items() if key not in TARGETS}
    here: Any = spec
    for step in path[:-1]:
        schema = schema["items"] if step == 0 else _field(schema, str(step))
        here = here.setdefault(step, smallest(schema)) if step != 0 else here[0]
    here.pop(path[-1], None)
    if value is not None:
        here[path[-1]] = deepcopy(value)
    return spec


def _field(schema: Json, key: str) -> Json:
    found: Json = schema.get("properties", {}).get(key) or schema["additionalProperties"]
    return found


def draw(kind: str, fields: int) -> list[tuple[str, Spec, Spec]]:
    """Changes of single fields, with their names."""
    _, _, schema = schemas()[kind]
    every = list(places(schema))
    changes: list[tuple[str, Spec, Spec]] = []
    for path, inside in Random(kind).sample(every, min(fields, len(every))):  # noqa: S311  (no secret)
        value = smallest(inside)
        specs = [write(schema, path, each) for each in (None, value, other(inside, value))]
        name = ".".join(map(str, path))
        changes += [(f"{name} comes", specs[0], specs[1]), (f"{name} goes", specs[1], specs[0])]
        if other(inside, value) is not None:
            changes.append((f"{name} differs", specs[1], specs[2]))
    return changes


def fleet(kind: str, specs: list[Spec]) -> FleetState:
    """A fleet with a policy of each spec, on a route or Gateway of its own."""
    row, version, schema = schemas()[kind]
    class_name = "eg" if row.group == "gateway.envoyproxy.io" else "istio"
    on_route = not row.targets or "HTTPRoute" in row.targets
    documents = [scenes.gateway_class(class_name)]
    for number, spec in enumerate(specs):
        listener = (
            f"{{name: https, port: 443, protocol: HTTPS, hostname: a{number}.shop.example, "
            "tls: {certificateRefs: [{name: cert}]}}"
        )
        rule = f"{{name: read, backendRefs: [{{name: s{number}, port: 80}}]}}"
        target: Json = {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "web"}
        target["name"] = f"g{number}"
        if on_route:
            target |= {"kind": "HTTPRoute", "name": f"r{number}"}
        elif "Gateway" not in row.targets:
            target = {"group": "", "kind": "Service", "name": f"s{number}"}
        is_list = "targetRefs" in schema["properties"]
        own = {"targetRefs": [target]} if is_list else {"targetRef": target}
        policy = {
            "apiVersion": version,
            "kind": row.kind,
            "metadata": {"name": f"p{number}", "namespace": "infra"},
            "spec": {**spec, **own},
        }
        documents += [
            scenes.gateway(class_name, f"g{number}", listener),
            scenes.route(f"r{number}", "", rule, parent=f"g{number}"),
            yamlio.emit(policy),
        ]
    names = ", ".join(f"infra/g{number}" for number in range(len(specs)))
    place = scenes.PLACE.replace("infra/web", names).replace("  - {name: us}\n", "")
    sync = scenes.SYNC + f"  - {{group: {row.group}, kind: {row.kind}}}\n"
    return scenes.state("---\n".join(documents), place, sync)


def in_force(state: FleetState) -> dict[str, list[str]]:
    """The values of the rules in force from each policy."""
    judgement = state.fleet.judged["eu"].judgement
    found: dict[str, list[str]] = {}
    for item in judgement.effective:
        for rule in (*item.likely.rules, *item.likely.candidates):
            found.setdefault(rule.policy.name, []).append(f"{rule.key} {rule.value}")
    return {name: sorted(values) for name, values in found.items()}


def told(review: Review) -> set[str]:
    """The policies that a review names, or whose route or Gateway is on a path in it."""
    found: set[str] = set()
    for item in (*review.consequences, *review.tightened):
        found |= {ref.name for ref in (*item.policies, item.result.resource) if ref is not None}
        for path in item.paths:
            levels = [level.partition(" [")[0] for level in path.split(" > ")]
            found |= {f"p{level.rpartition('/')[2][1:]}" for level in levels}
    return found


def states(fleet: FleetState) -> Mapping[str, PolicyState]:
    judgement = fleet.fleet.judged["eu"].judgement
    return {ref.name: state for ref, state in find_states(judgement).items()}


@pytest.mark.property
@HOW_MANY
@each(*sorted(schemas()))
def test_no_change_of_a_field_goes_without_a_word(kind: str, fields: int) -> None:
    row, _, _ = schemas()[kind]
    changes = draw(kind, fields)
    sides = [was for _, was, _ in changes], [now for _, _, now in changes]
    old, new = (fleet(kind, side) for side in sides)
    found = told(scenes.compare(old, new))
    rules, standing = (in_force(old), in_force(new)), (states(old), states(new))
    for number, (name, was, now) in enumerate(changes):
        policy = f"p{number}"
        if policy in found or (row.kind, name.split(".")[0].split()[0]) in UNREAD:
            continue
        if _is_default(row, name.split()[0], was, now):
            continue
        before, after = (side.get(policy) for side in rules)
        assert before == after, (name, was, now)
        is_held = all(side[policy] in HELD for side in standing)
        implied = dict(row.merged.implied)
        is_bare = {**implied, **was} == {**implied, **now}
        is_bare |= row.merged.process in (Process.KUADRANT, Process.FIELDS) and _is_empty(was, now)
        assert not is_held or is_bare, (name, was, now)


@pytest.mark.property
@HOW_MANY
@each(*(kind for kind in sorted(schemas()) if defaults(kind)))
def test_a_default_that_is_written_is_silent(kind: str, fields: int) -> None:
    schema, every = schemas()[kind][2], defaults(kind)
    drawn = Random(kind).sample(every, min(fields, len(every)))  # noqa: S311  (no secret)
    old, new = (
        fleet(kind, [write(schema, path, value if is_written else None) for path, value in drawn])
        for is_written in (True, False)
    )
    for review in (scenes.compare(old, new), scenes.compare(new, old)):
        found = told(review)
        assert [item for number, item in enumerate(drawn) if f"p{number}" in found] == []


def _is_default(row: Kind, name: str, *specs: Spec) -> bool:
    """Tell whether a field comes, or goes, with the value that an absent one counts as."""
    if len({str(_in_order(fill_defaults(row, spec))) for spec in specs}) == 1:
        return True
    path = tuple(int(step) if step.isdigit() else step for step in name.split("."))
    values = [value for value in (read_value(spec, path) for spec in specs) if value is not None]
    defaults = [s.unset for way, s in list_scales(row.traits) if leads_to(way, path)]
    return len(values) == 1 and values[0] in defaults


def _in_order(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _in_order(value[key]) for key in sorted(value)}
    return list(map(_in_order, value)) if isinstance(value, list) else value


def _is_empty(*specs: Spec) -> bool:
    """Tell whether specs differ in mappings without anything in them alone."""
    sides = [_strip(spec) for spec in specs]
    return sides == sides[:1] * 2


def _strip(value: Any) -> Any:
    if isinstance(value, dict):
        inside = {key: _strip(item) for key, item in value.items()}
        return {key: item for key, item in inside.items() if item not in ({}, None)}
    return [_strip(item) for item in value] if isinstance(value, list) else value
