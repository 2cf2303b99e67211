"""The interface of placement sources: which files a source reads, and what they declare."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from spokerender.config.documents import Named
from spokerender.findings.results import Result
from spokerender.model import Spoke
from spokerender.model.sources import File
from spokerender.rendering.values.placement import Override, Rule

if TYPE_CHECKING:  # only `spokerender schema` asks for the models
    from spokerender.config.base import Model


class Declared(Struct, frozen=True, eq=False):
    """The declarations in the files of a source, and all findings about them.

    `names` are the names of the spokes, each with the field that declares it, to find a spoke that
    two sources declare. Rules and overrides are in the order in which they apply, with numbers from
    0.
    """

    spokes: tuple[Spoke, ...] = ()
    rules: tuple[Rule, ...] = ()
    overrides: tuple[Override, ...] = ()
    names: tuple[Named, ...] = ()
    results: tuple[Result, ...] = ()


LOCK_FILE = "placement.lock.yaml"
"""The file beside fleet.yaml in which decisions of a hub are kept."""


class PlacementSource(Struct, frozen=True):
    """A source of placements: a sort of files, and a function that reads all files of that sort.

    Attributes:
    suffixes: the endings of its files' names; a folder is searched for such files.
    declare: reads all files of the source, in any order.
    models: returns the models of its YAML documents by kind, for `spokerender schema`.
    """

    suffixes: tuple[str, ...]
    declare: Callable[[Sequence[File]], Declared]
    models: Callable[[], Mapping[str, type[Model]]] = dict
