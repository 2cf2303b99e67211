"""What is told of one object whose references follow its gateways."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from spokerender.findings.codes.shipping import (
    ENTRY_DROPPED,
    HOSTNAME_CONFLICT,
    LABEL_UNSAYABLE,
    LOCAL_TARGETS_APART,
    NAMESPACE_UNSAYABLE,
)
from spokerender.findings.results import FindingKind, Result
from spokerender.kinds import Kind, Reference
from spokerender.model import Manifest, shown
from spokerender.rendering.retarget.hostnames import Conflict
from spokerender.rendering.retarget.landing import Beside
from spokerender.rendering.retarget.links import Link


class Faults:
    """Collects what is to be told of one object."""

    def __init__(self, manifest: Manifest) -> None:
        """Everything that is added is told of this hub object."""
        self.results: list[Result] = []
        self._manifest = manifest

    def add(self, rule: FindingKind, message: str, cure: str, field: str = "") -> None:
        """Add a finding; `field` is where in the object."""
        self.results.append(
            rule.result(
                message,
                cure=cure,
                resource=self._manifest.ref,
                field=field,
                origin=self._manifest.origin,
            )
        )

    def unsayable(self, reference: Reference, kind: Kind) -> None:
        """A target in another namespace, and no field to say so, or one for several."""
        if reference.namespace_path is None:
            why = f"a {kind.kind} has no field to say so"
            cure = "keep the gateway in the hub's namespace, or move the policy's other targets "
            cure += "with it"
        else:
            why = "what its selector names besides lands elsewhere: it can say one namespace only"
            cure = "write one selector for each gateway that moves"
        message = f"its target lands in another namespace, and {why}"
        self.add(NAMESPACE_UNSAYABLE, message, cure, shown(reference.path))

    def unlabelled(self, reference: Reference, wrong: str) -> None:
        """A name that no label can have: API servers refuse the selector."""
        self.add(
            LABEL_UNSAYABLE,
            f"it selects by the label {reference.label}, and of the gateway's name on the spoke "
            f"{wrong}",
            "give the gateway a name of at most 63 characters in the rule's `as.name`",
            shown(reference.path),
        )

    def apart(self, required: Mapping[str, Beside], kind: Kind) -> None:
        """Targets in several namespaces, and a kind that can name none of them."""
        places = ", ".join(
            f"{beside.target.kind} {beside.target.name} in {place}"
            for place, beside in required.items()
        )
        self.add(
            LOCAL_TARGETS_APART,
            f"a {kind.kind} can only target what is in its own namespace, but on the spoke its "
            f"targets are apart: {places}",
            "write one policy per target",
        )

    def hostnames(self, conflicts: Iterable[Conflict]) -> None:
        """Hostnames that two gateways map in different ways."""
        for conflict in conflicts:
            self.add(
                HOSTNAME_CONFLICT,
                f"hostname {conflict.hostname} is mapped in {len(conflict.becomes)} ways by the "
                f"gateways that the route hangs on: {', '.join(conflict.becomes)}",
                "give the rules of these gateways the same `hostnames`, or split the route",
                f"spec.hostnames[{conflict.index}]",
            )

    def grant_apart(self, namespaces: tuple[str, ...]) -> None:
        """A grant whose referents are in several namespaces."""
        self.add(
            LOCAL_TARGETS_APART,
            "a ReferenceGrant speaks of its own namespace only, but on the spoke what it grants is "
            f"in several: {', '.join(namespaces)}",
            "write one ReferenceGrant per Gateway that moves",
            "spec.to",
        )

    def dropped(self, link: Link) -> None:
        """An entry that was taken out."""
        names = ", ".join(gateway.full_name for gateway in link.off)
        self.add(
            ENTRY_DROPPED,
            f"the entry for {link.reference.ref} is dropped: gateway {names} is not on the spoke",
            "",
            shown(link.reference.path),
        )
