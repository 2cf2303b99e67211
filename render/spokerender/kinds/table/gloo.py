"""Gloo Gateway, of which kgateway is the successor."""

from functools import partial

from msgspec.structs import replace

from spokerender.kinds.columns import Guarding, Scale, Traits
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
# Of several in that order the first alone; the others get a warning in their status.
_FIRST = Merging(
    Process.NONE,
    Several.ONE,
    loser=Loser.SILENT,
    rules=("options.*",),
    source=f"{_GLOO_SOURCE}/httplisteneroptions",
)


def _unless(field: str, off: str) -> Guarding:
    """Return a guard for an option that checks callers, unless its field `off` is true."""
    return Guarding(f"options.{field}", unless=(((f"options.{field}.{off}", (True,)),),))


# projects/gloo/api/v1/options.proto, and the settings in enterprise/options that it names.
_COUNTING = (
    *("ratelimitBasic", "ratelimit", "ratelimitEarly", "ratelimitRegular"),
    *("rateLimitConfigs", "rateLimitEarlyConfigs", "rateLimitRegularConfigs"),
)
_ASKING = Traits(
    guards=True,
    guarding=(
        _unless("extauth", "disable"),
        Guarding(
            "options.jwt",
            unless=(
                (("options.jwt.disable", (True,)),),
                (("options.jwt.allowMissingOrFailedJwt", (True,)),),
            ),
        ),
        *map(Guarding, ("options.jwtStaged", "options.jwtProvidersStaged")),
        _unless("rbac", "disable"),
    ),
    besides=(
        Guarding("options.waf", unless=((("options.waf.disabled", (True,)),),)),
        Guarding("options.csrf"),
        *(Guarding(f"options.{name}", about="limits") for name in _COUNTING),
    ),
    scales=(
        Scale("options.ratelimitBasic.*", "limits", rate=("requestsPerUnit", "unit")),
        Scale("options.cors.allowOrigin", entries="weaker", wildcards=True),
        Scale("options.jwt.providers", entries="weaker"),
    ),
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
        targets=("HTTPRoute",),
        targetless=Targetless.FILTER,
        # A route prefers what delegates to it, unless an annotation of its own says otherwise.
        merging=replace(
            _OPTIONS, delegated=f"{_GLOO_SOURCE}/routeoptions: annotations of routes decide it"
        ),
        traits=_ASKING,
    ),
    _option(
        "VirtualHostOption",
        security=True,
        targets=("Gateway", "ListenerSet", "XListenerSet"),
        merging=_OPTIONS,
        traits=_ASKING,
    ),
    _option("HttpListenerOption", security=True, merging=_FIRST),
    _option("ListenerOption", merging=_FIRST),
)
