"""What may be asked of what is in force, and what is answered."""

from __future__ import annotations

from msgspec import Struct

from spokerender.findings.results import Result
from spokerender.judging.attachment.statuses import Condition, Truth
from spokerender.judging.effective.model import EffectiveRule, Overruled
from spokerender.model import Origin, Ref
from spokerender.topology.paths import RequestPath

ACCEPTED = "Accepted"


class RuleInForce(Struct, frozen=True, eq=False):
    """A rule, where the hub has it, and the overrides of the placement that changed it."""

    rule: EffectiveRule
    origin: Origin
    changed_by: tuple[Origin, ...] = ()


class RuleNotInForce(Struct, frozen=True, eq=False):
    """A rule that another one overruled, and where the hub has both."""

    overruled: Overruled
    origin: Origin
    by: Origin


class InForce(Struct, frozen=True, eq=False):
    """What one kind's policies come to on one path, on all spokes on which it is the same.

    `others` are what else may come about, where files can't tell who is older. `unknown` says why
    nobody can tell, where nobody can: then `candidates` are what may be in force. `failing` says
    why requests are answered with 500. `hostnames` are those of all the spokes; `path` has none.
    `results` are the errors and warnings that `check` tells of the policies and of the route.
    """

    path: RequestPath
    group: str
    kind: str
    rules: tuple[RuleInForce, ...]
    overruled: tuple[RuleNotInForce, ...]
    others: tuple[tuple[RuleInForce, ...], ...]
    hostnames: tuple[str, ...]
    spokes: tuple[str, ...]
    unknown: str = ""
    failing: str = ""
    candidates: tuple[RuleInForce, ...] = ()
    results: tuple[Result, ...] = ()


class Question(Struct, frozen=True):
    """Which paths are asked about; what is empty is every one.

    `route` is `[KIND/][NAMESPACE/]NAME`; `kind` a policy's; `hostname` one that a request has.
    """

    spoke: str = ""
    route: str = ""
    kind: str = ""
    hostname: str = ""


class AncestorStatus(Struct, frozen=True):
    """What a status says of one ancestor: a Gateway, or the target where none is reached."""

    ancestor: Ref
    conditions: tuple[Condition, ...]


class PolicyStatus(Struct, frozen=True):
    """One policy's status, on all spokes on which it is that.

    `version` is what its `apiVersion` says. `policy` is what it is called there, and `hub` what
    it is on the hub. `is_likely` is set where the cluster decides who is older, and the status
    may turn out otherwise. `spokes` is empty where no spoke gets it: then its status is that which
    it would get on the hub. `has_ancestors` is not set where its controller gives the conditions
    to the policy itself. `results` are the errors and warnings that `check` tells of it.
    """

    policy: Ref
    version: str
    hub: Ref
    origin: Origin
    targets: tuple[Ref, ...]
    ancestors: tuple[AncestorStatus, ...]
    spokes: tuple[str, ...] = ()
    is_likely: bool = False
    has_ancestors: bool = True
    results: tuple[Result, ...] = ()

    @property
    def is_attached(self) -> bool:
        """Whether it attaches to something, as far as files tell."""
        return any(
            each.type == ACCEPTED and each.status is not Truth.FALSE
            for ancestor in self.ancestors
            if ancestor.ancestor.kind
            for each in ancestor.conditions
        )
