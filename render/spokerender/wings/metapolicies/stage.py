"""The stage: the metapolicies of one definition become edits of a spoke's objects.

Functions are given a spoke's own values, and answer with them; those are then put into slots
again, so that a thousand spokes of which the answers have one form share their objects. An answer
is kept with the values that it looked at, and given again where those are equal.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from spokerender.findings.codes.metapolicies import TOO_COSTLY
from spokerender.kinds import Catalogue
from spokerender.model import Manifest, Ref, Spoke, identity, slots
from spokerender.model.budget import BudgetSpentError
from spokerender.rendering.holding import Held
from spokerender.rendering.values.stages import Amendment, Asked, Given, GroupKind
from spokerender.topology import Topology
from spokerender.wings.metapolicies.composing import Composer, Request
from spokerender.wings.metapolicies.definitions import Definition
from spokerender.wings.metapolicies.expressions import WORK_FOR_OBJECT, expressions_budget
from spokerender.wings.metapolicies.holes import filled, with_holes
from spokerender.wings.metapolicies.model import Computed, Edit, FailedError, Noticing, Told
from spokerender.wings.metapolicies.seen import InForce, Seen
from spokerender.wings.metapolicies.touched import Touched
from spokerender.wings.metapolicies.whereabouts import Here


class _Form(Struct, frozen=True, eq=False):
    """An answer without what was computed."""

    number: int
    edits: tuple[Edit, ...]


class _Answer(Struct, frozen=True, eq=False):
    """An answer: its form, what was computed, and which of that varies between spokes.

    `varies` tells whether all may, `varying` has the places that have varied by now.
    """

    form: _Form
    values: tuple[Computed, ...]
    varies: bool
    varying: set[int]

    def may_vary(self, number: int) -> bool:
        """Whether a slot is to stand for a value.

        A text of several lines is written in another way with slots, so that what other spokes
        have must not decide it.
        """
        value, said = self.values[number].value, self.values[number].varies
        if said is None:
            return number in self.varying or (isinstance(value, str) and "\n" in value)
        return self.varies or said


class _AskedOfForms(Asked, frozen=True):
    """The forms of the answers for each metapolicy, with what stands for what was computed."""

    forms: tuple[tuple[int, _Form, tuple[str | int, ...]], ...] = ()

    def __eq__(self, other: object) -> bool:
        """Compare the keys alone, which say all that the forms depend on."""
        return isinstance(other, _AskedOfForms) and self.key == other.key

    def __hash__(self) -> int:
        """Hash the key."""
        return hash(self.key)


_LookedAt = tuple[tuple[str, ...], frozenset[tuple[str, ...]]]
"""The slots, and the parts of the spoke, that an answer depends on."""


class _Memory(Struct, eq=False):
    """The answers for one metapolicy, by what they looked at and by what that was.

    `first` has what was computed in the first answer of each form, `varying` which of it was
    another in a later one: that alone is worth a slot.
    """

    answers: dict[_LookedAt, dict[Hashable, _Answer]] = field(default_factory=dict)
    first: dict[int, tuple[Computed, ...]] = field(default_factory=dict)
    varying: dict[int, set[int]] = field(default_factory=dict)

    def keep(self, form: _Form, computed: tuple[Computed, ...]) -> set[int]:
        """Compare an answer with the first of its form; the places that have varied by now."""
        first = self.first.setdefault(form.number, computed)
        varying = self.varying.setdefault(form.number, set())
        pairs = enumerate(zip(first, computed, strict=True))
        varying.update(n for n, (one, other) in pairs if one.value != other.value)
        return varying


class Rendering:
    """Renders the metapolicies of one definition (`values.stages.Stage`)."""

    def __init__(
        self, definition: Definition, catalogue: Catalogue, hub: Topology, in_force: InForce
    ) -> None:
        """`hub` has the Namespaces; `in_force` tells which policies count on a target's paths."""
        self.definition = self._definition = definition
        self._catalogue = catalogue
        self._hub, self._in_force = hub, in_force
        self._function = definition.function
        self._notices = self._function if isinstance(self._function, Noticing) else None
        self._seen: dict[int, Seen] = {}
        self._memories: dict[tuple[int, int], _Memory] = {}
        self._forms: dict[str, _Form] = {}
        self._budget = expressions_budget()

    @property
    def spelled_out(self) -> frozenset[str | int | float]:
        """All that the definition says."""
        return self._function.spelled_out

    @property
    def first_of(self) -> frozenset[GroupKind]:
        """The metapolicies, if anything is made of them."""
        return frozenset() if self._definition.ships else frozenset([self._definition.kind])

    def ask(self, spoke: Spoke, given: Given, held: Held) -> Asked:
        """The answers for each metapolicy of the spoke."""
        if self._definition.ships:
            return _AskedOfForms()
        seen = self._seen.get(id(given))
        if seen is None:
            seen = self._seen[id(given)] = Seen(given, self._catalogue, self._hub)
        own = _of_spoke(spoke, self._function.of_spoke)
        found = []
        self._budget.limit += WORK_FOR_OBJECT * len(given.objects)
        for index in seen.of_kind(self._definition.kind):
            if self._notices is not None and self._notices.is_followed:
                looked = Touched(held.values)
                me = given.objects[index]
                here = Here(seen, me, spoke.context, looked, self._in_force, self._budget)
                self._notices.notice(here)
            answer = self._answer(seen, index, spoke, own, held.values)
            name = str(given.objects[index].ref)
            values = tuple(
                held.made(
                    value.value,
                    (self._definition.name, name, answer.form.number, n),
                    varies=answer.may_vary(n),
                )
                for n, value in enumerate(answer.values)
            )
            found.append((index, answer.form, values))
        key = tuple((index, form.number, values) for index, form, values in found)
        return _AskedOfForms(key, tuple(found))

    def _answer(
        self, seen: Seen, index: int, spoke: Spoke, own: Hashable, values: Mapping[str, Any]
    ) -> _Answer:
        memory = self._memories.setdefault((id(seen), index), _Memory())
        for (touched, parts), answers in memory.answers.items():
            key = (own, _of_spoke(spoke, parts), *(values.get(slot) for slot in touched))
            if key in answers:
                return answers[key]
        looked = Touched(values)
        me = seen.given.objects[index]
        here = Here(seen, me, spoke.context, looked, self._in_force, self._budget)
        form, computed = self._formed(self._edits(here))
        varies = bool(slots.slots_in(here.source))
        answer = _Answer(form, computed, varies, memory.keep(form, computed))
        seen_slots, seen_parts = tuple(looked.touched), frozenset(here.parts)
        key = (own, _of_spoke(spoke, seen_parts), *(values[slot] for slot in seen_slots))
        memory.answers.setdefault((seen_slots, seen_parts), {})[key] = answer
        return answer

    def _edits(self, here: Here) -> Sequence[Edit]:
        try:
            return self._function.answer(here)
        except FailedError as error:
            place = self._definition.document.at(*error.at)
            message = f"{error.message} ({self._definition.name}, {place})"
            return [Told(error.finding, Computed(message), error.cure)]
        except BudgetSpentError as error:
            message = (
                f"the metapolicies of {self._definition.name} cost too much: {error}; this one and "
                "those after it are not rendered"
            )
            return [Told(TOO_COSTLY, Computed(message), "ask less of the topology in each")]

    def _formed(self, edits: Sequence[Edit]) -> tuple[_Form, tuple[Computed, ...]]:
        computed: list[Computed] = []
        made = tuple(with_holes(edit, computed) for edit in edits)
        text = repr(made)
        if text not in self._forms:
            self._forms[text] = _Form(len(self._forms), made)
        return self._forms[text], tuple(computed)

    def amend(self, given: Given, asked: Asked) -> Amendment:
        """What becomes of the spoke's objects; the metapolicies themselves stay behind."""
        assert isinstance(asked, _AskedOfForms)  # noqa: S101  (see `ask`)
        if not asked.forms:
            return Amendment()
        stays = {index: f"{self._definition.name} renders it" for index, _, _ in asked.forms}
        seen = self._seen[id(given)]
        composer = Composer(seen, self._catalogue, self._function.writes, stays)
        return composer.amendment(
            Request(
                given.objects[index],
                _name_of(given.objects[index]),
                [filled(edit, values) for edit in form.edits],
            )
            for index, form, values in asked.forms
        )


def _name_of(manifest: Manifest) -> Ref:
    """What whoever wrote a metapolicy calls it."""
    written = identity(manifest.written.object) if manifest.written is not None else None
    return written or manifest.ref


def _of_spoke(spoke: Spoke, paths: frozenset[tuple[str, ...]]) -> Hashable:
    """Those parts of a spoke, to compare spokes by."""
    found: list[Any] = []
    for path in sorted(paths):
        value: Any = spoke.context
        for step in path:
            value = value.get(step) if isinstance(value, Mapping) else None
        found.append(value)
    return json.dumps(found, sort_keys=True, default=dict) if found else ()
