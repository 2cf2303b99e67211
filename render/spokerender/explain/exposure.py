"""The exposure of a fleet: the callers that each hostname admits, as files to compare."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import chain, groupby
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.explain.answered import AnsweringBackend, AnsweringRule
from spokerender.explain.asking import (
    AnswerReader,
    Asked,
    find_further_routes,
    is_about_requests,
)
from spokerender.explain.lookup import group_by_blueprint
from spokerender.explain.outcomes import JudgedOutcome
from spokerender.explain.values import EffectiveAnswer
from spokerender.explain.words import flatten, label_rule, read_words
from spokerender.formats.comparing import fingerprint
from spokerender.formats.yamlio import proven
from spokerender.judging.answers import find_rest
from spokerender.judging.effective.outcomes import EffectiveRule
from spokerender.judging.effective.rates import read_times
from spokerender.judging.fleet.hosts import ExposedHost, RequestSet, list_hosts
from spokerender.judging.fleet.judged import Aspect, JudgedBlueprint, JudgedFleet
from spokerender.judging.validation.defaults import fill_defaults
from spokerender.kinds.kind import Kind
from spokerender.model import Ref, grouped
from spokerender.model.memo import remembered
from spokerender.model.shapes import Json, as_mapping, as_mappings, map_children
from spokerender.rendering.values.bundles import Bundle, Variant
from spokerender.rendering.values.joining import join_limits
from spokerender.rendering.values.layout import fitted
from spokerender.rendering.values.named import NamedFleet
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.hostnames import list_matching
from spokerender.topology.matches import EVERY_REQUEST, connect, read_matches
from spokerender.topology.paths import RequestPath

_NOTE = """\
# Who may call this host, and what becomes of requests: the first set that fits a request takes it.
# +argocd:skip-file-rendering
"""
"""The second line keeps a directory Application of Argo CD from reading the file (v3.5.7)."""
_PLACEHOLDER = re.compile(r"\{\{ (?:spoke\.values\.(?!spoke\.))?(.*?) \}\}")
_Words = dict[str, Any]
"""Texts by label; tuples of texts have no particular order."""
_Variants = Sequence[tuple["AnsweredHost", Collection[Bundle]]]
_OF_LISTENER = ("name", "hostname", "port", "protocol")
_ELSEWHERE = (*_OF_LISTENER, "listeners", "allowedListeners", "allowedRoutes", "gatewayClassName")
"""Fields of Gateways and listeners by which requests find them, and fields about routes."""
_NOT_DONE = ("name", "matches", "backendRefs")
_ONLY_THERE = "as only the cluster can decide"
_BY_PLUGIN = "as the gateway's plugin finds policies, which are not those of the rule"
_VERDICTS: Mapping[bool | None, str] = {True: "served", False: "refused"}


class AnsweredHost(Struct, frozen=True, eq=False):
    """The answers to all requests for a hostname at one port of a Gateway; texts may have slots.

    `place` are the hub's Gateway, port and protocol. `sets` has the order, match and texts of each
    set of requests. `rest` says what happens to all other requests; empty if there are none.
    """

    name: str
    place: tuple[Ref, str, str]
    about: _Words
    sets: tuple[tuple[tuple[Any, ...], str, _Words], ...]
    rest: _Words


def write_exposure(rendered: Rendered, judge: Callable[..., JudgedFleet]) -> Mapping[str, str]:
    """Return the file of each hostname, by path; `judge` is the pipeline's judging function."""
    joined = join_limits(rendered)
    fleet = judge(joined, (), Aspect.HOSTS)
    hosts = _HostWriter(joined).write_hosts(fleet)
    documents = _Exposure(fleet.bundles.values()).list_documents(hosts)
    return {name_file(host): _NOTE + proven(data) for host, data in documents}


def name_file(host: str) -> str:
    """Return the path of a host's file, with `_` around placeholders and instead of `*`."""
    plain = re.sub(r"[^A-Za-z0-9.{} *-]", lambda match: f"%{ord(match[0]):02x}", host)
    name = _PLACEHOLDER.sub(r"_\1_", plain).replace("*", "_")
    return fitted(f"exposure/{re.sub('[{} ]', '%', name)}.yaml")


class _HostWriter:
    """Writes the answers to requests; facts that several blueprints share are written once."""

    def __init__(self, rendered: Rendered) -> None:
        self._rendered, self._reader = rendered, AnswerReader(rendered, with_lines=False)
        self._outcomes, self._find_kind = self._reader.outcomes, rendered.hub.catalogue.kind
        self._read_spec = remembered(self._read)
        self._write = remembered(str)

    def write_hosts(self, fleet: JudgedFleet) -> _Variants:
        """Return the answers for each host, with the spokes that share them."""
        shared: dict[tuple[object, ...], tuple[AnsweredHost, list[Bundle]]] = {}
        for judged, bundles in group_by_blueprint(fleet):
            hosts = list_hosts(judged.judgement.topology)
            paths = grouped((host.name, path) for host in hosts for path in host.paths)
            deciding_all = partial(self._list_deciding, judged, lambda _: True)
            deciding = remembered(partial(self._list_deciding, judged, is_about_requests))
            for host in hosts:
                # Plugins look for policies of wider hostnames, too.
                above = list_matching(host.name)
                near = dict.fromkeys(path for name in above for path in paths.get(name, ()))
                faults = id(judged.judgement.faults)
                key = host, faults, *map(deciding_all, host.own), *map(deciding, near)
                if key not in shared:
                    shared[key] = self._write_host(judged, bundles[0], host), []
                shared[key][1].extend(bundles)
        return [*shared.values()]

    def _list_deciding(
        self, judged: JudgedBlueprint, decides: Callable[[Kind], bool], path: RequestPath
    ) -> tuple[int, ...]:
        """Return the `id` of a path's objects, and of outcomes whose kind satisfies `decides`."""
        in_force = map(self._reader.add_kind, self._outcomes.list_on_path(judged, path))
        items = (item for item, kind in in_force if decides(kind))
        outcomes = (each for item in items for each in (item.likely, *item.others))
        objects = (judged.variants.get(ref) for ref in path.levels[1:])
        return tuple(map(id, chain(objects, outcomes)))

    def _write_host(
        self, judged: JudgedBlueprint, bundle: Bundle, host: ExposedHost
    ) -> AnsweredHost:
        path, (_, port, protocol) = host.listeners[0], host.entrance
        closed = judged.judgement.faults.closed
        whys = [closed.get(each.section, "") for each in host.listeners]
        fields = (each for own in host.own for each in self._list_settings(judged, own))
        policies = (
            self._outcomes.read(JudgedOutcome(judged, bundle, item))
            for own in host.own
            for item in self._outcomes.list_on_path(judged, own)
        )
        about = {
            "gateway": f"{path.gateway.namespace}/{path.gateway.name}",
            "class": path.gateway_class,
            "port": "Unknown: the spoke has its own listener" if port == "" else port,
            "protocol": protocol,
            "closed": "" if "" in whys else whys[0],
            "settings": tuple(text for each in fields for text in flatten(each)),
            **self._write_policies(judged, policies),
        }
        opened = [
            (each, paths)
            for each in host.sets
            if (paths := [path for path in each.paths if path.section not in closed])
        ]
        sets = (
            (each.place, each.match, self._write_set(judged, bundle, each, paths))
            for each, paths in opened
        )
        is_whole = any(each.match == EVERY_REQUEST and each.is_sure for each, _ in opened)
        further = find_further_routes(self._rendered, connect("", port, protocol))
        why = f"{find_rest({protocol})}{further}"
        rest = {} if is_whole else {"match": "every other request", "served": False, "why": why}
        placed = {place.ref: place.hub for place in judged.blueprint.placed}
        place = placed.get(path.gateway, path.gateway), str(port), protocol
        return AnsweredHost(host.name, place, _leave(about), tuple(sets), rest)

    def _list_settings(self, judged: JudgedBlueprint, path: RequestPath) -> Iterator[_Words]:
        """Yield the fields of a listener and its Gateway that requests may notice."""
        holder, gateway = (
            self._read_spec(judged.variants.get(ref)) for ref in (path.section.whole, path.gateway)
        )
        named = {it.get("name"): it for it in as_mappings(holder.get("listeners"))}
        for fields in (named.get(path.listener, {}), gateway):
            if left := {key: value for key, value in fields.items() if key not in _ELSEWHERE}:
                yield left

    def _read(self, variant: Variant | None) -> Mapping[str, Any]:
        """Return a spec with the defaults of its kind; empty if no file has the object."""
        if variant is None:
            return {}
        spec = as_mapping(self._outcomes.redact(variant, variant.object.get("spec")))
        kind = self._find_kind(variant.ref.group, variant.ref.kind)
        return as_mapping(read_times(fill_defaults(kind, spec, sorts=True)))

    def _write_set(
        self,
        judged: JudgedBlueprint,
        bundle: Bundle,
        each: RequestSet,
        paths: Sequence[RequestPath],
    ) -> _Words:
        """Return the texts for a set of requests on its possible paths."""
        lookup, witness = self._reader.prepare(judged).lookup, bundle.filled(each.witness)
        plugin = {path: lookup.find(path, witness, bundle.filled) for path in paths}
        asked = Asked(judged, bundle, witness, (), plugin)
        rules = [self._reader.read_rule(asked, path, is_sample=True) for path in paths]
        first, *others = map(partial(self._write_rule, judged), paths, rules)
        unsure = [] if each.is_sure else [f"another set takes them, {_ONLY_THERE}"]
        return _leave({"match": each.match, **first, "or": [*others, *unsure]})

    def _write_rule(
        self, judged: JudgedBlueprint, path: RequestPath, answer: AnsweringRule
    ) -> _Words:
        # Policies of the listener are written with the listener.
        policies = (it for it in answer.policies if it.path.route is not None)
        words = self._write_policies(judged, policies)
        if answer.plugin:
            words = {"who": (_BY_PLUGIN, *words.pop("who", ())), **words}
        depends = f"Unknown: depends on {answer.anonymous.why}"
        route = path.levels[-2]
        rules = as_mappings(self._read_spec(judged.variants.get(route)).get("rules"))
        index = [*read_matches(judged.judgement.topology.nodes[route])].index(path.rule)
        fields = rules[index] if rules else {}
        does = [
            ", ".join(flatten(item, key))
            for key, value in fields.items()
            for item in (value if isinstance(value, list) else [value])
            if key not in _NOT_DONE
        ]
        backends = zip(answer.backends, as_mappings(fields.get("backendRefs")), strict=True)
        return _leave(
            {
                "anonymous": _VERDICTS.get(answer.anonymous.is_admitted, depends),
                **words,
                "does": does,
                "to": _share_backends(backends),
                "fails": (*words.get("fails", ()), *filter(None, [answer.failing])),
            }
        )

    def _write_policies(
        self, judged: JudgedBlueprint, policies: Iterable[EffectiveAnswer]
    ) -> _Words:
        """Return the texts for policies, by label."""
        words = grouped(text for policy in policies for text in self._list_texts(judged, policy))
        order = sorted(words, key=lambda label: (label != "who", label != "limit", label))
        return {label: tuple(words[label]) for label in order}

    def _list_texts(
        self, judged: JudgedBlueprint, policy: EffectiveAnswer
    ) -> Iterator[tuple[str, str]]:
        """Yield the label and the text of each rule of a kind's policies."""
        kind = self._find_kind(policy.group, policy.kind)
        of = f"{policy.path.backend}: " if policy.path.backend is not None else ""

        def describe(rule: EffectiveRule) -> tuple[str, str]:
            counters = kind.traits.counters
            is_counted = counters is not None and rule.field[-2:-1] == (counters.limits,)
            targets = judged.judgement.attachments[rule.policy].targets
            # Limitador's counters are per route, unless a policy targets the rule itself.
            is_shared = is_counted and policy.path.levels[-1] not in targets
            whole = ", counted over the whole route" if is_shared else ""
            # In answers the marks around values are settled; here they are written out later.
            words = self._write(read_words(kind, rule))
            return label_rule(kind, rule), f"{of}{words}{whole}"

        yield from (describe(item.rule) for item in policy.rules or policy.candidates)
        for label, why in (("unknown", policy.unknown), ("fails", policy.failing)):
            if why:
                yield label, f"{of}{policy.kind}: {why}"
        for other in policy.others:
            either = " and ".join(sorted(describe(it.rule)[1] for it in other)) or "nothing"
            yield "unknown", f"or, {_ONLY_THERE}, {of}{policy.kind}: {either}"


def _leave(words: _Words) -> _Words:
    """Return the texts without empty entries."""
    return {label: it for label, it in words.items() if it}


def _share_backends(
    backends: Iterable[tuple[AnsweringBackend, Mapping[str, Any]]],
) -> tuple[str, ...]:
    """Return a text for each backend that gets requests, with its share."""
    weights = Counter[str]()
    for backend, entry in backends:
        filters = [text for it in entry.get("filters", ()) for text in flatten(it, "filters")]
        text, weight = (
            ", ".join((str(replace(backend, share="")), *filters)),
            entry.get("weight", 1),
        )
        # The number of a slot can't be added.
        is_number = type(weight) is int
        weights[text if is_number else f"{text}, weight {weight}"] += weight if is_number else 1
    total = sum(weights.values())
    return tuple(
        text if weight == total else f"{text}, {Fraction(weight, total)} of the requests"
        for text, weight in weights.items()
        if weight
    )


class _Exposure:
    """Writes the answers of a fleet: common answers once, with exceptions for other spokes."""

    def __init__(self, every: Collection[Bundle]) -> None:
        self._fleet = NamedFleet(every)
        self._labels = {it.spoke.name: set(it.spoke.labels.items()) for it in every}

    def list_documents(self, hosts: _Variants) -> Iterator[tuple[str, _Words]]:
        """Yield the documents by hostname; spokes with the same name for a host share one."""
        by_name: dict[str, list[tuple[AnsweredHost, Collection[Bundle]]]] = {}
        names = self._fleet.show([(host.name, bundles) for host, bundles in hosts])
        for number, name, some in names:
            by_name.setdefault(name, []).append((hosts[number][0], some))
        for name, variants in sorted(by_name.items()):
            by_place = grouped((it[0].place, it) for it in variants)
            entrances = [self._write_host(by_place[place]) for place in sorted(by_place)]
            yield name, {"host": name, "entrances": entrances}

    def _write_host(self, variants: _Variants) -> _Words:
        """Return the texts for a host's requests at one port of a Gateway, joined over spokes."""
        every = len([bundle for _, bundles in variants for bundle in bundles])
        sets = grouped(
            ((place, match), (words, of)) for it, of in variants for place, match, words in it.sets
        )
        by_path = sorted(sets, key=lambda key: key[0][1])
        ordered = sorted(by_path, key=lambda key: key[0][0], reverse=True)
        rest = [(it.rest, of) for it, of in variants if it.rest]
        entries = (*map(sets.__getitem__, ordered), *([rest] if rest else ()))
        about = self._share([(it.about, of) for it, of in variants])
        return {**about, "requests": _join_equal(self._share(each, every) for each in entries)}

    def _share(
        self, entries: Sequence[tuple[_Words, Collection[Bundle]]], every: int = 0
    ) -> _Words:
        """Return the entry of most spokes, with the differing entries of other spokes in `except`.

        Unless `every` spokes have an entry, the spokes that have one are named in `spokes`.
        """
        texts: dict[str, tuple[_Words, list[Bundle]]] = {}
        for _, slotted, of in self._fleet.show(entries):
            words = _sort(slotted)
            texts.setdefault(fingerprint(words), (words, []))[1].extend(of)
        (_, (usual, of)), *others = sorted(texts.items(), key=lambda it: (-len(it[1][1]), it[0]))
        total = [*of, *(bundle for _, (_, some) in others for bundle in some)]
        where = {"spokes": self._name_spokes(total)} if len(total) != every else {}
        changed = [
            {"spokes": self._name_spokes(some), **_find_changed(usual, words)}
            for _, (words, some) in others
        ]
        return {**where, **usual, **({"except": changed} if changed else {})}

    def _name_spokes(self, bundles: Iterable[Bundle]) -> Json:
        """Return `all`, the labels that select exactly these spokes, or their names."""
        names = {bundle.spoke.name for bundle in bundles}
        if len(names) == len(self._labels):
            return "all"
        common = sorted(set.intersection(*map(self._labels.__getitem__, names)))
        for labels in (*([pair] for pair in common), common) if len(names) > 1 else ():
            if names == {name for name, own in self._labels.items() if own.issuperset(labels)}:
                return ",".join(map("=".join, labels))
        return sorted(names)


def _sort(words: Json) -> Json:
    """Return a copy of `words` with a sorted list in place of each tuple."""
    # Not earlier, as a slot sorts otherwise than its value, and two slots may have one value.
    return sorted({*words}) if isinstance(words, tuple) else map_children(words, _sort)


def _find_changed(usual: _Words, own: _Words) -> _Words:
    """Return the entries of `own` that differ from `usual`; `none` for entries that `own` lacks."""
    labels = (label for label in {**usual, **own} if usual.get(label) != own.get(label))
    return {label: own.get(label, "none") for label in labels}


def _join_equal(requests: Iterable[_Words]) -> list[_Words]:
    """Return the sets of requests; adjacent sets with the same answer are joined."""
    # Sets are in the order of precedence, so only adjacent sets can become one.
    joined: list[_Words] = []
    for _, same in groupby(requests, key=lambda words: {**words, "match": ""}):
        first, *others = same
        every = [first["match"], *(words["match"] for words in others)]
        joined.append({**first, "match": every if others else every[0]})
    return joined
