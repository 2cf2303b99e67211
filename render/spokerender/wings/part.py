"""The part of a wing in rendering, and the project as a wing reads it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct, field

from spokerender.config.base import Model
from spokerender.config.loading import FleetDocument
from spokerender.edge.reading import files_of, require_files
from spokerender.findings.results import Result
from spokerender.kinds.catalogue import Catalogue
from spokerender.model import Spoke
from spokerender.model.sources import Files, Source
from spokerender.rendering.values.rendered import Contribution
from spokerender.rendering.values.trees import Shipped
from spokerender.topology.hub import Hub

if TYPE_CHECKING:  # start-up counts
    from spokerender.rendering.values.decisions import DecidedPlacement

_Settings = TypeVar("_Settings", bound=Model)
Texts = Mapping[str, str]
"""YAML texts by their path in the fleet's folder; a mapping may make a text when it is read."""


class Session:
    """One run of a command. In this base class, for tests and libraries, the methods do nothing."""

    allows_code = False
    """Code of the project may run (`--allow-project-code`)."""
    checks_purity = False
    """Functions run twice, and their answers are compared (`--check-pure`)."""
    is_quiet = False
    is_verbose = False

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}
        """Values that outlive one rendering, such as processes, by the name of the owner."""

    def tell(self, line: str) -> None:
        """Show a line to the user, beside the report."""

    def on_close(self, callback: Callable[[], object]) -> None:
        """Call a function when the command ends."""

    def enter(self, manager: AbstractContextManager[None]) -> None:
        """Enter a context manager, and leave it when the command ends."""


class ProjectFiles(Struct, frozen=True, eq=False):
    """A project as a wing reads it: its settings, its files, and the run of the command.

    `folder` is the project's folder on disk; it is None if the project is read from Git or from a
    pipe. `crds` has the files of `spec.crds`, and the problems with these files.
    """

    source: Source
    document: FleetDocument
    folder: Path | None = None
    crds: tuple[Files, tuple[Result, ...]] = ((), ())
    session: Session = field(default_factory=Session)

    def settings(self, model: type[_Settings]) -> _Settings:
        """Return the spec of fleet.yaml, typed as the model of the wing's own fields."""
        spec: object = self.document.model.spec
        assert isinstance(spec, model)  # noqa: S101  (the table of wings composes the spec)
        return spec

    def read(self, key: str, paths: Sequence[str], *, limit_bytes: int | None = None) -> Files:
        """Read the YAML files and folders `paths` that `spec.<key>` names. Raises `InputError`."""
        limit = self.document.model.spec.max_hub_bytes if limit_bytes is None else limit_bytes
        named_at = partial(self.document.entry, key)
        return require_files(self.source, paths, limit_bytes=limit, named_at=named_at)

    def try_read(self, paths: Sequence[str]) -> tuple[Files, tuple[Result, ...]]:
        """Read YAML files and folders of the project; return the files and their problems."""
        return files_of(self.source, paths, limit_bytes=self.document.model.spec.max_hub_bytes)


class RenderedSpokes(Struct, frozen=True, eq=False):
    """The spokes of a rendered fleet, for a wing that delivers them.

    `output` is the output folder from the root of the repository. `spokes` are sorted by name; the
    output has a folder with the name of each spoke. `objects` returns the objects of a spoke by its
    name, in the order of their paths. Texts of objects may be read only while files are made: in a
    fleet with errors, an object may have no text.
    """

    output: str
    spokes: Sequence[Spoke]
    objects: Callable[[str], Sequence[Shipped]]
    templates: Mapping[str, str]
    catalogue: Catalogue = field(default_factory=lambda: Catalogue.of(()))
    groups: Sequence[Sequence[str]] | None = None
    """The spokes of each group of the rollout; None if the project has no rollout."""
    decided: Mapping[str, "DecidedPlacement"] = {}
    """The decided Placements of the hub, by namespace and name."""


class Part:
    """A wing that a project has switched on, with the files and settings that it read."""

    wing = ""
    """The name of the part's wing."""
    runs_code = False
    """The part runs code of the project."""

    def contribute(self, hub: Hub, spokes: Sequence[Spoke]) -> Contribution:  # noqa: ARG002  (a hook)
        """Return what the wing adds to the fleet, given the unrendered hub and the spokes."""
        return Contribution()

    def deliver(
        self,
        fleet: RenderedSpokes,  # noqa: ARG002  (as above)
    ) -> tuple[Sequence[Texts], tuple[Result, ...]]:
        """Return the wing's files for the fleet's folder, and the findings about them."""
        return (), ()

    def claims(self) -> str:
        """Return as text what an engine does with output folders of no spoke; empty if nothing."""
        return ""
