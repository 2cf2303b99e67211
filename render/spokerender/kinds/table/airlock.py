"""Airlock Microgateway's policies, all of them direct ones for HTTPRoutes. Its operator is closed.

Its CRDs and documentation say what they attach to, and nothing of several on one route.
"""

from __future__ import annotations

from spokerender.kinds.controllers import Controller
from spokerender.kinds.kind import Kind
from spokerender.kinds.merging import Merging, Process, Several
from spokerender.kinds.rows import plural_of, row, target_refs
from spokerender.kinds.table import airlock_needs as needs
from spokerender.kinds.traits import NO_TRAITS, NOTHING, Guarding, Traits

_GROUP = needs.GROUP

AIRLOCK = Controller(
    "Airlock Microgateway", names=("microgateway.airlock.com/gatewayclass-controller",)
)
_PLURALS = ("DenyRules", "HeaderRewrites", "JWKS", "Limits")
_ALONE = Merging(
    Process.NONE,
    Several.ALONE,
    source="airlock/microgateway 9ac212e, deploy/charts/airlock-microgateway/crds say nothing",
)
# An empty `authorization` disables it (AccessControlPolicy, CRD reference 5.2).
_CALLERS = Traits(
    guards=True,
    guarding=(Guarding("policies", unless=((("policies[].authorization", (NOTHING,)),),)),),
)
# `unsecured` switches off the filtering of requests.
_FILTERS = Traits(guarding=(Guarding("secured"),))


def _policy(kind: str, *, security: bool, traits: Traits = NO_TRAITS) -> Kind:
    return row(
        _GROUP,
        kind,
        "v1alpha1",
        references=(target_refs(unique=True),),
        needs=needs.of(kind),
        security=security,
        targets=("HTTPRoute",),
        merging=_ALONE,
        controller=AIRLOCK,
        traits=traits,
    )


def _plural(kind: str) -> str:
    """What its CRDs have: some of its kinds are plurals."""
    return kind.lower() if kind in _PLURALS else plural_of(kind)


CONTROLLERS: tuple[Controller, ...] = (AIRLOCK,)

KINDS: tuple[Kind, ...] = (
    _policy("AccessControlPolicy", security=True, traits=_CALLERS),
    _policy("ContentSecurityPolicy", security=True, traits=_FILTERS),
    _policy("CustomResponsePolicy", security=False),
    # Filters of the user's own, of which some authorize.
    _policy("EnvoyExtensionPolicy", security=True),
    _policy("ICAPPolicy", security=True),
    _policy("LogMaskingPolicy", security=False),
    _policy("RateLimitPolicy", security=True),
    # What they name in turn goes along as well.
    *(
        row(_GROUP, kind, "v1alpha1", plural=_plural(kind), needs=needs.of(kind))
        for kind in needs.NAMED
    ),
    row(
        _GROUP,
        "GatewayParameters",
        "v1alpha1",
        plural="gatewayparameters",
        needs=(*needs.of("GatewayParameters"), *needs.GATEWAY_PARAMETERS),
    ),
)
