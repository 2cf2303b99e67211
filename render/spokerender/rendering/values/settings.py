"""What the fleet file says, as far as whoever looks at a rendered fleet has to know it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from spokerender.findings.results import Severity
from spokerender.findings.suppressions import Accepted
from spokerender.model import Ref


class Assertion(Struct, frozen=True, eq=False):
    """What must hold on every spoke, in CEL; `for_each` is a name and the list to go through.

    `message` may have expressions; it is told, with the cure, of all that breaks `that`.
    """

    name: str
    that: str
    message: str
    for_each: Mapping[str, str]
    when: str
    cure: str
    severity: Severity


class Settings(Struct, frozen=True, eq=False):
    """The settings of a fleet.

    With `one_file` each spoke's objects are in one. `external` are the objects that spokes have and
    the hub has not, each with the names of its listeners, if they are said.
    """

    one_file: bool
    creates_namespaces: bool
    external: Mapping[Ref, tuple[str, ...]]
    suppressions: Sequence[Accepted]
    assertions: Sequence[Assertion]
