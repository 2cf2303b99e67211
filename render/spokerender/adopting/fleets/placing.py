"""Rules that place the hub's Gateways: where, under which names, with which hostnames."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any

from spokerender.adopting.fleets.assembling import Nodes
from spokerender.adopting.fleets.deciding import Departures, Selections, SpokeValues, are_few
from spokerender.adopting.fleets.values import AssembledObject, Form, HubGateway
from spokerender.formats.comparing import fingerprint
from spokerender.kinds.fields import read_value
from spokerender.model import Ref, grouped
from spokerender.model.shapes import as_list, as_mappings, as_text
from spokerender.model.slots import NAME, fill
from spokerender.rendering.retarget.hostnames import mapped

_CLASS = ("spec", "gatewayClassName")
_SAMPLE = 40
_Hosts = Mapping[str, str]
"""The hostnames of clusters that one of the hub stands for, with `NAME`."""


class Placer:
    """Finds the rules for Gateways."""

    def __init__(
        self,
        objects: Mapping[Ref, AssembledObject],
        nodes: Nodes,
        values: SpokeValues,
        departures: Departures,
    ) -> None:
        self._objects = objects
        self._nodes = nodes
        self._values = values
        self._departures = departures
        self._moved = {
            (cluster, item.ref.namespace)
            for item in objects.values()
            for cluster, form in item.forms.items()
            if nodes.of(form).is_route
            and fill(form.ref.namespace, {NAME: cluster}) != item.ref.namespace
        }

    def place(self, gateways: Iterable[HubGateway], selections: Selections) -> list[dict[str, Any]]:
        """Return the rules; Gateways with the same ones share them."""
        shared: dict[str, dict[str, Any]] = {}
        for gateway in gateways:
            hostnames = self._map_hostnames(gateway)
            classes = {
                name: as_text(read_value(form.object, _CLASS))
                for name, form in self._objects[gateway.ref].forms.items()
            }
            self._departures.note(gateway.ref, _CLASS, classes)
            ways = grouped(
                (fingerprint(way := self._describe(gateway, name, hostnames)), (name, way))
                for name in selections.names
                if name in gateway.members
            )
            for alike in ways.values():
                spokes = selections.select([name for name, _ in alike], selections.names)
                rest = {"spokes": spokes, **alike[0][1]}
                rule = shared.setdefault(fingerprint(rest), {"gateways": {"names": []}, **rest})
                rule["gateways"]["names"].append(gateway.ref.full_name)
        return list(shared.values())

    def _describe(
        self, gateway: HubGateway, cluster: str, hostnames: Mapping[str, str]
    ) -> Mapping[str, Any]:
        """Return what a rule says besides the Gateway and the spokes."""
        own, hub, item = gateway.members[cluster], gateway.ref, self._objects[gateway.ref]
        is_absent = cluster in gateway.absent
        names = {"name": (own.name, hub.name), "namespace": (own.namespace, hub.namespace)}
        changes: dict[str, Any] = {
            key: text.replace(NAME, "{{ spoke.name }}")
            for key, (text, of_hub) in names.items()
            if fill(text, {NAME: cluster}) != of_hub
        }
        if not is_absent:
            own_class = as_text(read_value(item.forms[cluster].object, _CLASS))
            if own_class and fill(own_class, {NAME: cluster}) != read_value(item.content, _CLASS):
                changes["gatewayClassName"] = own_class.replace(NAME, "{{ spoke.name }}")
        elif listeners := self._match_listeners(gateway, cluster):
            changes["listeners"] = listeners
        if hostnames:
            changes["hostnames"] = hostnames
        return {
            **({"mode": "existing"} if is_absent else {}),
            **({"routes": "follow"} if (cluster, hub.namespace) in self._moved else {}),
            **({"as": changes} if changes else {}),
        }

    def _match_listeners(self, gateway: HubGateway, cluster: str) -> list[dict[str, Any]]:
        """Return the listeners of a Gateway in no file that stand for the hub's of other names."""
        names: dict[str, str] = {}
        for item in self._attached(gateway):
            form = item.forms.get(cluster)
            if form is None or item.source is None:
                continue
            hub = self._list_sections(item.source, item.source.cluster)
            names |= dict(zip(hub, self._list_sections(form, cluster), strict=False))
        if all(one == other for one, other in names.items()):
            return []
        content = self._objects[gateway.ref].content_on_hub()
        listeners = as_mappings(read_value(content, ("spec", "listeners")))
        fields = ("hostname", "port", "protocol", "allowedRoutes")
        return [
            {
                "name": names[item["name"]],
                "for": item["name"],
                **{key: item[key] for key in fields if key in item},
            }
            for item in listeners
            if item.get("name") in names
        ]

    def _list_sections(self, form: Form, cluster: str) -> list[str]:
        links = self._nodes.of(form).attachments
        return [fill(section, {NAME: cluster}) for link in links for section in link.sections]

    def _attached(self, gateway: HubGateway) -> Iterator[AssembledObject]:
        """Yield the objects of the hub that name a Gateway."""
        for item in self._objects.values():
            if item.source is not None and item.ref != gateway.ref:
                named = self._nodes.gateways_of(item.source)
                if any(ref in gateway.members.values() or ref == gateway.ref for ref in named):
                    yield item

    def _map_hostnames(self, gateway: HubGateway) -> dict[str, str]:
        """Return hostnames by those of the hub, as a rule has them, where that explains more."""
        item = self._objects[gateway.ref]
        of_listeners = list(_pair_hostnames(item))
        routes = [pair for route in self._attached(gateway) for pair in _pair_hostnames(route)]
        every = [*of_listeners, *routes]
        step = max(1, len(gateway.members) // _SAMPLE)
        sample = [*gateway.members][::step]
        rules: dict[str, _Hosts] = {}
        candidates: dict[str, _Hosts] = {}
        for hostname, hosts in [*of_listeners, *filter(None, map(_find_suffix, routes))]:
            candidates[hostname] = {**hosts, **candidates.get(hostname, {})}
        for hostname, hosts in candidates.items():
            if not any(host != hostname for host in hosts.values()):
                continue
            if any(host.startswith("*.") != hostname.startswith("*.") for host in hosts.values()):
                continue
            after = {**rules, hostname: hosts}
            won, lost = _count_explained(every, rules, after, sample)
            differing = sum(host != hostname for host in hosts.values())
            is_drift = are_few(differing, len(gateway.members))
            if won > lost + (differing if is_drift else 0):
                rules = after
        return {key: self._express(key, hosts, gateway) for key, hosts in rules.items()}

    def _express(self, hostname: str, hosts: _Hosts, gateway: HubGateway) -> str:
        """Return the hostname with an expression for the labels that are the cluster's own."""
        own = {name: hosts.get(name, hostname) for name in gateway.members}
        if len(set(own.values())) == 1:
            return own.popitem()[1].replace(NAME, "{{ spoke.name }}")
        labels = [host.split(".") for host in own.values()]
        first = [*takewhile(lambda each: len(set(each)) == 1, zip(*labels, strict=False))]
        fewest = min(map(len, labels))
        start = "".join(f"{each[0]}." for each in first[: fewest - 1])
        rest = {name: fill(host[len(start) :], {NAME: name}) for name, host in own.items()}
        return start.replace(NAME, "{{ spoke.name }}") + self._values.express(
            rest, "domain", gateway.ref.name
        )


def _list_hostnames(data: Mapping[str, Any]) -> dict[object, str]:
    """Return the hostnames of listeners by their names, and of a route by number and count."""
    listeners = as_mappings(read_value(data, ("spec", "listeners")))
    names = as_list(read_value(data, ("spec", "hostnames")))
    hosts: dict[object, str] = {
        item.get("name"): as_text(item.get("hostname")) for item in listeners
    }
    return hosts | {(number, len(names)): as_text(name) for number, name in enumerate(names)}


def _pair_hostnames(item: AssembledObject) -> Iterator[tuple[str, _Hosts]]:
    """Yield each hostname as it is on the hub, with those of clusters in the same place."""
    on_clusters = {name: _list_hostnames(form.object) for name, form in item.forms.items()}
    for key, hostname in _list_hostnames(item.content).items():
        if not hostname or item.source is None:
            continue
        on_hub = fill(hostname, {NAME: item.source.cluster})
        hosts = {name: of[key] for name, of in on_clusters.items() if of.get(key)}
        same = {name: on_hub for name, host in hosts.items() if fill(host, {NAME: name}) == on_hub}
        yield on_hub, {**hosts, **same}


def _find_suffix(pair: tuple[str, _Hosts]) -> tuple[str, _Hosts] | None:
    """Return the wildcard of a hostname that differs, without the labels that are equal."""
    hostname, hosts = pair
    others = {host for host in hosts.values() if host != hostname and host}
    labels = [host.split(".") for host in (hostname, *others)]
    equal = len([*takewhile(lambda each: len(set(each)) == 1, zip(*labels, strict=False))])
    if not others or "*" in hostname:
        return None
    if not equal or equal >= min(map(len, labels)):
        return pair
    cut = {name: "*." + ".".join(host.split(".")[equal:]) for name, host in hosts.items() if host}
    return "*." + ".".join(hostname.split(".")[equal:]), cut


def _count_explained(
    every: Sequence[tuple[str, _Hosts]],
    before: Mapping[str, _Hosts],
    after: Mapping[str, _Hosts],
    clusters: Iterable[str],
) -> tuple[int, int]:
    """Count the hostnames that further rules make right, and those that they make wrong."""
    won = lost = 0
    for cluster in clusters:
        old, new = (
            tuple((key, hosts.get(cluster, key)) for key, hosts in rules.items())
            for rules in (before, after)
        )
        for hostname, hosts in every:
            if cluster in hosts:
                was, now = ((mapped(hostname, r) or hostname) == hosts[cluster] for r in (old, new))
                won += now and not was
                lost += was and not now
    return won, lost
