"""The Gloo Gateway that kgateway grew out of."""

from functools import partial

from msgspec.structs import replace

from spokerender.kinds.kind import SECTION, Controller, Kind, NamespaceRule, Targetless
from spokerender.kinds.merging import Loser, Merging, Process, Several
from spokerender.kinds.rows import target_refs

_GLOO_SOURCE = "solo-io/gloo 8d57572, projects/gateway2/translator/plugins"

GLOO = Controller(
    "Gloo Gateway",
    names=("solo.io/gloo-gateway",),
    classes=("gloo-gateway",),
    delegates=True,
)


# By top field; section names of listeners, then ListenerSet, then Gateway.
_OPTIONS = Merging(
    Process.FIELDS,
    rules=("options.*",),
    source=f"{_GLOO_SOURCE}/virtualhostoptions; {_GLOO_SOURCE}/routeoptions",
)
_FIRST = Merging(
    Process.NONE,
    Several.ONE,
    loser=Loser.SILENT,
    rules=("options.*",),
    source=f"{_GLOO_SOURCE}/httplisteneroptions",
)

CONTROLLERS: tuple[Controller, ...] = (GLOO,)

# Gloo's targets have a namespace, but only the policy's own is promised to work.
_targets = partial(target_refs, max_items=None, namespace=NamespaceRule.OWN)
_option = partial(
    Kind,
    "gateway.solo.io",
    versions=("v1",),
    references=(_targets(section=SECTION),),
    controller=GLOO,
)

KINDS: tuple[Kind, ...] = (
    _option(
        "RouteOption",
        references=(_targets(),),
        security=True,
        targetless=Targetless.FILTER,
        # A route prefers what delegates to it, unless an annotation of its own says otherwise.
        merging=replace(
            _OPTIONS, delegated=f"{_GLOO_SOURCE}/routeoptions: annotations of routes decide it"
        ),
    ),
    _option("VirtualHostOption", security=True, merging=_OPTIONS),
    _option("HttpListenerOption", security=True, merging=_FIRST),
    _option("ListenerOption", merging=_FIRST),
)
