"""What somebody says of a kind beside its row and its CRD: how its policies come together."""

from __future__ import annotations

from dataclasses import dataclass, replace

from render.kinds.kind import Kind, Merging


@dataclass(frozen=True, slots=True)
class ConfiguredKind:
    """How policies of a kind come together, in place of what its row says.

    `security` and `targets` are None where what is known of the kind shall stay.
    """

    group: str
    kind: str
    merging: Merging
    security: bool | None = None
    targets: tuple[str, ...] | None = None

    @property
    def identity(self) -> tuple[str, str]:
        """The kind that it is about."""
        return self.group, self.kind

    def applied(self, kind: Kind) -> Kind:
        """The kind as it is said to be.

        What a row knows of the controller's view of routes and listeners stays, and so does what
        a policy asks for with `mergeType`: a configuration has no word for it.
        """
        row = kind.merging or self.merging
        merging = replace(
            self.merging,
            within=row.within,
            listener_sets=row.listener_sets,
            merge_types=row.merge_types,
        )
        return replace(
            kind,
            merging=merging,
            security=kind.security if self.security is None else self.security,
            targets=kind.targets if self.targets is None else self.targets,
        )
