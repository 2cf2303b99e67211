"""What of a policy attaches to nothing, where its controller accepts it all the same.

agentgateway, traffic_plugin.go: a policy is accepted whatever it names; of targets that are not
there, or on no Gateway, one more entry of its status tells, which is none of an object.
"""

from __future__ import annotations

from spokerender.judging.attachment.case import Case, Target
from spokerender.judging.attachment.model import Condition, Summary, Truth
from spokerender.model import Ref


def summary(case: Case) -> Summary | None:
    """The entry; None where all attaches, or the controller has no such entry."""
    kind = case.subject.kind
    if not kind.controller.summary:
        return None
    looked = {target: _missed(case, target) for target in case.targets if not target.is_foreign}
    told = dict.fromkeys(each for each in looked.values() if each is not None)
    if not told:
        return None
    status = Truth.FALSE if any(state is Truth.FALSE for state, _ in told) else Truth.UNKNOWN
    why = "; ".join(why for _, why in told)
    return Summary(
        Ref(kind.group, "", "", kind.controller.summary),
        Condition("Attached", status, "Pending", why),
        is_all=all(each is not None for each in looked.values()),
    )


def _missed(case: Case, target: Target) -> tuple[Truth, str] | None:
    """Why a target is not attached to, or may not be; None where it is."""
    if target.state is not Truth.TRUE:
        return target.state, target.why
    if case.around.reached(target.ref):
        return None
    above = ", ".join(map(str, sorted(case.around.topology.ships_with(target.ref.whole))))
    if above:
        return Truth.UNKNOWN, f"{target.ref} may be reached over {above}"
    return Truth.FALSE, f"{target.ref} is on no Gateway"
