"""Objects that spokes need and that are only in the hub's files, as spokes get them elsewhere.

Secrets are never rendered, classes rarely. If a change removes such an object or its declaration
(`external`), or removes a needed part of it, or changes it otherwise, objects that refer to it may
behave differently or fail.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from spokerender.findings.codes import review as codes
from spokerender.findings.codes.review import NEWLY_NEEDED
from spokerender.findings.results import INFO
from spokerender.formats.comparing import is_same_json
from spokerender.judging.judgement import Judgement
from spokerender.kinds.needs import Requirement, list_needed_objects
from spokerender.model import NAMESPACE, SECRET, Origin, Ref
from spokerender.model.memo import memoised
from spokerender.rendering.values.alike import AlikeFleet
from spokerender.rendering.values.rendered import Rendered
from spokerender.review.comparison.views import SharedViews, SpokeView, Way, recall_needs
from spokerender.review.meaning.backends import find_failing, list_named
from spokerender.review.meaning.drafts import Draft
from spokerender.review.meaning.objects import ViewComparison
from spokerender.review.values import Consequence, Topic
from spokerender.topology.node import Node, name_rules
from spokerender.topology.paths import Levels

NewlyNeeded = tuple[str, Ref, Ref | None, Origin | None]
"""A new need: text and object; if known, the object that needs it and the line of the need."""
_Place = tuple[Levels, tuple[str, ...]]
"""A path, and the hostnames that it serves."""
_CHANGES = "changes; its effect on requests is not known"
_COMES = "is in the files now; whether spokes had it before is not known"
_NOWHERE: _Place = ((), ())


class NeededComparison(ViewComparison):
    """The comparison of objects that other objects need, before and after a change."""

    def drafts(self) -> Iterator[Draft]:
        """Yield each needed object that is missing, new or changed, on the paths that need it."""
        sides = self._old.shared.external, self._new.shared.external
        is_declared_alike = sides[0] == sides[1]
        # If all of these are empty, nothing below can differ; that is the most common case.
        if is_declared_alike and not (self._less or self._more or self._other):
            return
        gone = frozenset(self._objects.gone)
        for ref in self._new.variants:
            node = self._new.nodes[ref]
            for need in _list_needs(self._new, ref, node):
                for owner, item in ((ref, need), *self._list_indirect(need.ref)):
                    yield from self._draft_change(ref, node, need, item.ref)
                    if is_declared_alike and item.ref not in self._less:
                        continue
                    if node.is_route and item.ref in gone:
                        continue  # a backend or filter that goes from the spoke is told as such
                    was, why = (_explain_missing(it, item) for it in (self._old, self._new))
                    if why and not was:
                        text = f"{owner} needs {item.ref}, {why}"
                        yield from self._draft_missing(ref, node, need, item.ref, text)

    @cached_property
    def _less(self) -> frozenset[Ref]:
        """The objects that are deleted, or have other keys or ports than before."""
        old, new = (_list_referents(view.judgement) for view in (self._old, self._new))
        altered = (
            was
            for ref, was in self._objects.altered.items()
            if _list_parts(self._old.nodes[was]) != _list_parts(self._new.nodes[ref])
        )
        around = (ref for ref, parts in old.items() if new.get(ref) != parts)
        return frozenset((*around, *altered, *self._objects.gone))

    @cached_property
    def _more(self) -> frozenset[Ref]:
        """The objects that are new in the hub, but not shipped, and were not declared before."""
        old, new = (_list_referents(view.judgement).keys() for view in (self._old, self._new))
        names = {*map(self._successors.name, old)}
        more = (ref for ref in new - names if ref not in self._new.variants)
        return frozenset(ref for ref in more if ref not in self._old.shared.external)

    @cached_property
    def _other(self) -> frozenset[Ref]:
        """The objects that exist in both states and differ, and that no other code compares."""
        others = _find_altered(self._old.shared, self._new.shared)
        return (others - self._new.variants.keys()) | self._objects.unread

    def list_changed(self) -> frozenset[Ref]:
        """Return the changed objects that other objects need and that no other code compares."""
        # Objects that no other comparison reads.
        own = self._objects.unread
        needs = (
            need.ref
            for ref, node in (self._new.nodes.items() if own else ())
            if ref in self._new.variants
            for need in _list_needs(self._new, ref, node)
        )
        return own.intersection(needs)

    def _list_indirect(self, ref: Ref) -> Iterator[tuple[Ref, Requirement]]:
        """Yield `ref` with each of its needs if only the hub has it, as parameters of a class."""
        data = self._new.shared.hub.get(ref)
        if data is None or ref in self._new.variants:
            return
        needs = self._new.kind((ref.group, ref.kind)).needs
        for item in list_needed_objects(needs, data, ref.namespace):
            # References that stay on the hub do not concern spokes.
            if item.selector is None and item.ref.kind not in item.row.stays:
                yield ref, item

    def _draft_missing(
        self, ref: Ref, node: Node, need: Requirement, missing: Ref, message: str
    ) -> Iterator[Draft]:
        draft = Draft(
            kind=codes.NEEDED_MISSING,
            topic=Topic.TRAFFIC,
            message=message,
            cause=self._objects.cause_of_needed(missing, ref),
            others=(ref, missing),
            cure="keep it, or declare in fleet.yaml (external) that the spokes have it",
        )
        _, failing = find_failing(self._successors)
        for one in self._on_places(draft, ref, node, need):
            fails = failing.of(one.levels)  # which is told as such
            if {ref, need.ref, *one.levels[-2:-1]}.isdisjoint(part.whole for part in fails):
                yield one

    def _draft_change(self, ref: Ref, node: Node, need: Requirement, name: Ref) -> Iterator[Draft]:
        """Yield drafts if an object that `ref` needs is changed or new in the files."""
        # A new object may have new needs.
        lasts = self._successors.earlier.get(ref, ref) in self._old.variants
        if name not in self._other and not (lasts and name in self._more):
            return
        what = _CHANGES if name in self._other else _COMES
        is_own = name in self._new.variants
        draft = Draft(
            kind=codes.EFFECT_NOT_KNOWN,
            topic=Topic.OBJECTS,
            message=f"{name} {what}" if is_own else f"{name}, which {ref} needs, {what}",
            cause=self._objects.cause_of_needed(name, ref),
            others=(ref, name),
            cure="read the change"
            if is_own
            else "read the change, which is for the spokes that have it from elsewhere",
            severity=None if name in self._other else INFO,
        )
        yield from self._on_places(draft, ref, node, need)

    def _on_places(self, draft: Draft, ref: Ref, node: Node, need: Requirement) -> Iterator[Draft]:
        """Yield a draft for each path of the object with the need, or for no path."""
        policies = (ref,) if self._new.kind((ref.group, ref.kind)).is_policy else ()
        for levels, hostnames in self._list_places(ref, node, need) or [_NOWHERE]:
            yield replace(draft, levels=levels, hostnames=hostnames, policies=policies)

    @staticmethod
    def _find_sections(node: Node, need: Requirement) -> Iterator[Ref]:
        """Yield the listener or rule with the field that has the need."""
        match need.path:
            case ("spec", "listeners", int(index), *_) if index < len(node.listeners):
                yield node.ref.section(node.listeners[index].name)
            case ("spec", "rules", int(index), *_) if index < len(node.rules):
                yield node.ref.section(name_rules(node.rules)[index])

    def _list_places(self, ref: Ref, node: Node, need: Requirement) -> list[_Place]:
        ways: list[Way] = []
        sections = [*self._find_sections(node, need)]
        if node.is_route:
            about = sections or [ref.section(name) for name in name_rules(node.rules)]
            ways = [way for way in self._new.rules.values() if way.levels[-1] in about]
        elif sections:
            ways = [way for way in self._new.listeners.values() if way.levels[-1] in sections]
        elif node.listeners:  # with those of ListenerSets, which hang on what a Gateway needs
            ways = [way for way in self._new.listeners.values() if way.leads_through(ref)]
        else:
            users = list_named(self._new, {ref})
            ways = [way for way in self._new.rules.values() if way.levels[-1] in users]
        places = [(way.levels, way.hostnames) for way in ways]
        levels = self._new.find_paths(ref) if not ways else ()
        return [*places, *((each, ()) for each in levels)]


def _list_needs(view: SpokeView, ref: Ref, node: Node) -> Iterator[Requirement]:
    """Yield the requirements of the object `ref`; its backends and filters only if used."""
    needs = view.kind((ref.group, ref.kind)).needs
    yield from recall_needs(needs, view.object_of(ref), ref.namespace)
    for link in node.references:
        if link.row.role.carries and link.selector is None and not link.is_idle:
            yield Requirement(link.ref.whole, link.path, port=link.port)


def _explain_missing(view: SpokeView, need: Requirement) -> str:
    """Return, as text, which part of `need` is in no file; empty if nothing is missing."""
    node = view.nodes.get(need.ref) or view.topology.around.nodes.get(need.ref)
    if node is None:
        return "" if need.ref in view.shared.external else "which no file has any more"
    if need.lacks_keys(node.keys):
        return f"which has no key {' or '.join(need.row.keys)} any more"
    ports = {port for _, port in node.ports}
    if ports and need.port is not None and need.port not in ports:
        return f"which has no port {need.port} any more"
    return ""


@memoised
def _list_referents(judgement: Judgement) -> Mapping[Ref, tuple[object, ...]]:
    """Return the hub's objects, each with the keys and ports that other objects may need."""
    nodes = judgement.topology.around.nodes
    return {ref: _list_parts(node) for ref, node in nodes.items()}


def _list_parts(node: Node) -> tuple[object, ...]:
    return node.keys, node.ports


@memoised
def _find_altered(old: SharedViews, new: SharedViews) -> frozenset[Ref]:
    """Return the objects of both hubs whose content differs for spokes that need them."""
    return frozenset(
        ref
        for ref in old.hub.keys() & new.hub.keys()
        if (ref.group, ref.kind) != NAMESPACE  # paths show what its labels do
        and not is_same_json(_read_content(ref, old.hub[ref]), _read_content(ref, new.hub[ref]))
    )


def _read_content(ref: Ref, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object without its metadata, and without ports, which `_less` compares.

    For a Secret, return only the type: its data differs between spokes.
    """
    if (ref.group, ref.kind) == SECRET:
        return {"type": data.get("type")}
    content = {key: value for key, value in data.items() if key not in ("metadata", "status")}
    spec = content.get("spec")
    if data.get("kind") == "Service" and isinstance(spec, Mapping):
        content["spec"] = {key: value for key, value in spec.items() if key != "ports"}
    return content


def describe_needs(
    needs: Iterable[tuple[NewlyNeeded, Sequence[str]]], rendered: Rendered
) -> Iterator[Consequence]:
    """Yield the new needs of spokes; needs that differ only in spokes' own values are joined."""
    fleet = AlikeFleet(rendered.bundles.values())
    entries = [(need, [rendered.bundles[name] for name in spokes]) for need, spokes in needs]
    for item, bundles in fleet.join(entries):
        text, ref, user, origin = fleet.name_own(item, bundles)
        result = NEWLY_NEEDED.result(
            f"{text} must exist{f' for {user}' if user is not None else ''}",
            cure="create it on the spokes before the change is applied there",
            resource=user or ref,
            origin=origin,
            spokes=tuple(sorted(bundle.spoke.name for bundle in bundles)),
        )
        yield Consequence(result, Topic.OBJECTS, objects=frozenset({ref}))
