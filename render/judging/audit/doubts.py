"""What slots can't answer of a case: comparisons that come out otherwise with a spoke's values.

Slots are sound for what is equal or not (`model.slots`). Here is the rest: which name is first,
whether a hostname is below another one, and what of a policy is read and not only carried.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from render.judging.audit.filling import filled, held_in
from render.judging.audit.model import Judged
from render.judging.effective import AttachedPolicy
from render.judging.effective.declared import Declared, declared
from render.kinds import Catalogue, Role
from render.model import Ref
from render.model.slots import Values, fill_text, has_slot, values_key
from render.topology import intersects, is_within
from render.topology.precedence import orders

Spec = Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class _Doubt:
    """A comparison, what it is about, and the answer that slots gave."""

    about: Any
    compare: Callable[[Any], object]
    answer: object
    held: tuple[str, ...]
    known: dict[tuple[Any, ...], bool] = field(default_factory=dict)

    def is_unfounded(self, values: Values) -> bool:
        """Whether the answer is the same with these values."""
        key = values_key(self.held, values)
        if key not in self.known:
            self.known[key] = self.compare(filled(self.about, values)) == self.answer
        return self.known[key]


class Doubts:
    """Tells for the spokes of one case whether what was judged with slots is true of them."""

    def __init__(self, judged: Judged, catalogue: Catalogue, known: dict[int, bool]) -> None:
        """Find what has to be compared again, if anything.

        `known` is filled with which policies have slots: cases have most of them in common.
        """
        policies = tuple(_policies(judged, catalogue))
        with_slots = [policy for policy in policies if _has_slots(policy, known)]
        held = {policy.ref for policy in with_slots}
        self._doubts: tuple[_Doubt | _Below, ...] = (
            *_about_hostnames(judged),
            *(
                doubt
                for policy in policies
                if policy.ref in held
                for doubt in _about_policy(policy)
            ),
            *(doubt for rivals in _rivals(policies) for doubt in _about_rivals(rivals, held)),
        )

    def hold_for(self, values: Values) -> bool:
        """Whether something comes out otherwise with these values."""
        return not all(doubt.is_unfounded(values) for doubt in self._doubts)


def _has_slots(policy: AttachedPolicy, known: dict[int, bool]) -> bool:
    key = id(policy.spec)
    if key not in known:
        known[key] = bool(held_in(policy.spec))
    return known[key]


def _doubt(about: Any, compare: Callable[[Any], object]) -> Iterator[_Doubt]:  # noqa: ANN401  (a frozen value or JSON)
    """A doubt, where there are slots in what is compared."""
    held = held_in(about)
    if held:
        yield _Doubt(about, compare, compare(about), tuple(sorted(held)))


@dataclass(frozen=True, slots=True, eq=False)
class _Below:
    """A listener's hostname and those of routes that, with slots, are not wholly its own.

    There are many of them, and each spoke has values of its own: so nothing is kept.
    """

    listener: str
    names: tuple[tuple[str, tuple[bool, bool]], ...]

    def is_unfounded(self, values: Values) -> bool:
        """Whether these values change nothing."""
        listener = fill_text(self.listener, values)
        return all(_meet(listener, fill_text(n, values)) == known for n, known in self.names)


def _about_hostnames(judged: Judged) -> Iterator[_Below]:
    """A listener's slot may stand for a name that a route's is below, or a route's for one."""
    nodes = judged.topology.nodes
    pairs: dict[str, dict[str, tuple[bool, bool]]] = {}
    for node in nodes.values():
        for link in node.references if node.is_route else ():
            parent = nodes.get(link.ref.whole) if link.rule.role is Role.PARENT else None
            for listener in parent.listeners if parent is not None else ():
                for name in node.hostnames:
                    met = _meet(listener.hostname, name)
                    # What is true of slots is true of whatever they stand for.
                    if not all(met) and (has_slot(listener.hostname) or has_slot(name)):
                        pairs.setdefault(listener.hostname, {})[name] = met
    for hostname, names in pairs.items():
        yield _Below(hostname, tuple(names.items()))


def _meet(listener: str, hostname: str) -> tuple[bool, bool]:
    return intersects(listener, hostname), is_within(hostname, listener or "*")


def _policies(judged: Judged, catalogue: Catalogue) -> Iterator[AttachedPolicy]:
    """The policies that take part in something, with what they attach to or contend for."""
    for ref, item in judged.attachments.items():
        targets = {*item.targets, *(each.target for each in item.contentions)}
        spec = judged.variants[ref].object.get("spec")
        if targets and isinstance(spec, dict):
            kind = catalogue.kind(ref.group, ref.kind)
            yield AttachedPolicy(ref, kind, spec, tuple(sorted(targets)))


def _about_policy(policy: AttachedPolicy) -> Iterator[_Doubt]:
    """A slot may stand for the name of a strategy, say, or for a key.

    What is inside of a rule is carried: nobody reads it, and most slots are there.
    """
    blocks = _blocks(policy, policy.spec)
    rules = (rule.value for block in blocks for rule in block.rules.values())
    words = [word for word in (*policy.spec.values(), *rules) if isinstance(word, str)]
    if not held_in((tuple(map(_read, blocks)), words)):
        return iter(())
    return _doubt(policy.spec, lambda spec: [_read(each) for each in _blocks(policy, spec)])


def _blocks(policy: AttachedPolicy, spec: Spec) -> tuple[Declared, ...]:
    return declared(replace(policy, spec=spec))


def _read(block: Declared) -> object:
    """All of a block but its rules' values."""
    said = block.side, block.strategy, block.asked, block.beside, block.ignored, block.scope
    return *said, block.is_empty, tuple(block.rules)


def _rivals(policies: Sequence[AttachedPolicy]) -> Iterator[tuple[AttachedPolicy, ...]]:
    """Policies of one kind on one target, where there are several; each set of them once."""
    on_target: dict[tuple[str, str, Ref], list[AttachedPolicy]] = {}
    for policy in policies:
        for target in policy.targets:
            key = (policy.kind.group, policy.kind.kind, target)
            on_target.setdefault(key, []).append(policy)
    yield from dict.fromkeys(tuple(found) for found in on_target.values() if len(found) > 1)


def _about_rivals(rivals: tuple[AttachedPolicy, ...], held: Container[Ref]) -> Iterator[_Doubt]:
    """Their names decide who holds; and whether they say the same, if that matters."""
    yield from _doubt(tuple(policy.ref for policy in rivals), _order)
    if not any(policy.ref in held for policy in rivals):
        return
    specs = [policy.spec for policy in rivals]
    yield from _doubt(specs, lambda specs: _likenesses(rivals, specs))


def _order(refs: tuple[Ref, ...]) -> tuple[int, ...]:
    return tuple(refs.index(ref) for ref in orders(refs, {}).likely)


def _likenesses(rivals: tuple[AttachedPolicy, ...], specs: list[Spec]) -> object:
    """Which of them give a rule the same value, by the rule's place."""
    values: dict[tuple[Any, ...], list[Any]] = {}
    for policy, spec in zip(rivals, specs, strict=True):
        for block in _blocks(policy, spec):
            for path, rule in block.rules.items():
                values.setdefault((block.side, *path), []).append(rule.value)
    return {path: [given.index(value) for value in given] for path, given in values.items()}
