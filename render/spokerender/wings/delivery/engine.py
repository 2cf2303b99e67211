"""Engines: their files in the fleet's folder, and their treatment of objects and folders."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Protocol

from msgspec import Struct

from spokerender.config.selectors import RolloutWaves, SpokeSelection
from spokerender.findings.phrasing import did_you_mean
from spokerender.formats.templating.template import compile_template, render_file
from spokerender.formats.templating.values import TemplateProblem
from spokerender.formats.yamlio.compose import proven
from spokerender.formats.yamlio.reading import read
from spokerender.kinds.marks import Mark
from spokerender.model import FieldPath, Origin, Spoke
from spokerender.model.selectors import SpokeSelector
from spokerender.model.shapes import Json, as_mapping
from spokerender.rendering.values.engines import Above, Bootstrap, EngineObjects, Steering
from spokerender.wings.part import RenderedSpokes, Texts


class DeliveryProblem(Exception):  # noqa: N818  (a finding about the settings, not a fault of ours)
    """An engine can't deliver; the mistake is at `origin`, or in `field` of its settings."""

    def __init__(
        self, message: str, cure: str, origin: Origin | None = None, field: FieldPath = ()
    ) -> None:
        super().__init__(message)
        self.cure, self.origin, self.field = cure, origin, field


class SpokeWave(Protocol):
    """A wave in the settings of an engine: spokes that get a change together."""

    @property
    def spokes(self) -> SpokeSelection:
        """Return the selection of the wave's spokes."""


def assign_waves(selections: Sequence[SpokeSelector], spokes: Sequence[Spoke]) -> dict[str, int]:
    """Return, by spoke, the number (from 1) of the first wave whose selector matches the spoke.

    Empty without waves. Raises `DeliveryProblem` if a wave names an unknown spoke, or if a spoke is
    in no wave.
    """
    if not selections:
        return {}
    names = {spoke.name for spoke in spokes}
    for selection in selections:
        refuse_unknown((*(selection.names or ()), *selection.but), names)
    wave_by_spoke: dict[str, int] = {}
    for spoke in spokes:
        numbers = (
            number
            for number, selection in enumerate(selections, 1)
            if selection.means(spoke.name, spoke.labels)
        )
        number = next(numbers, None)
        if number is None:
            cure = "add a last wave with `spokes: {all: true}`"
            message = f'spoke "{spoke.name}" is in no wave: nothing would apply it'
            raise DeliveryProblem(message, cure)
        wave_by_spoke[spoke.name] = number
    return wave_by_spoke


def refuse_unknown(named: Sequence[str], names: Collection[str]) -> None:
    """Raise `DeliveryProblem` if a name in `named` is not among `names`, the names of spokes."""
    for name in named:
        if name not in names:
            cure = did_you_mean(name, names) or "name a spoke of the placement"
            raise DeliveryProblem(f'there is no spoke "{name}"', cure)


def select_waves(waves: Sequence[SpokeWave], fleet: RenderedSpokes) -> tuple[SpokeSelector, ...]:
    """Return each wave's selector. Raises `DeliveryProblem` if `waves` need an absent rollout."""
    if not isinstance(waves, RolloutWaves):
        return tuple(wave.spokes.value for wave in waves)
    if fleet.groups is None:
        message = "waves: rollout takes the groups of spec.rollout, which fleet.yaml does not have"
        raise DeliveryProblem(message, "add spec.rollout, or list the waves")
    # Groups may name spokes that wait, and are not in this fleet.
    names = {spoke.name for spoke in fleet.spokes}
    groups = (tuple(name for name in group if name in names) for group in fleet.groups)
    return tuple(map(SpokeSelector, groups))


class LazyFiles(Texts):
    """Files whose texts are made each time they are read."""

    def __init__(self, makers: Mapping[str, Callable[[], str]]) -> None:
        self._makers = makers

    def __getitem__(self, path: str) -> str:
        return self._makers[path]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


class Delivered(RenderedSpokes, frozen=True, eq=False):
    """The rendered fleet, with methods that make the files of delivery engines."""

    def folder(self, path: str | None) -> PurePosixPath:
        """Return the output folder from the root of the repository, normalized: `./a/` is `a`.

        `path` is the path in the engine's settings; None stands for the project's output. Raises
        `DeliveryProblem` if the path leaves the repository, where no engine can read it.
        """
        named = path or self.output
        folder = PurePosixPath(named)
        # Engines read paths from the root of the repository.
        if folder.is_absolute() or ".." in folder.parts:
            message = f'"{named}" is not a folder inside the repository'
            cure = "name the folder that holds the spokes' folders in `path`"
            raise DeliveryProblem(message, cure)
        return folder

    def fill_setting(self, text: str, noun: str, field: str) -> dict[str, str]:
        """Return the template `text` filled in for each spoke, by name. Raises `DeliveryProblem`.

        In messages, `noun` is a word for the text, and `field` is the settings' field that has it.
        """
        cure = f"mend {field}"
        try:
            # Compiled once for all spokes.
            template = compile_template(text)
        except TemplateProblem as problem:
            message = f"{field}: {problem}"
            raise DeliveryProblem(message, cure) from None
        texts: dict[str, str] = {}
        for spoke in self.spokes:
            try:
                value = template.evaluate({"spoke": spoke.context})
            except TemplateProblem as problem:
                message = f'spoke "{spoke.name}" has no {noun}: {problem}'
                raise DeliveryProblem(message, f"{cure}, or the spoke") from None
            # An empty text would deliver the spoke to nowhere, or to the wrong place.
            if not isinstance(value, str) or not value:
                message = f'the {noun} of spoke "{spoke.name}" is no text'
                raise DeliveryProblem(message, f"{cure}, or the spoke")
            texts[spoke.name] = value
        return texts

    def from_template(self, path: str, context: Mapping[str, Any], note: str = "") -> Texts:
        """Return the file `path`, made from its template; empty if that makes no object.

        `note` becomes a comment at the top. Raises `DeliveryProblem` as `documents` does.
        """
        # Written from the parsed objects: the text of a template may be any YAML, ours is plain.
        documents = self.documents(path, context)
        comment = "".join(f"# {line}\n" for line in note.splitlines())
        return {path: comment + write_objects(documents)} if documents else {}

    def documents(self, path: str, context: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the objects that the template of the file `path` makes.

        Raises `DeliveryProblem` if the template fails, or makes anything but objects.
        """
        name = f"{path}.j2"
        try:
            return _parsed(render_file(self.templates, name, context), path)
        except TemplateProblem as problem:
            origin = Origin(f"templates/{name}")
            raise DeliveryProblem(str(problem), "mend the template", origin) from problem


DELETES = "it decides what goes from a spoke with the object"
PRUNES = "what has left a tree is deleted on the spoke"
LEAVES = "what has left a tree stays on the spoke"


_HARMLESS = {"argocd.argoproj.io/sync-wave", "kustomize.toolkit.fluxcd.io/substitute"}
"""Annotations that change neither an object nor whether it is applied."""


def loses_by_patches(_: Json, new: Json) -> bool | None:
    """Return True if kustomize patches `new` set more than `_HARMLESS` annotations, else None."""
    for item in new or ():
        documents, _ = read(str(as_mapping(item).get("patch")).encode(), "")
        # A patch of several documents counts as a loss: `patch` and `metadata` are empty then.
        patch = as_mapping(documents[0].value if len(documents) == 1 else None)
        metadata = as_mapping(patch.get("metadata"))
        keys = as_mapping(metadata.get("annotations")).keys()
        others = patch.keys() - {"apiVersion", "kind", "metadata"}
        if others or metadata.keys() != {"name", "annotations"} or not keys <= _HARMLESS:
            return True
    return None


class Engine(Struct, frozen=True, kw_only=True):
    """A GitOps engine: its files in the fleet's folder, and how it treats objects and folders."""

    name: str
    """The engine's field in `spec.delivery`."""
    files: Callable[[Any, Delivered], Texts]
    """Makes the engine's files from its settings and the fleet. Raises `DeliveryProblem`."""
    objects: EngineObjects
    """The engine's own objects for the guard: their deletions, and their sources of trees."""
    annotations: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    """The keys of annotations and labels that the engine writes; never copied to a spoke."""
    kept: Callable[[Mapping[str, str]], Mapping[str, str]] = lambda _: {}
    """Returns annotations that make the engine keep an object forever, given the object's own."""
    marks: tuple[Mark, ...] = ()
    """The annotations that make the engine do something else with an object than apply it."""
    steerings: tuple[Steering, ...] = ()
    """The files that make the engine apply other files than a spoke's kustomization lists."""
    above: tuple[Above, ...] = ()
    """The files in folders above the output that have the same effect as `steerings`."""
    bootstrap: Bootstrap | None = None
    finds: Callable[[Any], str] = lambda _: ""
    """Returns the effect of the engine on output folders that are no spoke's; empty if none."""


def write_objects(documents: Iterable[Mapping[str, Any]]) -> str:
    """Return the text of a file with these objects; it is read back and compared with them."""
    return "---\n".join(map(proven, documents))


def _parsed(text: str, path: str) -> list[dict[str, Any]]:
    documents, problems = read(text.encode(), path)
    for problem in problems:
        message = f"the template makes invalid YAML, line {problem.line}: {problem.message}"
        raise TemplateProblem(message)
    for document in documents:
        value = document.value
        if not isinstance(value, dict) or not {"apiVersion", "kind", "metadata"} <= value.keys():
            message = "the template makes something that is no Kubernetes object"
            raise TemplateProblem(message + f", line {document.line}")
    return [document.value for document in documents]
