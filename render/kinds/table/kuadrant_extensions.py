"""The policies of Kuadrant's extensions (CRDs of kuadrant-operator v1.5)."""

from __future__ import annotations

from render.kinds.kind import Kind
from render.kinds.merging import Merge, Merging, Process, Several, Writes
from render.kinds.table.kuadrant import (
    CORE,
    GATEWAY,
    IDLE,
    OPERATOR,
    WITH_HTTP,
    WITH_ROUTES,
    policy,
)
from render.kinds.traits import Traits

_EXTENSIONS = "extensions.kuadrant.io"

# It makes an AuthPolicy of its name, with overrides that merge; and a route for the callback.
_OIDC = Merging(
    process=Process.KUADRANT,
    writes=Writes(
        CORE,
        "AuthPolicy",
        Merge.MERGE,
        rules=(
            ("rules.authentication.oidc", "provider"),
            ("rules.authorization.oidc", "auth.claims"),
            ("rules.response.unauthenticated", "provider"),
        ),
        overrides=True,
    ),
    source=f"{OPERATOR}, cmd/extensions/oidc-policy",
)
# It makes a bare RateLimitPolicy of its name.
_PLAN = Merging(
    process=Process.KUADRANT,
    writes=Writes(
        CORE, "RateLimitPolicy", Merge.ATOMIC, rules=(("limits.*", "plans[]"),), name="tier"
    ),
    source=f"{OPERATOR}, cmd/extensions/plan-policy",
)
_SEVERAL_UNKNOWN = Merging(
    Process.ALONE, Several.ALONE, source=f"{OPERATOR}: what several come to is not known"
)

_ASKS = Traits(needs_routes=True, guards=True)

KINDS: tuple[Kind, ...] = (
    policy(
        _EXTENSIONS,
        "OIDCPolicy",
        "v1alpha1",
        WITH_HTTP,
        security=True,
        merging=_OIDC,
        traits=_ASKS,
    ),
    policy(
        _EXTENSIONS,
        "PlanPolicy",
        "v1alpha1",
        WITH_ROUTES,
        security=True,
        merging=_PLAN,
        traits=IDLE,
    ),
    policy(
        _EXTENSIONS,
        "ThreatPolicy",
        "v1alpha1",
        WITH_HTTP,
        security=True,
        merging=_SEVERAL_UNKNOWN,
        traits=IDLE,
    ),
    policy(
        _EXTENSIONS,
        "TelemetryPolicy",
        "v1alpha1",
        GATEWAY,
        security=False,
        merging=_SEVERAL_UNKNOWN,
    ),
)
