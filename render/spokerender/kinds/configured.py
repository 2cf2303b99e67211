"""What somebody says of a kind beside its row and its CRD: how its policies come together."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from spokerender.kinds.controllers import Sections
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Merging


class ConfiguredKind(Struct, frozen=True):
    """How policies of a kind come together, in place of what its row says.

    What is None stays as it is known of the kind: whether it is of security, what it may attach to,
    what a section name may be, and whether hostnames have to be within the listener's.
    """

    group: str
    kind: str
    merging: Merging
    security: bool | None = None
    targets: tuple[str, ...] | None = None
    sections: Sections | None = None
    within: bool | None = None

    @property
    def identity(self) -> tuple[str, str]:
        """The kind that it is about."""
        return self.group, self.kind

    def applied(self, kind: Kind) -> Kind:
        """The kind as it is said to be.

        What its row knows of its controller stays, and so does what a policy asks for by a field of
        its own: a configuration has no word for it.
        """
        controller = replace(
            kind.controller,
            sections=kind.controller.sections if self.sections is None else self.sections,
            within=kind.controller.within if self.within is None else self.within,
        )
        return replace(
            kind,
            controller=controller,
            merging=replace(self.merging, asking=kind.merged.asking),
            is_configured=True,
            security=kind.security if self.security is None else self.security,
            targets=kind.targets if self.targets is None else self.targets,
        )
