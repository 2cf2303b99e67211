"""Functions that make references and needs, so that the rows of the table are short."""

from collections.abc import Mapping

from spokerender.kinds.columns import Credential, CredentialCheck, Guarding, Need, Scale
from spokerender.kinds.kind import SECTION, NamespaceRule, ReferencePath, Role
from spokerender.model.refs import GATEWAY_API

ASSUMED = tuple(
    ReferencePath(
        path, role, namespace=NamespaceRule.WRITTEN, section=SECTION, max_items=most, assumed=True
    )
    for path, role, most in (
        ("spec.targetRef", Role.TARGET, None),
        ("spec.targetRefs[]", Role.TARGET, 16),
        ("spec.targetSelectors[]", Role.SELECTOR, None),
        ("spec.parentRefs[]", Role.PARENT, None),
    )
)
"""The fields in which policies have targets, and routes parents, according to GEP-713.

A kind is assumed to have these fields if no schema says what its objects have there.
"""

# Kong/kubernetes-ingress-controller 1fa68f8, internal/dataplane/kongstate/kongstate.go,
# getPluginRelations: by this annotation of a route or a Service; with `namespace:` by a grant.
# getKongPluginOrKongClusterPlugin: a KongPlugin of the name comes first.
KONG_PLUGINS = Need(
    "metadata.annotations",
    "KongPlugin",
    "configuration.konghq.com",
    name="konghq.com/plugins",
    separator=",",
    or_kind="KongClusterPlugin",
)


def target_ref(
    *,
    path: str = "spec.targetRef",
    namespace: NamespaceRule = NamespaceRule.NONE,
    section: str = "",
    group: str = "",
    kind: str = "",
) -> ReferencePath:
    """Return the path of a single target, by default in the same namespace (GEP-713)."""
    return ReferencePath(path, Role.TARGET, group, kind, namespace, section)


def target_refs(
    *,
    max_items: int | None = 16,
    namespace: NamespaceRule = NamespaceRule.NONE,
    section: str = "",
    unique: bool = False,
) -> ReferencePath:
    """Return the path of a list of targets."""
    return ReferencePath(
        "spec.targetRefs[]",
        Role.TARGET,
        namespace=namespace,
        section=section,
        unique=unique,
        max_items=max_items,
    )


def target_selectors(
    *, group: str = "", section: str = "", max_items: int | None = None
) -> ReferencePath:
    """Return the path of targets that are selected by labels."""
    return ReferencePath(
        "spec.targetSelectors[]",
        Role.SELECTOR,
        default_group=group,
        section=section,
        max_items=max_items,
    )


def parent_ref(
    path: str,
    *,
    group: str = GATEWAY_API,
    section: str = SECTION,
    unique: bool = False,
    max_items: int | None = None,
) -> ReferencePath:
    """Return the path of one `ParentReference` of the Gateway API, or of a list of them."""
    return ReferencePath(
        path, Role.PARENT, group, "Gateway", NamespaceRule.ANY, section, unique, max_items
    )


def backend_ref(path: str) -> ReferencePath:
    """Return the path of a `BackendObjectReference` of the Gateway API."""
    return ReferencePath(path, Role.BACKEND, "", "Service", NamespaceRule.ANY)


def label_selector(
    path: str, role: Role = Role.LABEL, *, from_root: bool = False
) -> tuple[ReferencePath, ReferencePath]:
    """Return the paths of labels and expressions in a selector of pods or Services."""
    labels, expressions = f"{path}.matchLabels", f"{path}.matchExpressions[]"
    return (
        ReferencePath(labels, role, from_root=from_root),
        ReferencePath(expressions, role, from_root=from_root),
    )


def local_object(path: str, kind: str = "", *, data_key: str = "") -> Need:
    """Return a `Need`: a field that names an object in its namespace by group, kind and name."""
    return Need(path, kind, group_key="group", kind_key="kind", data_key=data_key)


def any_object(path: str, kind: str = "Secret", group: str = "") -> Need:
    """Return a `Need`: a field that names an object by group, kind, namespace and name."""
    return Need(path, kind, group, group_key="group", kind_key="kind", namespace_key="namespace")


def ask_for(credentials: Mapping[str, Credential], of: str = "") -> tuple[CredentialCheck, ...]:
    """Return a check of each field's kind of credential; `of` leads to the credential's source."""
    return tuple(CredentialCheck(field, takes, of) for field, takes in credentials.items())


def guard_by_rules(field: str) -> tuple[Guarding, Guarding]:
    """Return the guards for a field of CEL expressions with an action if one of them is true."""
    action = f"{field}.action"
    return (
        # A caller whom other policies let in has to fulfil all of these.
        Guarding(
            field,
            unless=(((action, ("Allow", "Deny", None)),),),
            asks=("policy.matchExpressions",),
        ),
        Guarding(
            field,
            unless=(((action, ("Require",)),),),
            lets=("policy.matchExpressions[]",),
            denying=(("action", ("Deny",)),),
        ),
    )


def rank_expressions(rule: str) -> tuple[Scale, ...]:
    """Return, for each action, how CEL expressions at the path `rule` are ranked by strictness."""
    field, action = f"{rule}.policy.matchExpressions", f"{rule}.action"
    return (
        Scale(
            field, entries="weaker", conditions="any", unless=(((action, ("Deny", "Require")),),)
        ),
        Scale(field, entries="stricter", conditions="any", given=((action, ("Deny",)),)),
        Scale(field, entries="stricter", conditions="all", given=((action, ("Require",)),)),
    )
