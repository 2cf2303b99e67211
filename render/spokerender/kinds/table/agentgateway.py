"""agentgateway, which was a part of kgateway once."""

from __future__ import annotations

from spokerender.kinds.controllers import Controller, Reports
from spokerender.kinds.kind import SECTION, Kind, Reach
from spokerender.kinds.merging import Apart, Fields, Merging, Order, Precedence, Process
from spokerender.kinds.rows import parent, row, target_refs, target_selectors
from spokerender.kinds.table import agentgateway_needs as needs
from spokerender.kinds.traits import Guarding, Traits

_AGENTGATEWAY = "agentgateway.dev"
_AGENT_SOURCE = "agentgateway/agentgateway 75b4e6c, crates/agentgateway/src/store/binds.rs"

AGENTGATEWAY = Controller(
    "agentgateway",
    names=("agentgateway.dev/agentgateway", "kgateway.dev/agentgateway"),
    classes=("agentgateway",),
    reports=Reports.AGENTGATEWAY,
    # controller/pkg/agentgateway/plugins/traffic_plugin.go, resolvePolicyAncestorRefs.
    summary="StatusSummary",
    delegates=True,
)

# Its policies of one target are kept in a HashSet: nothing orders them.
_AGENT = Merging(
    Process.FIELDS,
    rules=("traffic.*", "backend.*", "frontend.*"),
    first=Precedence(order=Order.UNORDERED),
    fields=Fields(
        gathers=("traffic.authorization", "backend.mcp.authorization"),
        general=("traffic.buffer",),
        apart=(Apart("traffic.*", "traffic.phase", absent="PostRouting"),),
        lock=("strategy.inheritance", "Override"),
    ),
    source=_AGENT_SOURCE,
)
_LENIENT = ("Optional", "Permissive")
_AGENT_CALLERS = Traits(
    guards=True,
    guarding=(
        Guarding("traffic.authorization"),
        Guarding("traffic.extAuth"),
        *(
            Guarding(field, unless=(((f"{field}.mode", _LENIENT),),))
            for field in (
                "traffic.apiKeyAuthentication",
                "traffic.basicAuthentication",
                "traffic.jwtAuthentication",
            )
        ),
    ),
)

CONTROLLERS: tuple[Controller, ...] = (AGENTGATEWAY,)

KINDS: tuple[Kind, ...] = (
    row(
        _AGENTGATEWAY,
        "AgentgatewayPolicy",
        "v1alpha1",
        references=(target_refs(section=SECTION), target_selectors(section=SECTION, max_items=16)),
        needs=needs.POLICY,
        security=True,
        targets=(
            "Gateway",
            "ListenerSet",
            "HTTPRoute",
            "GRPCRoute",
            "Service",
            "AgentgatewayBackend",
            "InferencePool",
        ),
        # `spec`, CEL: exactly one of them must be set.
        alternatives=(("targetRefs", "targetSelectors"),),
        merging=_AGENT,
        controller=AGENTGATEWAY,
        traits=_AGENT_CALLERS,
        reach=Reach(before_routes=True),
        # kgateway-dev/kgateway, api/v1alpha1: BackendAuth takes a key inline.
        credentials=("spec.backend.auth.key",),
    ),
    row(
        _AGENTGATEWAY,
        "AgentgatewayModel",
        "v1alpha1",
        references=(parent("spec.parentRefs[]", max_items=16),),
        needs=needs.MODEL,
    ),
    row(_AGENTGATEWAY, "AgentgatewayBackend", "v1alpha1", needs=needs.BACKEND),
)
