"""Wings: capabilities that a project switches on in fleet.yaml, each behind one value.

`pipeline` and the command line loop over the table of wings and name none of them. A wing reads
what it needs of a project; what comes back is a `Part`, which takes part in rendering.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:  # `--help` lists the commands of all wings, and loads nothing else of them
    from spokerender.config.base import Model
    from spokerender.rendering.values.engines import EngineFacts
    from spokerender.rendering.values.rendered import Contribution
    from spokerender.wings.part import Part, ProjectFiles


class Wing(ABC):
    """A capability that a project switches on; a method imports what it needs and nothing else."""

    name: ClassVar[str]
    commands: ClassVar[Mapping[str, str]] = {}
    """The commands that it brings, with their help; each is a module of `cli`."""

    @abstractmethod
    def settings(self) -> type[Model]:
        """Return the model of its fields of `spec` in fleet.yaml."""

    @abstractmethod
    def read(self, project: ProjectFiles) -> Part | None:
        """Read what it needs of a project; None where the project has not switched it on.

        May raise `InputError`.
        """

    def documents(self) -> Mapping[str, type[Model]]:
        """Return the models of its own files, by their kind."""
        return {}

    def paths(self, settings: Any) -> Mapping[str, Sequence[str]]:  # noqa: ANN401, ARG002  (its own)
        """Return the files and folders that its settings name, by the field of the settings."""
        return {}

    def engines(self) -> Iterable[EngineFacts]:
        """Return what its engines do with objects and folders."""
        return ()

    def without(self) -> Iterable[Contribution]:
        """Return what it contributes to a project that has not switched it on."""
        return ()
