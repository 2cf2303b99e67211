"""Fleets with every vendor's shape of reference, made from a number: the same one, the same fleet.

No hypothesis: thousands of fleets are made in the time that it needs for a few, and a number that
fails is as good as an example.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from spokerender.model import GATEWAY_API
from tests.property.hubs import Object
from tests.property.shapes import Shape
from tests.property.texts import inline
from tests.property.vendors import TIERS, HubMaker, identity
from tests.support import end_to_end as e2e


@dataclass(frozen=True)
class World:
    """A fleet, as data."""

    objects: tuple[Object, ...]
    spokes: tuple[Object, ...]
    rules: tuple[Object, ...]
    overrides: tuple[Object, ...]

    @property
    def files(self) -> dict[str, str]:
        """The project."""
        kinds = sorted({identity(item) for item in self.objects} - _UNLISTED)
        parts = (self.spokes, self.rules, self.overrides)
        return {
            "fleet.yaml": e2e.fleet(*kinds),
            "placement.yaml": e2e.placement(*(inline(list(part)) for part in parts)),
            "hub/all.yaml": "---\n".join(f"{inline(item)}\n" for item in self.objects),
        }


_UNLISTED = {("", "Namespace"), (GATEWAY_API, "Gateway"), (GATEWAY_API, "ReferenceGrant")}


def world(number: int, every: Sequence[Shape], *, moving: bool = True) -> World:
    """The fleet of a number; without `moving` every gateway stays as it is on the hub."""
    random = Random(number)  # noqa: S311  (a fleet, not a secret)
    hub = HubMaker(random, every)
    objects = hub.hub()
    placer = _Placer(random, hub.gateways, hub.routes)
    rules = placer.rules() if moving else placer.staying()
    overrides = placer.overrides() if moving else ()
    return World(tuple(objects), tuple(placer.spokes()), tuple(rules), tuple(overrides))


class _Placer:
    """Makes what is ours of a fleet, for one hub."""

    def __init__(self, random: Random, gateways: list[Object], routes: list[Object]) -> None:
        self._random = random
        self._gateways = gateways
        self._routes = routes

    def _is(self, chance: float) -> bool:
        return self._random.random() < chance

    def _one(self, *choices: Any) -> Any:
        return self._random.choice(choices)

    def _few(self, most: int) -> range:
        return range(self._random.randint(0, most))

    def spokes(self) -> Iterator[Object]:
        """Two of them."""
        for name in ("eu", "us"):
            values = {
                "name": self._one("front", "web", "edge-1"),
                "space": self._one("ingress", "infra", "shop"),
                "domain": self._one("example.net", "example.com"),
                "tier": self._one(*TIERS),
            }
            yield {"name": name, "values": values}

    def staying(self) -> list[Object]:
        """Every gateway is on every spoke as it is on the hub."""
        return [_rule(gateway, {"all": True}) for gateway in self._gateways]

    def rules(self) -> list[Object]:
        """One rule for each gateway that is placed at all."""
        found = []
        for gateway in self._gateways:
            spokes = self._one({"all": True}, {"all": True}, {"names": ["eu"]})
            rule = _rule(gateway, spokes) | {"as": self._as(gateway)}
            if self._is(0.2):
                rule |= {"mode": "existing", "as": self._existing(gateway, rule["as"])}
            found += [rule] if self._is(0.9) else []
        return found

    def _as(self, gateway: Object) -> Object:
        found = {key: self._one(*values) for key, values in _AS.items()}
        listener = self._one(*gateway["spec"]["listeners"])["name"]
        changed = self._one(
            *(None,) * 8,
            {"name": listener, "hostname": "*.int.example.com"},
            {"name": listener, "port": 8080},
            {"name": listener, "allowedRoutes": {"namespaces": {"from": "Same"}}},
            {"name": "new", "port": 90, "protocol": "HTTP", "allowedRoutes": _OPEN},
        )
        found["listeners"] = [changed] if changed else None
        return {key: value for key, value in found.items() if value is not None}

    def _existing(self, gateway: Object, as_: Object) -> Object:
        kept: Object = {key: as_[key] for key in ("name", "namespace", "hostnames") if key in as_}
        listeners = [
            listener | ({"allowedRoutes": _OPEN} if self._is(0.2) else {})
            for listener in gateway["spec"]["listeners"]
            if self._is(0.8)
        ]
        return {**kept, "listeners": listeners or gateway["spec"]["listeners"][:1]}

    def overrides(self) -> list[Object]:
        """Changes of what attachment looks at."""
        return [self._override() for _ in self._few(2)]

    def _override(self) -> Object:
        where = self._one({"all": True}, {"names": ["us"]})
        routes = [item for item in self._routes if item["kind"] == "HTTPRoute"]
        target: Object = {"kind": "Gateway"}
        change: Object = {"merge": {"metadata": {"labels": {"tier": self._one("gold", "silver")}}}}
        if routes and self._is(0.7):
            route = self._one(*routes)
            target = {"kind": "HTTPRoute", "name": route["metadata"]["name"]}
            rule = "/spec/rules/0"
            choices: list[Object] = [
                {"merge": {"metadata": {"labels": {"tier": None}}}},
                {"merge": {"metadata": {"labels": {"tier": "{{ spoke.values.tier }}"}}}},
                {"patch": [_replace(f"{rule}/backendRefs/0/name", "other")]},
            ]
            if "filters" in route["spec"]["rules"][0]:
                choices.append({"patch": [{"op": "remove", "path": f"{rule}/filters"}]})
            if "hostnames" in route["spec"]:
                added = {"op": "add", "path": "/spec/hostnames/-", "value": "c.else.example"}
                choices.append({"patch": [added]})
            change = self._one(*choices)
        elif self._is(0.3):
            opened = _replace("/spec/listeners/0/allowedRoutes", _OPEN) | {"op": "add"}
            change = {"patch": [opened]}
        return {"target": target, "spokes": where, "optional": True, **change}


_OPEN = {"namespaces": {"from": "All"}}
_AS: dict[str, tuple[Any, ...]] = {
    "name": (None, None, None, "front", "{{ spoke.values.name }}"),
    "namespace": (None, None, "ingress", "shop", "{{ spoke.values.space }}"),
    "gatewayClassName": (None, None, "istio", "eg"),
    "labels": (
        None, None, None, {"tier": "gold"}, {"tier": None}, {"tier": "{{ spoke.values.tier }}"},
    ),
    "hostnames": (
        None,
        None,
        {"*.example.com": "*.{{ spoke.values.domain }}"},
        {"*.int.example.com": "*.int.{{ spoke.values.domain }}"},
        {"www.example.com": "www.example.net"},
    ),
}  # fmt: skip


def _replace(path: str, value: Any) -> Object:
    return {"op": "replace", "path": path, "value": value}


def _rule(gateway: Object, spokes: Object) -> Object:
    place = gateway["metadata"]
    names = [f"{place['namespace']}/{place['name']}"]
    return {"gateways": {"names": names}, "spokes": spokes, "optional": True}
