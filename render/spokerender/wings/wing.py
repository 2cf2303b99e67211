"""Wings: capabilities that a project switches on in fleet.yaml, each behind one value.

`pipeline` and the command line loop over the table of wings and name none of them. A wing reads
what it needs of a project; what comes back is a `Part`, which takes part in rendering.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:  # `--help` lists the commands of all wings, and loads nothing else of them
    from spokerender.config.base import Model
    from spokerender.kinds.marks import Marks
    from spokerender.rendering.values.engines import EngineObjects, FolderRules
    from spokerender.rendering.values.rendered import Contribution
    from spokerender.wings.part import Part, ProjectFiles


class Wing(Struct, frozen=True, kw_only=True, eq=False):
    """A capability that a project switches on.

    Its fields are functions, so that a command loads what it needs and nothing else.
    """

    name: str
    settings: Callable[[], type[Model]]
    """Returns the model of its fields of `spec` in fleet.yaml."""
    read: Callable[[ProjectFiles], Part | None]
    """Reads what it needs of a project; None where the project has not switched it on.

    May raise `InputError`.
    """
    documents: Callable[[], Mapping[str, type[Model]]] | None = None
    """Returns the models of its own files, by their kind."""
    paths: Callable[[Any], Mapping[str, Sequence[str]]] | None = None
    """Returns the files and folders that its settings name, by the field of the settings."""
    marks: Callable[[], Marks] | None = None
    """Returns the annotations and labels that its engines write into objects or obey."""
    engine_objects: Callable[[], tuple[EngineObjects, ...]] | None = None
    """Returns what the objects of its engines mean to deletion."""
    folder_rules: Callable[[], FolderRules] | None = None
    """Returns the files of others that keep engines from applying folders as they are listed."""
    without: Callable[[], Contribution] | None = None
    """Returns what it contributes to a project that has not switched it on."""
    commands: Mapping[str, str] = {}
    """The commands that it brings, with their help; each is a module of `cli`."""
