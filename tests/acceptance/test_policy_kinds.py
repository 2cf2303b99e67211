"""Every policy kind of the catalogue follows its gateway, and leaves alone what is not the gateway.

The gateway `infra/web` is `edge/front` on the spoke. What the fields of a kind are comes from the
catalogue, which was read off the vendors' CRDs; what is expected is worked out from them here.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from spokerender.formats.yamlio import emit
from spokerender.kinds.table import find_row
from tests.conftest import DATA
from tests.support import end_to_end as e2e, rows_of, text_of

GATEWAY_API = "gateway.networking.k8s.io"
GATEWAY_NAME = f"{GATEWAY_API}/gateway-name"
HUB = text_of(__file__, "policy_kinds.yaml")
STRANGERS = rows_of(__file__, "strangers")
"""All of them are called `web`, and none is the gateway."""


@dataclass(frozen=True)
class Shape:
    """One place where a kind names its targets: a row of the catalogue, and one path of it."""

    row: dict[str, Any]
    place: dict[str, Any]

    @property
    def fields(self) -> list[str]:
        """The fields that an entry may have."""
        return list(self.place["fields"])

    @property
    def key(self) -> str:
        """The field of `spec` that the entries are in."""
        return str(self.place["path"]).removeprefix("spec.").removesuffix("[]")

    @property
    def is_list(self) -> bool:
        """Whether there may be several entries."""
        return bool(self.place["path"].endswith("[]"))

    @property
    def is_long(self) -> bool:
        """It may name more than one by name."""
        return self.is_list and self.place["maxItems"] != 1 and "name" in self.fields

    @property
    def is_parent(self) -> bool:
        """It says where its parent is, so it stays where it is itself."""
        return self.key.startswith("parentRef")

    @property
    def says_namespace(self) -> bool:
        """Istio has the field, and refuses any content."""
        return "namespace" in self.fields and not self.row["group"].endswith("istio.io")

    def spec(self, entries: list[dict[str, Any]]) -> dict[str, Any]:
        """A spec with these entries, and with a field that nobody knows."""
        value: Any = entries if self.is_list else entries[0]
        return {self.key: value, "unknownField": {"name": "web", "namespace": "infra"}}

    def object(self, spec: dict[str, Any], namespace: str = "infra") -> dict[str, Any]:
        """An object of the kind and version."""
        return {
            "apiVersion": f"{self.row['group']}/{self.row['version']}",
            "kind": self.row["kind"],
            "metadata": {"name": "p", "namespace": namespace},
            "spec": spec,
        }

    def gateway(self) -> dict[str, Any]:
        """The shortest entry that names the gateway: what the CRD defaults is left out."""
        identity = {"group": GATEWAY_API, "kind": "Gateway"}
        defaults = self.place["defaults"]
        return {k: v for k, v in identity.items() if defaults.get(k) != v} | {"name": "web"}

    def __str__(self) -> str:
        """Name the shape in the list of tests."""
        return f"{self.row['kind']}.{self.row['version']}.{self.row['group']}:{self.key}"


@cache
def shapes() -> list[Shape]:
    rows = json.loads((DATA / "policy-kinds.json").read_text(encoding="utf-8"))
    return [Shape(row, place) for row in rows for place in row["refs"]]


def those(wanted: Callable[[Shape], bool]) -> pytest.MarkDecorator:
    """Try a test on every shape that it is about."""
    return pytest.mark.parametrize("shape", [each for each in shapes() if wanted(each)], ids=str)


by_name = those(lambda shape: "name" in shape.fields)
by_labels = those(lambda shape: "matchLabels" in shape.fields)


def on_spoke(
    shape: Shape, item: dict[str, Any], external: str = "[]"
) -> tuple[dict[str, Any], list[str]]:
    """What is on the spoke, by identity; and the codes of what was found."""
    listed = [(shape.row["group"], shape.row["kind"]), (GATEWAY_API, "HTTPRoute")]
    found = e2e.rendered(
        {
            "fleet.yaml": e2e.fleet(*dict.fromkeys(listed), external=external),
            "placement.yaml": e2e.everywhere("infra/web", as_="{name: front, namespace: edge}"),
            "hub/all.yaml": HUB + emit(item),
        }
    )
    codes = [result.code for result in e2e.errors(found.results)]
    return (e2e.objects(found) if not codes else {}), codes


def policy(shape: Shape, objects: dict[str, Any]) -> dict[str, Any] | None:
    """The one object of the spoke that the catalogue's row is about."""
    kind = f"{shape.row['kind']} "
    rest = [item for name, item in objects.items() if name.startswith(kind) and name.endswith("/p")]
    return rest[0] if rest else None


def synced(shape: Shape, item: dict[str, Any]) -> dict[str, Any]:
    """Copies of Kuadrant's policies say that they are copies."""
    if shape.row["group"].endswith("kuadrant.io"):
        item["metadata"]["annotations"] = {"kuadrant.io/policy-synced": "true"}
    return item


def test_the_catalogue_is_whole() -> None:
    rows = {(s.row["group"], s.row["version"], s.row["kind"]) for s in shapes()}
    assert len(rows) == 77


@by_name
def test_it_follows_the_gateway(shape: Shape) -> None:
    """What stays says the new namespace; what can't, or need not, has moved."""
    entry = shape.gateway()
    wanted = entry | {"name": "front"} | ({"namespace": "edge"} if shape.is_parent else {})
    objects, codes = on_spoke(shape, shape.object(shape.spec([entry])))
    assert codes == []
    expected = shape.object(shape.spec([wanted]), "infra" if shape.is_parent else "edge")
    assert policy(shape, objects) == synced(shape, expected)


@by_name
def test_it_follows_the_gateway_with_everything_spelled_out(shape: Shape) -> None:
    entry: dict[str, Any] = {"group": GATEWAY_API, "kind": "Gateway", "name": "web"}
    entry["unknownField"] = "web"
    entry |= {"namespace": "infra"} if shape.says_namespace else {}
    entry |= {"sectionName": "https"} if "sectionName" in shape.fields else {}
    if "port" in shape.fields:
        entry["port"] = 443
    wanted = entry | {"name": "front"} | ({"namespace": "edge"} if shape.says_namespace else {})
    objects, codes = on_spoke(shape, shape.object(shape.spec([entry])))
    assert codes == []
    expected = shape.object(shape.spec([wanted]), "infra" if shape.is_parent else "edge")
    assert policy(shape, objects) == synced(shape, expected)


@by_name
def test_it_leaves_namesakes_alone(shape: Shape) -> None:
    """Each stranger by itself: what hangs on the gateway's route ships, and nothing is changed."""
    for stranger in STRANGERS:
        item = shape.object(shape.spec([stranger]))
        objects, codes = on_spoke(shape, item)
        ships = stranger["kind"] != "Gateway"
        row = find_row(shape.row["group"], shape.row["kind"])
        is_missed = row is not None and row.security and not ships
        assert codes == (["SR1513"] if is_missed else [])
        assert policy(shape, objects) == (synced(shape, item) if ships else None)


@those(lambda shape: shape.is_long)
def test_it_leaves_namesakes_in_one_list_alone(shape: Shape) -> None:
    """Only what says its parent's namespace can name things that are now apart."""
    entries = [dict(stranger) for stranger in STRANGERS]
    wanted = [dict(stranger) for stranger in STRANGERS]
    if shape.is_parent:
        entries.append(shape.gateway())
        wanted.append(shape.gateway() | {"name": "front", "namespace": "edge"})
    objects, codes = on_spoke(shape, shape.object(shape.spec(entries)))
    assert codes == []
    assert policy(shape, objects) == synced(shape, shape.object(shape.spec(wanted)))


@those(lambda shape: shape.is_long and not shape.is_parent)
def test_it_can_not_be_in_two_places(shape: Shape) -> None:
    """The gateway moved and the route did not: a policy on both is refused, not split in two."""
    entries = [shape.gateway(), dict(STRANGERS[0])]
    _, codes = on_spoke(shape, shape.object(shape.spec(entries)))
    assert codes in (["SR1505"], ["SR1505", "SR1506"])


@those(lambda shape: shape.is_parent)
def test_it_leaves_a_namesake_in_another_namespace_alone(shape: Shape) -> None:
    stranger = {"group": GATEWAY_API, "kind": "Gateway", "name": "web", "namespace": "other"}
    external = "[{kind: Gateway, namespace: other, name: web}]"
    if not shape.is_list:
        objects, codes = on_spoke(shape, shape.object(shape.spec([stranger])), external)
        assert (policy(shape, objects), codes) == (None, [])
        return
    entries = [stranger, shape.gateway()]
    objects, codes = on_spoke(shape, shape.object(shape.spec(entries)), external)
    assert codes == []
    wanted = [stranger, shape.gateway() | {"name": "front", "namespace": "edge"}]
    assert policy(shape, objects) == synced(shape, shape.object(shape.spec(wanted)))


@those(lambda shape: shape.place["defaults"].get("group", GATEWAY_API) != GATEWAY_API)
def test_the_default_may_be_something_else(shape: Shape) -> None:
    """A bare name means a Service, or Linkerd's own Gateway."""
    objects, codes = on_spoke(shape, shape.object(shape.spec([{"name": "web"}])))
    assert codes == []
    kind = shape.place["defaults"]["kind"]
    item = shape.object(shape.spec([{"name": "web"}]))
    assert policy(shape, objects) == (item if kind == "Service" else None)


@by_labels
def test_a_selector_selects_it_as_before(shape: Shape) -> None:
    entry = {"group": GATEWAY_API, "kind": "Gateway", "matchLabels": {"app": "web"}}
    objects, codes = on_spoke(shape, shape.object(shape.spec([entry])))
    assert codes == []
    assert policy(shape, objects) == shape.object(shape.spec([entry]), "edge")
    assert objects["Gateway edge/front"]["metadata"]["labels"] == {"app": "web"}


@by_labels
def test_a_selector_of_something_else_is_left_alone(shape: Shape) -> None:
    entry = {"group": GATEWAY_API, "kind": "Gateway", "matchLabels": {"app": "else"}}
    objects, codes = on_spoke(shape, shape.object(shape.spec([entry])))
    assert (policy(shape, objects), codes) == (None, [])


@those(lambda shape: "selector" in shape.fields)
def test_pods_are_found_by_the_gateways_name(shape: Shape) -> None:
    def entry(name: str) -> dict[str, Any]:
        labels = {GATEWAY_NAME: name, "app": "web"}
        return {"group": "", "kind": "Pod", "selector": {"matchLabels": labels}}

    objects, codes = on_spoke(shape, shape.object(shape.spec([entry("web")])))
    assert codes == []
    assert policy(shape, objects) == shape.object(shape.spec([entry("front")]), "edge")
