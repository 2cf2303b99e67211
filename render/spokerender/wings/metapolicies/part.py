"""The part that metapolicies take in rendering: a stage for each definition, and assertions."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath

from spokerender.config.fleet import MOST_HUB_BYTES
from spokerender.edge.templates import carried_metapolicies, known_versions
from spokerender.findings.codes.metapolicies import UNKNOWN_VERSION
from spokerender.findings.errors import InputError
from spokerender.findings.results import Fault
from spokerender.model import Spoke
from spokerender.model.sources import Files
from spokerender.rendering.values.rendered import Contribution
from spokerender.rendering.values.stages import Stage
from spokerender.topology.graph import Topology
from spokerender.topology.hub import Hub
from spokerender.wings.metapolicies.assertions import check_assertions
from spokerender.wings.metapolicies.config import Assertion, MetapolicyDocument, load_metapolicies
from spokerender.wings.metapolicies.functions import AuthoredCode, Resources, Runner
from spokerender.wings.metapolicies.runners import find_runners, load_functions
from spokerender.wings.metapolicies.settings import MetapolicySettings
from spokerender.wings.metapolicies.stage import make_stages
from spokerender.wings.part import Part, ProjectFiles


class Metapolicies(Part):
    """The definitions and assertions of a project, and what runs their functions.

    `runners` and `code` are as in `functions.Resources`.
    """

    wing = "metapolicies"

    def __init__(
        self,
        documents: Sequence[MetapolicyDocument] = (),
        assertions: Sequence[Assertion] = (),
        runners: Mapping[str, Runner] | None = None,
        code: Mapping[str, AuthoredCode | Fault] | None = None,
    ) -> None:
        self.documents = documents
        self._assertions = assertions
        self._runners = runners or {}
        self._code = code or {}
        self.runs_code = bool(code)

    def contribute(self, hub: Hub, spokes: Sequence[Spoke]) -> Contribution:  # noqa: ARG002  (a part's)
        """Return a stage for each definition, and the check of the assertions."""
        return Contribution(
            listed=frozenset(document.kind for document in self.documents),
            stages=lambda topology: self._stages(hub, topology),
            check=lambda rendered, at: check_assertions(self._assertions, rendered, at),
            definitions={
                document.kind: document.model.spec.model_dump(by_alias=True, exclude_unset=True)
                for document in self.documents
                if document.model.spec.declarative is not None
            },
        )

    def _stages(self, hub: Hub, topology: Topology) -> tuple[Stage, ...]:
        if not self.documents:
            return ()
        resources = Resources(hub.catalogue, self._runners, self._code)
        return make_stages(self.documents, resources, hub, topology)


def read_metapolicies(project: ProjectFiles) -> Metapolicies:
    """Read the definitions of the project and of its Kuadrant version. Raises `InputError`."""
    settings = project.settings(MetapolicySettings)
    files: Files = ()
    if settings.metapolicies:
        files = project.read("metapolicies", settings.metapolicies, limit_bytes=MOST_HUB_BYTES)
    if settings.kuadrant_version is not None:
        carried = carried_metapolicies(settings.kuadrant_version)
        if not carried:
            refusal = UNKNOWN_VERSION.result(
                f"Kuadrant's operator {settings.kuadrant_version} is unknown",
                cure=f"use one of {', '.join(known_versions())}; or remove the field, and the "
                "policies ship unchanged",
                field="spec.kuadrantVersion",
                origin=project.document.at("spec", "kuadrantVersion"),
            )
            raise InputError((refusal,))
        files = [*files, *carried]
    documents = load_metapolicies(files) if files else ()
    folder, session = PurePath(project.source.shown(".")), project.session
    return Metapolicies(
        documents,
        settings.assertions,
        find_runners(folder, documents, session),
        load_functions(folder, documents, session),
    )
