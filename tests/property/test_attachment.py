"""Law of attachment: what attaches on a spoke is what attaches on the hub, or a result says not.

Over fleets of every vendor's shapes, against an oracle of its own. Less is an error about the
object, more a warning or, of a security kind, an error; and none of it is told where it is not so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.results import ERROR, WARNING, Result
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import GATEWAY_API, Ref
from spokerender.rendering.values.rendered import Rendered
from tests.property.attachments import ROUTE_KINDS, Bond, Cluster, Key, key_of
from tests.property.hubs import Object
from tests.property.places import Places
from tests.property.shapes import Shape, shapes
from tests.property.vendors import NAMESPACES
from tests.property.worlds import World, world
from tests.support import each, end_to_end as e2e

LESS = {"SR1703", "SR1704", "SR1706", "SR1707"}
REFUSED = {"SR1405", "SR1507", "SR1511"}
"""Two things are one on a spoke: what attaches to what is anybody's guess, and nothing is built."""
MOVED_APART = {"SR1505", "SR1506", "SR1510"}
FEW, MANY = 100, 2_200
CATALOGUE = Catalogue.of([])


@pytest.fixture(scope="module")
def every(fixtures: Path) -> tuple[Shape, ...]:
    return shapes(json.loads((fixtures / "policy-kinds.json").read_text()))


class Side(Struct, frozen=True):
    """One spoke of a fleet: the oracle's two clusters, and what became of what."""

    world: World
    found: Rendered
    name: str
    hub: Cluster
    spoke: Cluster
    places: Places
    landed: dict[Key, Key]

    @classmethod
    def of(cls, fleet: World, found: Rendered, spoke: Object, every: tuple[Shape, ...]) -> Side:
        """Find out what the spoke has, and what it was."""
        zones = {
            item["metadata"]["name"]: item["metadata"]["labels"]["zone"]
            for item in fleet.objects
            if item["kind"] == "Namespace"
        }
        items = list(e2e.model(found, spoke["name"]).values())
        places = Places.of(fleet, spoke)
        here = {(key_of(item)[:2], key_of(item)[3]): key_of(item) for item in items}
        landed = {hub: places.landed(hub) for hub in places.by_hub}
        landed |= {pods: pods for pods in (("", "Pod", name, "") for name in NAMESPACES)}
        for item in fleet.objects:
            key = key_of(item)
            if key not in landed and key[:2] != (GATEWAY_API, "Gateway"):
                landed |= {key: here[key[:2], key[3]]} if (key[:2], key[3]) in here else {}
        return cls(
            fleet,
            found,
            spoke["name"],
            Cluster(fleet.objects, zones, every),
            Cluster([*places.existing(), *items], zones, every),
            places,
            landed,
        )

    def told(self, key: Key) -> list[Result]:
        """The findings about an object of the hub on the spoke."""
        ref = Ref(*key)
        return [r for r in self.found.results if r.resource == ref and self.name in r.spokes]

    def differences(self, key: Key) -> tuple[set[Bond], set[Bond]]:
        """What a shipped object of the hub attaches to less, and more, in the spoke's terms."""
        item, made = self.hub.items[key], self.spoke.items[self.landed[key]]
        before, now = self.hub.bonds(item), self.spoke.bonds(made)
        plain = {replace(bond, field="") for bond in now}
        expected = {bond: self._expected(bond, made) for bond in before}
        less = {
            there
            for bond, there in expected.items()
            if there is not None
            and replace(there, field="") not in plain
            and not self._is_hidden(bond, there, key, plain)
        }
        less |= set(self._unserved(item, made, before, now))
        known = {replace(bond, field="") for bond in before}
        more = {
            bond
            for bond in now
            if not self._is_open(bond, bond.thing)
            for origin in self._origins(bond, item)
            if origin not in known
        }
        return less, more

    def _expected(self, bond: Bond, made: Object) -> Bond | None:
        thing = self.landed.get(bond.thing, bond.thing if bond.by else None)
        by = self.landed.get(bond.by) if bond.by else None
        if thing is None or (bond.by and by is None) or self._is_open(bond, thing):
            return None
        spec = self.spoke.items[thing]["spec"] if thing in self.spoke.items else {}
        names = [each["name"] for each in (spec or {}).get("listeners", [])]
        if bond.section and "listeners" in spec and bond.section not in names:
            return None
        if bond.hostname < 0 and made["spec"].get("hostnames") and key_of(made)[1] in ROUTE_KINDS:
            return None
        return replace(bond, thing=thing, by=by)

    def _is_open(self, bond: Bond, thing: Key) -> bool:
        """Labels, classes and what a gateway of the spoke's own admits are in no file."""
        if thing not in {self.places.landed(hub) for hub in self.places.own}:
            return False
        is_set = bond.field == "spec.parentRef"
        return is_set or bond.field.endswith(" class") or "targetSelectors" in bond.field

    def _is_hidden(self, bond: Bond, there: Bond, key: Key, now: set[Bond]) -> bool:
        """Another listener of the same port took the requests for that hostname, and still does."""
        parent = self.hub.items[bond.thing]["spec"] if bond.thing in self.hub.items else None
        if bond.hostname < 0 or parent is None:
            return False
        listeners = {each["name"]: each for each in parent["listeners"]}
        own = listeners[bond.section]
        name = own.get("hostname", "")
        asked = self.hub.items[key]["spec"]["hostnames"][bond.hostname]
        return any(
            (other["port"], other["protocol"]) == (own["port"], own["protocol"])
            and other.get("hostname", "") not in ("", name)
            and (not name or (name.startswith("*.") and other["hostname"].endswith(name[1:])))
            and (asked == other["hostname"] or within(asked, other["hostname"]))
            and replace(bond, section=section, field="")
            in {replace(each, field="") for each in self.hub.bonds(self.hub.items[key])}
            and replace(there, section=section, field="") in now
            for section, other in listeners.items()
        )

    def _unserved(
        self, item: Object, made: Object, before: set[Bond], now: set[Bond]
    ) -> Iterator[Bond]:
        """Parents that are there, whatever their listeners are called, and added hostnames."""
        fields = {bond.field for bond in before if bond.field.startswith("spec.parentRef")}
        count = len(item["spec"].get("hostnames", [])) or 1
        own = {self.places.landed(hub) for hub in self.places.own}
        for field in fields:
            was = {bond for bond in before if bond.field == field}
            kept: set[int] = set()
            for bond in was:
                thing = self.landed.get(bond.thing)
                kept = {each.hostname for each in now if each.thing == thing}
                if thing is None or (not bond.section and thing in own):
                    continue
                is_replaced = bond.hostname < 0 and "hostnames" in made["spec"]
                if bond.hostname not in kept and not is_replaced:
                    yield replace(bond, thing=thing, section="")
            is_here = any(bond.thing in self.landed for bond in was)
            for index in range(count, len(made["spec"].get("hostnames", []))):
                if is_here and index not in kept:
                    yield Bond(("", "", "", ""), hostname=index, field=field)

    def _origins(self, bond: Bond, item: Object) -> Iterator[Bond]:
        hostnames = item["spec"].get("hostnames", []) if item.get("spec") else []
        is_added = bond.hostname >= len(hostnames) or (bond.hostname < 0 and bool(hostnames))
        if is_added and bond.hostname >= 0:
            return
        for hub in self._hubs(bond.thing, bond.by):
            listeners = (self.hub.items.get(hub, {}).get("spec") or {}).get("listeners")
            names = [each["name"] for each in listeners or []]
            if hub in self.places.own:
                said = [each["name"] for each in self.places.by_hub[hub]["listeners"]]
                names = [name for name in names if name in said]
            if bond.section and listeners is not None and bond.section not in names:
                continue
            for by in self._hubs(bond.by, None) if bond.by else [None]:
                yield replace(bond, thing=hub, by=by, field="")

    def _hubs(self, thing: Key, by: Key | None) -> list[Key]:
        found = [hub for hub, there in self.landed.items() if there == thing]
        return found or ([thing] if by else [])


def within(name: str, wild: str) -> bool:
    return wild.startswith("*.") and name.endswith(wild[1:])


def check(number: int, every: tuple[Shape, ...]) -> int:
    """Hold one fleet to the law; how many objects were compared."""
    fleet = world(number, every)
    found = e2e.rendered(fleet.files)
    compared = 0
    for spoke in fleet.spokes:
        if any(r.code in REFUSED and spoke["name"] in r.spokes for r in found.results):
            continue
        side = Side.of(fleet, found, spoke, every)
        for key in side.landed:
            if key[1] in {"Gateway", "ReferenceGrant"} or key not in side.hub.items:
                continue
            compared += 1
            less, more = side.differences(key)
            told = side.told(key)
            errors = {r.code for r in told if r.severity is ERROR}
            grown = {r.severity for r in told if r.code == "SR1708"}
            where = f"fleet {number}, spoke {spoke['name']}, {key}: {told}"
            assert not less or errors, f"less is not told: {less} of {where}"
            assert less or not errors & LESS, f"nothing is less: {where}"
            wanted = {ERROR if CATALOGUE.kind(*key[:2]).security else WARNING} if more else set()
            assert grown == wanted, f"more: {more} of {where}"
    return compared


@each(range(FEW), pytest.param(range(FEW, MANY), marks=pytest.mark.weekly), ids=["some", "many"])
def test_what_attaches_is_what_attached_or_is_told(
    numbers: Sequence[int], every: tuple[Shape, ...]
) -> None:
    """Many take forty CPU seconds: each of them is made, rendered and compared in one hundredth."""
    assert sum(check(number, every) for number in numbers) > len(numbers)


def test_where_nothing_moves_everything_attaches_as_on_the_hub(every: tuple[Shape, ...]) -> None:
    """And no object is another one: nothing was moved for a reason of its own."""
    for number in range(FEW // 2):
        fleet = world(number, every, moving=False)
        found = e2e.rendered(fleet.files)
        wrong = [r for r in found.results if r.code in {*LESS, *MOVED_APART, "SR1705", "SR1708"}]
        assert wrong == [], f"fleet {number}"
        hub: dict[str, Any] = {e2e.identity(item): item for item in fleet.objects}
        for name, item in e2e.model(found, "eu").items():
            assert item["spec"] == hub[name]["spec"], f"fleet {number}, {name}"
