"""The Gloo Gateway that kgateway grew out of."""

from __future__ import annotations

from spokerender.kinds.kind import SECTION, Controller, Kind, NamespaceRule, Targetless
from spokerender.kinds.merging import Loser, Merging, Process, Several
from spokerender.kinds.rows import row, target_refs

_GLOO = "gateway.solo.io"
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

# Gloo's targets have a namespace, but only the policy's own is promised to work.
_OPTION = (target_refs(max_items=None, namespace=NamespaceRule.OWN),)
_SECTION_OPTION = (target_refs(max_items=None, namespace=NamespaceRule.OWN, section=SECTION),)

CONTROLLERS: tuple[Controller, ...] = (GLOO,)

KINDS: tuple[Kind, ...] = (
    row(
        _GLOO,
        "RouteOption",
        "v1",
        references=_OPTION,
        security=True,
        targetless=Targetless.FILTER,
        merging=_OPTIONS,
        controller=GLOO,
    ),
    row(
        _GLOO,
        "VirtualHostOption",
        "v1",
        references=_SECTION_OPTION,
        security=True,
        merging=_OPTIONS,
        controller=GLOO,
    ),
    row(
        _GLOO,
        "HttpListenerOption",
        "v1",
        references=_SECTION_OPTION,
        security=True,
        merging=_FIRST,
        controller=GLOO,
    ),
    row(
        _GLOO,
        "ListenerOption",
        "v1",
        references=_SECTION_OPTION,
        merging=_FIRST,
        controller=GLOO,
    ),
)
