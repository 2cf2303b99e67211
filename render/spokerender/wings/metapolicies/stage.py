"""The stage of a definition: its metapolicies become edits of a spoke's objects.

A function gets the values of one spoke and returns edits with these values. To let a thousand
spokes share one set of objects, computed values are taken out of an answer, and slots take their
place; the answer without them is its form. An answer is stored with the values that it depends on,
and is used for every spoke where these values are equal.
"""

import json
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, cast

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.findings.codes.metapolicies import TOO_COSTLY
from spokerender.kinds.fields import read_value
from spokerender.model import Spoke, identity, kind_name, slots
from spokerender.model.budget import BudgetSpentError
from spokerender.model.refs import GroupKind
from spokerender.model.shapes import Json, map_children
from spokerender.rendering.holding import SpokeSlots
from spokerender.rendering.values.metapolicies import ListedDefinition
from spokerender.rendering.values.rendered import Rendered
from spokerender.rendering.values.stages import Amendment, Given, Stage
from spokerender.topology.graph import Topology
from spokerender.wings.metapolicies.amending import AmendmentBuilder, EditRequest
from spokerender.wings.metapolicies.config import MetapolicyDocument
from spokerender.wings.metapolicies.definitions import (
    CompiledDefinition,
    compile_definitions,
    find_waits,
)
from spokerender.wings.metapolicies.expressions import WORK_PER_OBJECT, expressions_budget
from spokerender.wings.metapolicies.functions import (
    ChangeObject,
    Computed,
    FailedError,
    ReportFinding,
    RequestedEdit,
    Resources,
)
from spokerender.wings.metapolicies.shared_topology import SharedTopology
from spokerender.wings.metapolicies.topology_view import TopologyView, TrackedValues


def make_stages(
    documents: Sequence[MetapolicyDocument], resources: Resources, topology: Topology
) -> tuple[Stage, ...]:
    """Return a stage for each definition, in the order of their runs. Raises `InputError`.

    `topology` is the hub's.
    """
    definitions = compile_definitions(documents, resources)
    topology_of = cache(lambda given: SharedTopology(given, resources.catalogue, topology))
    return tuple(MetapolicyStage(item, topology_of) for item in definitions)


def list_definitions(rendered: Rendered) -> tuple[ListedDefinition, ...]:
    """List the definitions in the order of their runs, with their metapolicies in the hub."""
    definitions = [
        stage.definition for stage in rendered.stages if isinstance(stage, MetapolicyStage)
    ]
    waits = find_waits(definitions)
    return tuple(
        ListedDefinition(
            name=item.name,
            kind=kind_name(*item.document.kind),
            way=item.way,
            origin=str(item.document.at()),
            reads=[kind_name(*kind) for kind in sorted(item.function.reads)],
            writes=[kind_name(*kind) for kind in sorted(item.function.writes)],
            after=sorted(waits[item.name]),
            ships=item.document.model.spec.ships,
            objects=[
                str(manifest.ref)
                for manifest in rendered.hub.manifests
                if (manifest.ref.group, manifest.ref.kind) == item.document.kind
            ],
        )
        for item in definitions
    )


class _Form(Struct, frozen=True, eq=False):
    """The edits that answers have in common, with a `_Placeholder` for each computed value."""

    edits: tuple[RequestedEdit, ...]


class _FormedAnswer(Struct, frozen=True, eq=False):
    """The edits for one metapolicy, divided into a form and the values that were computed.

    `all_vary` is True if the metapolicy itself differs between spokes; `varying` has the indices
    of the values that have differed between spokes so far.
    """

    form: _Form
    values: tuple[Computed, ...]
    all_vary: bool
    varying: set[int]

    def may_vary(self, index: int) -> bool:
        """Return whether the value at `index` may differ between spokes, and so needs a slot."""
        computed = self.values[index]
        if computed.varies is None:
            # Slots change how a text of several lines is written, so that other spokes must not
            # decide whether it has any.
            is_block = isinstance(computed.value, str) and "\n" in computed.value
            return index in self.varying or is_block
        return self.all_vary or computed.varies


_Answers = tuple[tuple[int, _Form, tuple[str | int, ...]], ...]
"""The answers for a spoke: the index of the metapolicy, the form, and the values or slots."""
_Dependencies = tuple[tuple[str, ...], frozenset[tuple[str, ...]]]
"""The slots, and the fields of the spoke, that an answer depends on."""


class _AnswerMemory(Struct, eq=False):
    """The answers for one metapolicy, by their dependencies and by the values of these.

    `forms` has, for each form, the values of its first answer, and the indices of values that
    differ in a later answer; only these values get a slot.
    """

    answers: dict[_Dependencies, dict[Hashable, _FormedAnswer]] = field(default_factory=dict)
    forms: dict[_Form, tuple[tuple[Computed, ...], set[int]]] = field(default_factory=dict)

    def compare(self, form: _Form, values: tuple[Computed, ...]) -> set[int]:
        """Compare values with the first of their form; return the indices that have varied."""
        first, varying = self.forms.setdefault(form, (values, set()))
        pairs = enumerate(zip(first, values, strict=True))
        varying.update(index for index, (one, other) in pairs if one.value != other.value)
        return varying


class MetapolicyStage:
    """Renders the metapolicies of one definition (`rendering.values.stages.Stage`)."""

    def __init__(
        self, definition: CompiledDefinition, topology_of: Callable[[Given], SharedTopology]
    ) -> None:
        """`topology_of` returns the topology of objects: the same one for the same objects."""
        self.definition = definition
        self._kind, self._ships = definition.document.kind, definition.document.model.spec.ships
        self._topology_of = topology_of
        self._function = definition.function
        # Metapolicies that ship are not rendered, but their function may change the metapolicies.
        self._is_run = not self._ships or self._kind in self._function.writes
        self._memories: dict[tuple[int, int], _AnswerMemory] = {}
        self._forms: dict[str, _Form] = {}
        self._budget = expressions_budget()

    @property
    def spelled_out(self) -> frozenset[str | int | float]:
        """The texts and numbers that the definition spells out."""
        return self._function.spelled_out

    @property
    def first_of(self) -> frozenset[GroupKind]:
        """The metapolicies' kind, whose overrides apply before the stage; empty if none is run."""
        return frozenset([self._kind]) if self._is_run else frozenset()

    def ask(self, spoke: Spoke, given: Given, spoke_slots: SpokeSlots) -> Hashable:
        """Return the answers for the metapolicies of a spoke, with slots for values that vary."""
        if not self._is_run:
            return ()
        shared = self._topology_of(given)
        # The budget grows with the spokes as they are rendered.
        self._budget.limit += WORK_PER_OBJECT * len(given.objects)
        answers = []
        for index in shared.indices_of_kind(self._kind):
            answer = self._answer(shared, index, spoke, spoke_slots.values)
            name = str(given.objects[index].ref)
            values = tuple(
                spoke_slots.computed(
                    computed.value,
                    (self.definition.name, name, answer.form, number),
                    varies=answer.may_vary(number),
                )
                for number, computed in enumerate(answer.values)
            )
            answers.append((index, answer.form, values))
        return tuple(answers)

    def amend(self, given: Given, asked: Hashable) -> Amendment:
        """Return the changes to a spoke's objects, given the answers of `ask`.

        Metapolicies ship if the function changes them, or if the definition has `ships`.
        """
        answers = cast("_Answers", asked)  # made by `ask`
        if not answers:
            return Amendment()
        reason = f"{self.definition.name} renders it as other objects"
        not_shipped = {} if self._ships else {index: reason for index, _, _ in answers}
        builder = AmendmentBuilder(self._topology_of(given), self._function.writes, not_shipped)
        return builder.build(
            EditRequest(
                manifest,
                # The reference in the hub's files, which earlier stages may have changed.
                (identity(manifest.written.object) if manifest.written else None) or manifest.ref,
                [
                    _fill_edit(edit, values)
                    for edit in form.edits
                    # A metapolicy that ships gets its findings, and changes of itself alone.
                    if not self._ships
                    or isinstance(edit, ReportFinding)
                    or (isinstance(edit, ChangeObject) and edit.target == manifest.ref)
                ],
            )
            for index, form, values in answers
            for manifest in (given.objects[index],)
        )

    def _answer(
        self, shared: SharedTopology, index: int, spoke: Spoke, values: Mapping[str, Any]
    ) -> _FormedAnswer:
        memory = self._memories.setdefault((id(shared), index), _AnswerMemory())
        for dependencies, answers in memory.answers.items():
            key = _read_dependencies(dependencies, spoke, values)
            if key in answers:
                return answers[key]
        tracked = TrackedValues(values)
        metapolicy = shared.given.objects[index]
        view = TopologyView(shared, metapolicy, spoke.context, tracked, self._budget)
        computed: list[Computed] = []
        emptied = tuple(_empty_edit(edit, computed) for edit in self._edits(view))
        # By text, as answers with equal edits share the form, and the objects that are made of it.
        form = self._forms.setdefault(repr(emptied), _Form(emptied))
        all_vary = bool(slots.slots_in(metapolicy.object))
        compared = memory.compare(form, tuple(computed))
        answer = _FormedAnswer(form, tuple(computed), all_vary, compared)
        dependencies = tuple(tracked.used), self._function.of_spoke.union(view.used_fields)
        key = _read_dependencies(dependencies, spoke, values)
        memory.answers.setdefault(dependencies, {})[key] = answer
        return answer

    def _edits(self, view: TopologyView) -> Sequence[RequestedEdit]:
        try:
            return self._function.render(view)
        except FailedError as error:
            (fault,) = error.faults
            place = self.definition.document.at(*fault.field)
            message = f"{fault.message} ({self.definition.name}, {place})"
            return [ReportFinding(fault.finding, Computed(message), fault.cure)]
        except BudgetSpentError as error:
            message = (
                f"the metapolicies of {self.definition.name} cost too much: {error}; this one and "
                "those after it are not rendered"
            )
            return [
                ReportFinding(TOO_COSTLY, Computed(message), "ask less of the topology in each")
            ]


def _read_dependencies(
    dependencies: _Dependencies, spoke: Spoke, values: Mapping[str, Any]
) -> Hashable:
    """Return the values that a spoke has for what an answer depends on."""
    used_slots, used_fields = dependencies
    fields = [read_value(spoke.context, path) for path in sorted(used_fields)]
    text = json.dumps(fields, sort_keys=True, default=dict) if fields else ""
    return (text, *map(values.get, used_slots))


class _Placeholder(Struct, frozen=True):
    """Stands for a computed value in the form of an answer; `number` is the index of the value."""

    number: int


def _empty_edit(edit: RequestedEdit, values: list[Computed]) -> RequestedEdit:
    """Return an edit with placeholders; the computed values are appended to `values`."""

    def empty(data: Json) -> Json:
        if isinstance(data, Computed):
            values.append(data)
            return _Placeholder(len(values) - 1)
        return map_children(data, empty)

    return replace(edit, **{name: empty(data) for name, data in _computed_fields(edit)})


def _fill_edit(edit: RequestedEdit, values: Sequence[str | int]) -> RequestedEdit:

    def fill(data: Json) -> Json:
        return values[data.number] if isinstance(data, _Placeholder) else map_children(data, fill)

    return replace(edit, **{name: fill(data) for name, data in _computed_fields(edit)})


def _computed_fields(edit: RequestedEdit) -> Iterator[tuple[str, Any]]:
    for name in ("object", "merge", "reason", "message", "cure", "field"):
        if name in edit.__struct_fields__:
            yield name, getattr(edit, name)
