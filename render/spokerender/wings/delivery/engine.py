"""What an engine is to the rest of the house, and what it gets of a fleet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from msgspec import Struct, field

from spokerender.formats.templating.template import render_file
from spokerender.formats.templating.values import TemplateProblem
from spokerender.formats.yamlio.compose import proven
from spokerender.formats.yamlio.reading import read
from spokerender.kinds.marks import Mark
from spokerender.model import Origin
from spokerender.rendering.values.engines import Bootstrap, EngineObjects, Steering
from spokerender.wings.delivery.problem import DeliveryProblem
from spokerender.wings.part import RenderedSpokes

Files = Mapping[str, str]
"""YAML texts by path below the fleet's folder; a mapping may make each when it is asked for."""


class MadeFiles(Files):
    """Files that are made when they are asked for."""

    def __init__(self, made: Mapping[str, Callable[[], str]]) -> None:
        """`made` has what makes each file, by its path."""
        self._made = made

    def __getitem__(self, path: str) -> str:
        """Make a file."""
        return self._made[path]()

    def __iter__(self) -> Iterator[str]:
        """The paths."""
        return iter(self._made)

    def __len__(self) -> int:
        """How many files there are."""
        return len(self._made)


class Delivered(RenderedSpokes, frozen=True, eq=False):
    """The rendered fleet, as engines get it."""

    kept: Mapping[str, str] = field(default_factory=dict)
    """The annotations by which no engine deletes an object."""

    def folder(self, path: str | None) -> PurePosixPath:
        """The folder of the spokes' folders, from the repository's root: `./a/` is `a`.

        `path` is what the engine's settings say, if anything.

        Raises:
            DeliveryProblem: it leaves the repository, so that no engine could follow.

        """
        named = path or self.output
        folder = PurePosixPath(named)
        if folder.is_absolute() or ".." in folder.parts:
            message = f'"{named}" is not a folder inside the repository'
            cure = "name the folder that holds the spokes' folders in `path`"
            raise DeliveryProblem(message, cure)
        return folder

    def from_template(self, path: str, context: Mapping[str, Any], note: str = "") -> Files:
        """The file that the template of its name makes; none where that makes no object.

        It is parsed back: a template's bytes never reach the disk, only what they mean does. What
        `note` says stands above that, as a comment.

        Raises:
            DeliveryProblem: it makes something that is not all Kubernetes objects.

        """
        documents = self.documents(path, context)
        said = "".join(f"# {line}\n" for line in note.splitlines())
        return {path: said + written(documents)} if documents else {}

    def documents(self, path: str, context: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The objects that a template makes; raises `DeliveryProblem` as `from_template` does."""
        name = f"{path}.j2"
        try:
            return _parsed(render_file(self.templates, name, context), path)
        except TemplateProblem as problem:
            origin = Origin(f"templates/{name}")
            raise DeliveryProblem(str(problem), "mend the template", origin) from problem


class Engine(Struct, frozen=True, kw_only=True):
    """A GitOps engine: what it needs in the fleet's folder, and what it reads in objects."""

    name: str
    """Its field in `spec.delivery`."""
    files: Callable[[Any, Delivered], Files]
    """Makes its files from its settings and the fleet; may raise `DeliveryProblem`."""
    objects: EngineObjects
    """What it deletes with its objects, and where these take trees from; the guard reads it."""
    annotations: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    """What it puts on the hub's objects for itself; never copied to a spoke."""
    kept: Callable[[Mapping[str, str]], Mapping[str, str]] = lambda _: {}
    """The annotations that make it keep an object for ever, given those that the object has."""
    marks: tuple[Mark, ...] = ()
    """The annotations by which it does something else with an object than apply it."""
    steerings: tuple[Steering, ...] = ()
    """The files by which it makes something else of a spoke's folder than is listed there."""
    bootstrap: Bootstrap | None = None
    finds: Callable[[Any], str] = lambda _: ""
    """What becomes of a folder in the output that is no spoke's, by its settings, if anything."""


def written(documents: Iterable[Mapping[str, Any]]) -> str:
    """The text of a file with these objects, read back."""
    return "---\n".join(map(proven, documents))


def _parsed(text: str, path: str) -> list[dict[str, Any]]:
    documents, problems = read(text.encode(), path)
    for problem in problems:
        message = f"it makes YAML that can't be read, line {problem.line}: {problem.message}"
        raise TemplateProblem(message)
    for document in documents:
        value = document.value
        if not isinstance(value, dict) or not {"apiVersion", "kind", "metadata"} <= value.keys():
            message = f"it makes something that is no Kubernetes object, line {document.line}"
            raise TemplateProblem(message)
    return [document.value for document in documents]
