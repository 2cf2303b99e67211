"""Engines: what each one needs in the fleet's folder, and what it reads in objects and folders."""

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
    """An engine can't deliver the fleet: the message, the cure, and the place.

    That is the line of a template, or else a field of the engine's settings.
    """

    def __init__(
        self, message: str, cure: str, origin: Origin | None = None, field: FieldPath = ()
    ) -> None:
        super().__init__(message)
        self.cure, self.origin, self.field = cure, origin, field


class SpokeWave(Protocol):
    """A wave in the settings of an engine."""

    @property
    def spokes(self) -> SpokeSelection:
        """Return its spokes."""


def assign_waves(selections: Sequence[SpokeSelector], spokes: Sequence[Spoke]) -> dict[str, int]:
    """Return the number of each spoke's wave, from 1: the first wave that selects it.

    Without waves, no spoke has a number. Raises `DeliveryProblem` for an unknown spoke in a wave,
    and for a spoke that no wave selects.
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
    """Refuse names that no spoke has. Raises `DeliveryProblem`."""
    for name in named:
        if name not in names:
            cure = did_you_mean(name, names) or "name a spoke of the placement"
            raise DeliveryProblem(f'there is no spoke "{name}"', cure)


def select_waves(waves: Sequence[SpokeWave], fleet: RenderedSpokes) -> tuple[SpokeSelector, ...]:
    """Return the spokes of each wave. Raises `DeliveryProblem` for those of a missing rollout."""
    if not isinstance(waves, RolloutWaves):
        return tuple(wave.spokes.value for wave in waves)
    if fleet.groups is None:
        message = "waves: rollout takes the groups of spec.rollout, which fleet.yaml does not have"
        raise DeliveryProblem(message, "add spec.rollout, or list the waves")
    names = {spoke.name for spoke in fleet.spokes}
    groups = (tuple(name for name in group if name in names) for group in fleet.groups)
    return tuple(map(SpokeSelector, groups))


class LazyFiles(Texts):
    """Files whose texts are made when they are read."""

    def __init__(self, makers: Mapping[str, Callable[[], str]]) -> None:
        self._makers = makers

    def __getitem__(self, path: str) -> str:
        return self._makers[path]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


class Delivered(RenderedSpokes, frozen=True, eq=False):
    """The rendered fleet, as engines get it."""

    def folder(self, path: str | None) -> PurePosixPath:
        """Return the output folder from the root of the repository: `./a/` is `a`.

        `path` is the one of the engine's settings, if they have one. Raises `DeliveryProblem` where
        it leaves the repository: no engine could follow.
        """
        named = path or self.output
        folder = PurePosixPath(named)
        if folder.is_absolute() or ".." in folder.parts:
            message = f'"{named}" is not a folder inside the repository'
            cure = "name the folder that holds the spokes' folders in `path`"
            raise DeliveryProblem(message, cure)
        return folder

    def fill_setting(self, text: str, noun: str, field: str) -> dict[str, str]:
        """Return a text of the settings as each spoke has it. Raises `DeliveryProblem`.

        `noun` is what the text names for a spoke, `field` its place in the settings.
        """
        cure = f"mend {field}"
        try:
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
            if not isinstance(value, str) or not value:
                message = f'the {noun} of spoke "{spoke.name}" is no text'
                raise DeliveryProblem(message, f"{cure}, or the spoke")
            texts[spoke.name] = value
        return texts

    def from_template(self, path: str, context: Mapping[str, Any], note: str = "") -> Texts:
        """Return the file that the template of the same name makes; none if it makes no object.

        The text is parsed and written anew: the bytes of a template never reach the disk. `note`
        becomes a comment at the top. Raises `DeliveryProblem` as `documents`.
        """
        documents = self.documents(path, context)
        comment = "".join(f"# {line}\n" for line in note.splitlines())
        return {path: comment + write_objects(documents)} if documents else {}

    def documents(self, path: str, context: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the objects that a template makes.

        Raises `DeliveryProblem` if it fails, or makes something besides Kubernetes objects.
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
    """Tell that patches of kustomize lose something, unless they set harmless annotations alone."""
    for item in new or ():
        documents, _ = read(str(as_mapping(item).get("patch")).encode(), "")
        patch = as_mapping(documents[0].value if len(documents) == 1 else None)
        metadata = as_mapping(patch.get("metadata"))
        keys = as_mapping(metadata.get("annotations")).keys()
        others = patch.keys() - {"apiVersion", "kind", "metadata"}
        if others or metadata.keys() != {"name", "annotations"} or not keys <= _HARMLESS:
            return True
    return None


class Engine(Struct, frozen=True, kw_only=True):
    """A GitOps engine: its files in the fleet's folder, and what it reads in trees."""

    name: str
    """Its field in `spec.delivery`."""
    files: Callable[[Any, Delivered], Texts]
    """Makes its files from its settings and the fleet; may raise `DeliveryProblem`."""
    objects: EngineObjects
    """What it deletes with its own objects, and where these take trees from; for the guard."""
    annotations: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    """The keys that it writes into the hub's objects; never copied to a spoke."""
    kept: Callable[[Mapping[str, str]], Mapping[str, str]] = lambda _: {}
    """Returns the annotations that make it keep an object forever, given those of the object."""
    marks: tuple[Mark, ...] = ()
    """The annotations that make it do something else with an object than apply it."""
    steerings: tuple[Steering, ...] = ()
    """The files that make it apply something else than a spoke's kustomization lists."""
    above: tuple[Above, ...] = ()
    """The files above the output that do the same."""
    bootstrap: Bootstrap | None = None
    finds: Callable[[Any], str] = lambda _: ""
    """Returns what it makes of a folder in the output that is no spoke's, if anything."""


def write_objects(documents: Iterable[Mapping[str, Any]]) -> str:
    """Return the text of a file with these objects, proven by reading it back."""
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
