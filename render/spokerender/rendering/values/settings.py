"""What the fleet file says, as far as whoever looks at a rendered fleet has to know it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from spokerender.findings.suppressions import Accepted
from spokerender.model import Ref


class Settings(Struct, frozen=True, eq=False):
    """The settings of a fleet.

    With `one_file` each spoke's objects are in one. `external` are the objects that spokes have and
    the hub has not, each with the names of its listeners, if they are said.
    """

    one_file: bool
    creates_namespaces: bool
    external: Mapping[Ref, tuple[str, ...]]
    suppressions: Sequence[Accepted]
