"""The exposure of a fleet: who may call what, host by host, as documents that people compare."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property, partial
from itertools import chain, groupby
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.explain.answered import AnsweringBackend
from spokerender.explain.asking import find_further_routes, is_about_requests, read_backends
from spokerender.explain.lookup import group_by_blueprint
from spokerender.explain.outcomes import OutcomeReader
from spokerender.explain.words import describe_rule, flatten, label_rule
from spokerender.formats.comparing import fingerprint
from spokerender.formats.yamlio import proven
from spokerender.formats.yamlio.emit import settle_marks
from spokerender.judging.answers import find_rest
from spokerender.judging.effective.callers import CallerVerdict, join_verdicts, judge_caller
from spokerender.judging.effective.outcomes import EffectivePolicy, EffectiveRule
from spokerender.judging.effective.rates import read_times
from spokerender.judging.fleet.hosts import ExposedHost, RequestSet, list_hosts
from spokerender.judging.fleet.judged import Aspect, JudgedBlueprint, JudgedFleet
from spokerender.judging.lookups import PluginAnswer, PluginLookup
from spokerender.judging.validation.defaults import fill_defaults
from spokerender.kinds.kind import FoundBy
from spokerender.model import Ref, grouped
from spokerender.model.memo import Remembering
from spokerender.model.shapes import Json, as_mapping, as_mappings
from spokerender.rendering.values.bundles import Bundle, Variant
from spokerender.rendering.values.layout import fitted
from spokerender.rendering.values.named import NamedFleet
from spokerender.rendering.values.own_texts import map_texts
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.hostnames import EVERY_NAME
from spokerender.topology.matches import NOBODY, read_matches
from spokerender.topology.paths import RequestPath
from spokerender.topology.requests import asks_service

_NOTE = """\
# Who may call this host, and what becomes of requests: the first set that fits a request takes it.
# +argocd:skip-file-rendering
"""
"""Argo CD reads no file with this mark (reposerver/repository/repository.go)."""
_PLACEHOLDER = re.compile(r"\{\{ (?:spoke\.values\.)?(.*?) \}\}")
_Words = dict[str, Any]
"""An answer in words, by what they are about; they may hold slots."""
_OfSpokes = tuple[_Words, Collection[Bundle]]
_Variants = Sequence[tuple["AnsweredHost", Collection[Bundle]]]
_OF_LISTENER = ("name", "hostname", "port", "protocol")
_ELSEWHERE = (*_OF_LISTENER, "listeners", "allowedListeners", "allowedRoutes", "gatewayClassName")
"""Fields of Gateways and listeners by which requests find them, or that are about routes."""
_NOT_DONE = ("name", "matches", "backendRefs")
_ONLY_THERE = "as only the cluster can decide"
_VERDICTS: Mapping[bool | None, str] = {True: "served", False: "refused"}


class AnsweredHost(Struct, frozen=True, eq=False):
    """The answers to all requests for a hostname at one entrance, in words.

    `place` is the hub's Gateway, with port and protocol. `sets` are by their place and match.
    """

    name: str
    place: tuple[Ref, str, str]
    about: _Words
    sets: Mapping[tuple[Any, str], _Words]
    rest: str


def write_exposure(rendered: Rendered, judge: Callable[..., JudgedFleet]) -> Mapping[str, str]:
    """Return a file for each hostname, by path; `judge` is that of the pipeline."""
    documents = find_exposure(rendered, judge(rendered, (), Aspect.HOSTS))
    return {_name_file(host): _NOTE + proven(data) for host, data in documents}


def _name_file(host: str) -> str:
    """Return the path of a host's file: no label of a hostname has a `_` (RFC 1123)."""
    name = _PLACEHOLDER.sub(r"_\1_", host).replace("*", "_")
    safe = re.sub(r"[^A-Za-z0-9._-]", lambda match: f"%{ord(match[0]):02x}", name)
    return fitted(f"exposure/{safe}.yaml")


def find_exposure(rendered: Rendered, fleet: JudgedFleet) -> Iterator[tuple[str, _Words]]:
    """Yield each hostname with its document, in which own values of spokes have placeholders.

    Spokes whose wave is not done are not in it: their folders are as they were.
    """
    judged = {name: it for name, it in fleet.judged.items() if not rendered.holds(name)}
    words = _PolicyWords(rendered)
    shared: dict[tuple[object, ...], tuple[AnsweredHost, list[Bundle]]] = {}
    for blueprint, bundles in group_by_blueprint(replace(fleet, judged=judged)):
        hosts = _HostWriter(words, blueprint, bundles[0])
        for host in hosts.hosts:
            key = hosts.make_key(host)
            if key not in shared:
                shared[key] = hosts.write(host), []
            shared[key][1].extend(bundles)
    due = [fleet.bundles[name] for name in judged]
    yield from _Exposure([*shared.values()], due).list_documents()


class _PolicyWords:
    """Writes what is in force in words, each outcome once."""

    def __init__(self, rendered: Rendered) -> None:
        self.rendered, self.outcomes = rendered, OutcomeReader(rendered)
        self.read_spec = Remembering(self._read_spec)
        self._answers: dict[tuple[int, ...], tuple[EffectivePolicy, _Words, CallerVerdict]] = {}

    def _read_spec(self, variant: Variant) -> Mapping[str, Any]:
        spec = as_mapping(self.outcomes.redact(variant, variant.object.get("spec")))
        kind = self.rendered.hub.catalogue.kind(variant.ref.group, variant.ref.kind)
        return as_mapping(read_times(fill_defaults(kind, spec, sorts=True)))

    def write(
        self, judged: JudgedBlueprint, bundle: Bundle, item: EffectivePolicy
    ) -> tuple[_Words, CallerVerdict]:
        """Return what policies of a kind ask, by its label, and the verdict on anybody."""
        key = (*map(id, (item.likely, *item.others)), hash(item.path.backend))
        if key not in self._answers:
            self._answers[key] = item, *self._write(judged, bundle, item)
        return self._answers[key][1:]

    def _write(
        self, judged: JudgedBlueprint, bundle: Bundle, item: EffectivePolicy
    ) -> tuple[_Words, CallerVerdict]:
        kind = self.rendered.hub.catalogue.kind(item.group, item.kind)
        of = f"{item.path.backend}: " if item.path.backend is not None else ""
        counters, targets = kind.traits.counters, dict(zip(item.stack, item.targets, strict=True))

        def describe(rule: EffectiveRule) -> str:
            value = self.outcomes.redact(judged.variants[rule.policy], rule.value)
            text = f"{of}{describe_rule(kind, replace(rule, value=value))}"
            is_counted = counters is not None and rule.field[-2:-1] == (counters.limits,)
            is_shared = is_counted and targets.get(rule.policy) != item.path.levels[-1]
            return f"{text}, counted over the whole route" if is_shared else text

        words = grouped((label_rule(kind, rule), describe(rule)) for rule in item.likely.asked)
        about = f"{of}{item.kind}: "
        if item.likely.unknown:
            words["unknown"] = [f"{about}{item.likely.unknown}"]
        if item.likely.failing:
            words["fails"] = [f"{about}{item.likely.failing}"]
        for other in item.others:
            either = " and ".join(sorted(map(describe, other.asked))) or other.failing or "nothing"
            words.setdefault("unknown", []).append(f"or, {_ONLY_THERE}, {about}{either}")
        possible = item.likely, *item.others
        return words, judge_caller(kind, possible, NOBODY, bundle.filled)


class _HostWriter:
    """Writes the hosts of one blueprint, of which `bundle` is a spoke."""

    def __init__(self, words: _PolicyWords, judged: JudgedBlueprint, bundle: Bundle) -> None:
        self._words, self._judged, self._bundle = words, judged, bundle
        self._topology, self._closed = judged.judgement.topology, judged.judgement.faults.closed
        self._find_kind = words.rendered.hub.catalogue.kind
        self._list_policies = partial(words.outcomes.list_on_path, judged)
        self.hosts = list_hosts(self._topology)
        # Plugins look for policies of wider hostnames, too.
        wide = (host.paths for host in self.hosts if host.name.startswith(EVERY_NAME))
        self._wide = [*chain.from_iterable(wide)]

    def make_key(self, host: ExposedHost) -> tuple[object, ...]:
        """Return a key that is equal for blueprints on which a host has the same answers."""
        paths = dict.fromkeys((*host.paths, *self._wide))
        objects = {ref.whole: None for path in host.paths for ref in path.levels}
        shared = (self._judged.judgement.faults, *map(self._judged.variants.get, objects))
        policies = chain.from_iterable(map(self._list_policies, paths))
        outcomes = (each for it in policies for each in (it.likely, *it.others))
        return (host, *map(id, shared), *map(id, outcomes))

    def write(self, host: ExposedHost) -> AnsweredHost:
        """Return the answers to all requests for a host."""
        path, (_, port, protocol) = host.listeners[0], host.entrance
        placed = {place.ref: place.hub for place in self._judged.blueprint.placed}
        whys = [self._closed.get(each.section, "") for each in host.listeners]
        policies = chain.from_iterable(map(self._list_policies, host.own))
        settings = chain.from_iterable(map(self._list_settings, host.own))
        about = {
            "gateway": f"{path.gateway.namespace}/{path.gateway.name}",
            "class": path.gateway_class,
            "port": "Unknown: the spoke has its own listener" if port == "" else port,
            "protocol": protocol,
            "closed": "" if "" in whys else whys[0],
            "settings": sorted({text for fields in settings if fields for text in flatten(fields)}),
            **self._write_policies(policies)[0],
        }
        sets = {(each.place, each.match): self._write_set(each) for each in host.sets}
        rest = f"{find_rest({protocol})}{find_further_routes(self._words.rendered, host.plain)}"
        place = placed.get(path.gateway, path.gateway), str(port), protocol
        return AnsweredHost(
            host.name, place, _settle(about), {key: it for key, it in sets.items() if it}, rest
        )

    def _list_settings(self, path: RequestPath) -> Iterator[Json]:
        """Yield the fields of a listener and its Gateway that requests may notice."""
        holder, gateway = map(self._read_spec, (path.section.whole, path.gateway))
        named = {it.get("name"): it for it in as_mappings(holder.get("listeners"))}
        for fields in (named.get(path.listener, {}), gateway):
            yield {key: value for key, value in fields.items() if key not in _ELSEWHERE}

    def _read_spec(self, ref: Ref) -> Mapping[str, Any]:
        """Return a spec with the defaults of its kind; empty if no file has the object."""
        variant = self._judged.variants.get(ref)
        return self._words.read_spec(variant) if variant is not None else {}

    def _write_set(self, each: RequestSet) -> _Words:
        """Return what becomes of a set of requests; nothing where their listener is closed."""
        request, fill = self._bundle.filled(each.witness), self._bundle.filled
        paths = [path for path in each.paths if path.section not in self._closed]
        if not paths:
            return {}
        first, *others = (
            self._write_rule(path, self._lookup.find(path, request, fill)) for path in paths
        )
        unsure = [] if each.is_sure else [f"another set takes them, {_ONLY_THERE}"]
        return _settle({"match": each.match, **first, "or": [*others, *unsure]})

    @cached_property
    def _lookup(self) -> PluginLookup:
        effective = self._judged.judgement.effective
        kinds = ((item, self._find_kind(item.group, item.kind)) for item in effective)
        return PluginLookup(self._topology, kinds)

    def _write_rule(self, path: RequestPath, plugin: PluginAnswer) -> _Words:
        own = [(it, self._find_kind(it.group, it.kind)) for it in self._list_policies(path)]
        in_force = grouped((it.path.route, it) for it, kind in own if is_about_requests(kind))
        words, verdict = self._write_policies([*in_force.get(path.route, ()), *plugin.join()])
        verdict = join_verdicts([verdict, self._write_policies(in_force.get(None, ()))[1]])
        is_found = any(kind.found_by is FoundBy.PLUGIN for _, kind in own)
        if why := plugin.explain(path, is_found):
            words.setdefault("who", []).append(f"the gateway's plugin finds {why}")
        if asks_service(self._topology, path):
            verdict = join_verdicts([CallerVerdict(None, "a service"), verdict])
        route = path.levels[-2]
        index = [*read_matches(self._topology.nodes[route])].index(path.rule)
        rules = as_mappings(self._read_spec(route).get("rules"))
        fields = rules[index] if rules else {}
        does = [
            ", ".join(flatten(item, key))
            for key, value in fields.items()
            for item in (value if isinstance(value, list) else [value])
            if key not in _NOT_DONE
        ]
        failing, backends = read_backends(self._judged, path, fields)
        unknown = f"Unknown: depends on {verdict.why}"
        answered: _Words = {"anonymous": _VERDICTS.get(verdict.is_admitted, unknown), **words}
        to = _share_backends(zip(backends, as_mappings(fields.get("backendRefs")), strict=True))
        fails = [*words.get("fails", ()), *([failing] if failing else ())]
        answered |= {"does": does, "to": to, "fails": fails}
        return {label: it for label, it in answered.items() if it}

    def _write_policies(self, items: Iterable[EffectivePolicy]) -> tuple[_Words, CallerVerdict]:
        parts = [self._words.write(self._judged, self._bundle, item) for item in items]
        words = grouped((label, text) for own, _ in parts for label in own for text in own[label])
        order = sorted(words, key=lambda label: (label != "who", label != "limit", label))
        verdict = join_verdicts(verdict for _, verdict in parts)
        return {label: sorted({*words[label]}) for label in order}, verdict


def _share_backends(backends: Iterable[tuple[AnsweringBackend, Mapping[str, Any]]]) -> list[str]:
    """Return in words each backend that gets requests, once, with its part of them."""
    weights: dict[str, Any] = {}
    for backend, entry in backends:
        filters = [text for it in entry.get("filters", ()) for text in flatten(it, "filters")]
        text = ", ".join((str(replace(backend, share="")), *filters))
        weight = entry.get("weight", 1)
        # The number of a slot is none that can be added.
        is_number = type(weight) is int
        text = text if is_number else f"{text}, weight {weight}"
        weights[text] = weights.get(text, 0) + (weight if is_number else 1)
    used = {text: weight for text, weight in weights.items() if weight}
    total = sum(used.values())
    shares = ((text, Fraction(weight, total)) for text, weight in used.items())
    return sorted(text if part == 1 else f"{text}, {part} of the requests" for text, part in shares)


def _settle(words: _Words) -> _Words:
    """Return what there are words for; slots in them have no marks."""
    settled: _Words = map_texts({label: it for label, it in words.items() if it}, settle_marks)
    return settled


class _Exposure:
    """Writes the answers of a fleet: equal ones once, with the spokes that have others."""

    def __init__(self, hosts: _Variants, due: Collection[Bundle]) -> None:
        self._fleet = NamedFleet(due)
        self._hosts = [
            (host, name)
            for host, bundles in hosts
            for name in self._fleet.list_named(host.name, bundles)
        ]
        self._names = [*self._fleet.match([name for _, name in self._hosts])]
        # Else all spokes have slots for the same values.
        self._are_mixed = any(name != self._hosts[it][1][0] for it, name, _ in self._names)
        labels = ((pair, it.spoke.name) for it in due for pair in it.spoke.labels.items())
        self._by_label = {pair: set(names) for pair, names in grouped(labels).items()}
        self._every = {it.spoke.name: set(it.spoke.labels.items()) for it in due}

    def list_documents(self) -> Iterator[tuple[str, _Words]]:
        """Yield the documents, by hostname; spokes that name a host alike share one."""
        by_name: dict[str, list[tuple[AnsweredHost, Collection[Bundle]]]] = {}
        for number, template, bundles in self._names:
            name = self._fleet.show(template)
            by_name.setdefault(name, []).append((self._hosts[number][0], bundles))
        for name, variants in sorted(by_name.items()):
            by_place = grouped((it[0].place, it) for it in variants)
            entrances = [self._write_host(by_place[place]) for place in sorted(by_place)]
            yield name, {"host": name, "entrances": entrances}

    def _write_host(self, variants: _Variants) -> _Words:
        """Return what becomes of the requests for a host at one entrance."""
        every = len([bundle for _, bundles in variants for bundle in bundles])
        sets = grouped((key, (it.sets[key], of)) for it, of in variants for key in it.sets)
        by_path = sorted(sets, key=lambda key: key[0][1])
        ordered = sorted(by_path, key=lambda key: key[0][0], reverse=True)
        requests = [self._share(sets[key], every) for key in ordered]
        requests.append(self._share([(_write_rest(it), of) for it, of in variants], every))
        about = self._share([(it.about, of) for it, of in variants])
        return {**about, "requests": _join_equal(requests)}

    def _share(self, entries: Iterable[_OfSpokes], every: int = 0) -> _Words:
        """Return what most of some spokes have, with what others of these have.

        The spokes are named unless they are `every` one.
        """
        given = [*entries]
        parts = [part for words, of in given for part in self._fleet.list_named(words, of)]
        alike = grouped((fingerprint(words), (words, of)) for words, of in parts)
        joined = [(own[0][0], [*chain(*(of for _, of in own))]) for own in alike.values()]
        are_mixed = self._are_mixed or len(parts) > len(given)
        texts: dict[str, tuple[_Words, list[Bundle]]] = {}
        for words, of in self._fleet.join(joined) if are_mixed else joined:
            shown = self._fleet.show(words)
            texts.setdefault(fingerprint(shown), (shown, []))[1].extend(of)
        (_, (usual, of)), *others = sorted(texts.items(), key=lambda it: (-len(it[1][1]), it[0]))
        total = [*of, *(bundle for _, (_, some) in others for bundle in some)]
        where = {"spokes": self._name_spokes(total)} if len(total) != every else {}
        changed = [
            {"spokes": self._name_spokes(some), **_find_changed(usual, words)}
            for _, (words, some) in others
        ]
        return {**where, **usual, **({"except": changed} if changed else {})}

    def _name_spokes(self, bundles: Iterable[Bundle]) -> Json:
        """Return `all`, a label selector that selects just these spokes, or their names."""
        names = {bundle.spoke.name for bundle in bundles}
        if len(names) == len(self._every):
            return "all"
        common = sorted(set.intersection(*map(self._every.__getitem__, names)))
        if len(names) == 1 or self._select(common) != names:
            return sorted(names)
        for pair in [*common]:
            rest = [it for it in common if it != pair]
            common = rest if self._select(rest) == names else common
        return ",".join(map("=".join, common))

    def _select(self, labels: Iterable[tuple[str, str]]) -> Collection[str]:
        return set(self._every).intersection(*map(self._by_label.__getitem__, labels))


def _find_changed(usual: _Words, own: _Words) -> _Words:
    """Return what is otherwise than usual, and `none` for what is not there."""
    labels = (label for label in {**usual, **own} if usual.get(label) != own.get(label))
    return {label: own.get(label, "none") for label in labels}


def _write_rest(host: AnsweredHost) -> _Words:
    return {"match": "every other request", "served": False, "why": host.rest}


def _join_equal(requests: Iterable[_Words]) -> list[_Words]:
    """Join sets that follow each other and have the same answer."""
    joined: list[_Words] = []
    for _, same in groupby(requests, key=lambda words: {**words, "match": ""}):
        first, *others = same
        every = [first["match"], *(words["match"] for words in others)]
        joined.append({**first, "match": every if others else every[0]})
    return joined
