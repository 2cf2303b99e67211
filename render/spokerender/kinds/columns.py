"""Columns of a kind's row: what objects of a kind need, what the controller demands, advice."""

from typing import Any, Literal

from msgspec import Struct


class Need(Struct, frozen=True):
    """A field that names (or selects) an object that a spoke must have."""

    path: str
    """A pattern (`kinds.fields`) that leads to the mapping with the object's name."""
    kind: str = "Secret"
    group: str = ""
    name: str = "name"
    """The keys of the mapping for name, group, kind and namespace; empty if it has no such key."""
    group_key: str = ""
    kind_key: str = ""
    namespace_key: str = ""
    selects: bool = False
    """True if `path` leads to a label selector instead of a name."""
    labels: tuple[tuple[str, str], ...] = ()
    """The selector that the controller uses if none of the fields in `unless` is set."""
    unless: tuple[str, ...] = ()
    elsewhere: str = ""
    """Words for the object's namespace, if it is not the namespace of the object that names it."""
    stays: tuple[str, ...] = ()
    """Kinds of objects that may be named here and remain on the hub."""
    keys: tuple[str, ...] = ()
    """The object's `data` must have one of these keys; empty if the keys are unknown."""
    data_key: str = ""
    """The key of the mapping for the one key that `data` must have, if it is set."""
    is_granted: bool = True
    """True if naming an object of another namespace requires a ReferenceGrant."""
    or_single: bool = False
    """True if `data` with a single key of any name will do as well."""
    protocols: tuple[str, ...] = ()
    """Only listeners with one of these protocols need the object; empty: all do."""
    by_gateway: bool = False
    """True if a route's policy needs the object only if a listener accepts the route."""
    or_bytes: bool = False
    """True if `binaryData` of a ConfigMap counts as its `data`."""
    separator: str = ""
    """The text between several names, each optionally `namespace:name`; empty: a single name."""
    or_kind: str = ""
    """The kind to look for if there is no object of `kind` with the name."""
    part: str = ""
    """The field of the object's `spec` that has the same effect as if written beside the name."""


DISABLED, UNKNOWN = "Disabled", "Unknown"
"""Reasons of `Accepted`: the kind is switched off (Envoy Gateway), any error (Kuadrant)."""
PARTIALLY_VALID = "PartiallyValid"
"""The reason for a policy that is accepted without its invalid parts (agentgateway)."""
IS_CEL = "is CEL"
"""The rule of a demand for a text that is an expression of CEL, whatever its names mean."""


class Demand(Struct, frozen=True):
    """A validation rule of a controller for a field, in addition to the CRD's rules.

    `path` is a pattern (`kinds.fields`) from the root of the object; empty: the object itself.
    `rule` is a CEL expression about the value (`self`), or IS_CEL; empty: every value violates it.
    `says` completes a message that begins with the field's name. The rule applies to listeners with
    one of `protocols` and to targets of the kinds `targets`; empty: all. If a policy violates it,
    the controller refuses requests (`fails`), or ignores the policy with the reason `reason`; with
    PARTIALLY_VALID it accepts the policy. `setting` is a controller's setting: if it is on, the
    rule is off; if it is not declared, nobody knows (`kinds.settings`). `cure` is the suggested
    fix; empty: correct the value.
    """

    path: str
    rule: str
    says: str
    protocols: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    fails: bool = True
    reason: str = "Invalid"
    setting: str = ""
    cure: str = ""


class Setting(Struct, frozen=True):
    """A setting in a controller's own configuration that decides the effect of policies.

    `path` is the path of the setting in that configuration. A setting is a boolean, off by default;
    with `choices` it is one of these texts, by default the first; if `is_block` it is a mapping, on
    if present. `opposite` is another name of the setting, with the opposite value.
    """

    path: str
    choices: tuple[str, ...] = ()
    is_block: bool = False
    opposite: str = ""


class Unseen(Struct, frozen=True):
    """A field whose validity only the controller can decide.

    `why` says what the decision depends on. There is nothing to decide if one of `unless` is set,
    or if `rule` (CEL about the value, `self`) is false.
    """

    path: str
    why: str
    unless: tuple[str, ...] = ()
    rule: str = ""


class Records(Struct, frozen=True):
    """The fields of a kind that creates DNS records for the hostnames of its listeners.

    All fields are patterns (`kinds.fields`) from the root of the object. `balancing` makes the
    record load-balanced; `geo`, `weight` and `default` (the default geo) are fields inside it. If
    `delegate` is true, another cluster publishes the record. A provider accepts the codes of
    `continents` only with `prefix`; without it, codes that are in `countries` mean countries.
    """

    balancing: str
    geo: str
    weight: str
    default: str
    delegate: str
    continents: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    prefix: str = ""


class Counters(Struct, frozen=True):
    """The counters of a kind's rate limits, in a store that clusters may share.

    `limits` is the field with the limits. A counter's identifier consists of `prefix`, the limit's
    name and a hash of `namespace/name/limit`. Each value of the expressions `each` (a pattern of
    the spec proper, `Merging.rules`) has its own counter. Kuadrant's plugin asks the `services`
    about a limit, each with the number that it adds to the counter (an empty text: 1).
    """

    prefix: str
    limits: str
    services: tuple[tuple[str, str], ...]
    each: str = "limits.*.counters[].expression"


FieldCondition = tuple[str, tuple[Any, ...]]
"""A pattern below the spec proper (`Merging.rules`), and the values that fulfil the condition.

None stands for a field that is not set, NOTHING for an empty value. Without values, any value
fulfils the condition.
"""
NOTHING = ("an empty mapping",)
About = Literal["access", "limits", "encryption"]
More = Literal["", "weaker", "stricter"]


class Everybody(Struct, frozen=True):
    """Describes rules of a field that admit any caller, however the rules are spelled.

    A rule admits any caller if all its keys do. Each attribute from `parts` on lists the keys that
    admit any caller in one way.
    """

    rules: str
    """A pattern of the spec proper that leads to the rules."""
    given: FieldCondition | None = None
    """The condition under which a rule counts; None: always."""
    where: tuple[FieldCondition, ...] = ()
    """Conditions on the spec proper; unless all hold, no rule admits everybody."""
    parts: tuple[str, ...] = ()
    """Keys of mappings, judged like the rule; in a list of them, one that admits all is enough."""
    networks: tuple[str, ...] = ()
    """Keys of CIDR blocks that together contain all IPv4 addresses."""
    texts: tuple[str, ...] = ()
    """Keys of lists of texts; a `*` among them admits anybody."""
    methods: tuple[str, ...] = ()
    """Keys of lists of HTTP methods; all methods admit anybody."""
    exceptions: tuple[str, ...] = ()
    """Keys of exclusions (`not…`) that a caller can avoid."""
    headers: tuple[str, ...] = ()
    """Keys of an identity that is read from the request, so the caller can choose it."""
    selectors: tuple[str, ...] = ()
    """Keys of label selectors that select the API keys of all namespaces."""
    aside: tuple[str, ...] = ()
    """Keys that require nothing of callers."""
    conditions: tuple[str, ...] = ()
    """Keys of items that all have to hold: addresses (`values`), or exceptions (`notValues`)."""


class Guarding(Struct, frozen=True):
    """A field of the spec proper (`Merging.rules`) that restricts access; all fields are patterns.

    The patterns from `when` to `void` begin at a single rule of the field.
    """

    field: str
    unless: tuple[tuple[FieldCondition, ...], ...] = ()
    """If all conditions of one of these items hold, only refusing rules restrict anything."""
    rules: str = ""
    """The single rules in the field; empty: the field is one rule."""
    when: tuple[str, ...] = ()
    """Conditions on requests: the rule applies to requests for which all of them hold."""
    asks: tuple[str, ...] = ()
    """A request passes the rule if it meets all of these, or one of `lets`."""
    lets: tuple[str, ...] = ()
    denying: tuple[FieldCondition, ...] = ()
    """Conditions under which the rule refuses the requests it applies to; others then pass."""
    void: tuple[tuple[FieldCondition, ...], ...] = ()
    """The rule restricts nothing if all conditions of one of these items hold."""
    several: Literal["", "all", "any", "first"] = ""
    """A request must pass all rules, any, or the first that applies to it; empty: unknown."""
    about: About = "access"
    """What is restricted, such as who may call (`access`)."""
    beside: Literal["", "all", "any"] = ""
    """As `several`, for policies that are effective side by side."""
    everybody: Everybody | None = None
    """Rules that admit anybody: with such a rule, the field restricts nothing."""
    lapses: FieldCondition | None = None
    """The condition under which requests pass if the check fails: protection is partial."""
    answers: str = ""
    """The field of the spec proper (a pattern) with the status of refusals, if it is set."""


Credential = Literal["apiKey", "basic", "certificate", "jwt", "oauth2", "oidc", "token"]


class CredentialCheck(Struct, frozen=True):
    """A field of the spec proper (a pattern) that requires a credential of the kind `takes`.

    `of` leads from the field to one that identifies the credential's source, such as an issuer.
    """

    field: str
    takes: Credential
    of: str = ""


class Scale(Struct, frozen=True):
    """A field of the spec proper (a pattern) whose values can be ranked by strictness.

    One of `order`, `entries`, `conditions`, `number` and `rate` says how. If none is set, values
    are not ranked, and the order of a list's items matters.
    """

    field: str
    about: About = "access"
    order: tuple[Any, ...] = ()
    """The values from the weakest to the strictest."""
    entries: More = ""
    """Whether more entries make a list or mapping weaker or stricter."""
    conditions: Literal["", "all", "any"] = ""
    """Entries are CEL conditions, and a request has to fulfil all of them, or any of them."""
    number: More = ""
    """Whether a larger number or longer duration is weaker or stricter."""
    rate: tuple[str, ...] | None = None
    """The keys of a number of requests and of its period; empty for a text with both (`10r/s`)."""
    entries_of: str = ""
    """A list beside the field, which says if all or any entries must hold: equal for one entry."""
    average: tuple[tuple[str, Any], ...] = ()
    """As `rate`, with defaults, in a mapping where another field has the allowed burst."""
    unset: Any = None
    """The meaning of an absent field: a value of `order`, `open` (to everybody) or `other`."""
    refusing: FieldCondition | None = None
    """Items are tried in order, the first match decides; the condition marks refusing items."""
    unlimited: tuple[Any, ...] = ()
    """Numbers that mean no limit; None stands for an absent number."""
    wildcards: bool = False
    """`*` in entries matches any text."""
    trusts: bool = False
    """Entries are authorities: to replace one with another is weaker as well."""
    is_name: bool = False
    """Only people read the value, such as in logs."""
    given: tuple[FieldCondition, ...] = ()
    """The scale applies if all of these conditions hold."""
    unless: tuple[tuple[FieldCondition, ...], ...] = ()
    """The scale does not apply if all conditions of one of these items hold."""


class Reach(Struct, frozen=True):
    """The request paths through its target that a policy affects."""

    mesh: tuple[str, ...] = ()
    """Kinds of target: if targeted, a policy affects only the mesh, no path through a gateway."""
    beside: tuple[str, ...] = ()
    """Kinds of target to which no path through a gateway leads."""
    protocols: tuple[str, ...] = ()
    """The protocols of the listeners that it affects; empty: all."""
    whole_routes: tuple[str, ...] = ()
    """Kinds of route: a policy that targets a single rule of such a route has no effect."""
    before_routes: bool = False
    """A policy on the route takes precedence over a policy on the backend (agentgateway)."""
    whole_ports: bool = False
    """A policy for one plain HTTP listener is refused if other listeners share its port."""
    class_if_merged: bool = False
    """A policy for merged Gateways must target their GatewayClass."""
    from_above: tuple[str, ...] = ()
    """Kinds of route on which only policies of gateways and listeners count."""
    controllers: tuple[str, ...] = ()
    """Ids of the controllers whose gateways a policy affects; empty: see `Controller.looks_at`."""


EVERYWHERE = Reach()
"""Every request path through the target."""


class Traits(Struct, frozen=True):
    """The facts about a kind of policy that advice depends on."""

    unheard: tuple[str, ...] = ()
    """Fields of `spec` that have no effect if `defaults` or `overrides` is set."""
    needs_routes: bool = False
    """A policy has no effect on a gateway without routes."""
    guards: bool = False
    """The kind decides who may call: a route without such a policy is open to all."""
    guarding: tuple[Guarding, ...] = ()
    """The fields of a security kind that restrict access; empty: all."""
    narrowing: tuple[str, ...] = ()
    """Lists of rules (patterns) that a request must all fulfil: more rules refuse more requests."""
    conditions: tuple[str, ...] = ("when[]",)
    """For a security kind: fields with the conditions under which a whole policy applies."""
    certificates: bool = False
    """The kind creates a certificate for each of its listeners."""
    records: Records | None = None
    counters: Counters | None = None
    each_alone: bool = False
    """Its plugin gets single limits; a partly overridden policy counts as not enforced."""
    besides: tuple[Guarding, ...] = ()
    """Fields that restrict anything else than who may call."""
    scales: tuple[Scale, ...] = ()
    optional: bool = False
    """It checks credentials if a request has them, and lets requests without credentials pass."""
    issuers: tuple[str, ...] = ()
    """Fields with the URL of an identity provider, whose own routes must remain open."""
    checks: tuple[CredentialCheck, ...] = ()
    """Among the fields that restrict access, those that require credentials."""
    ordered: tuple[str, ...] = ()
    """Lists (patterns) whose order has an effect; the order of other lists has none."""
    off: frozenset[str] = frozenset()
    """Names of booleans anywhere in `spec` that are false if absent."""
    unread: tuple[tuple[str, FieldCondition], ...] = ()
    """Fields (patterns) of the spec proper, each with the condition under which it is ignored."""
    port_fields: tuple[str, ...] = ()
    """Fields of the spec proper that affect all listeners of a port."""
    named: tuple[str, str, str] = ("", "", "")
    """A field with named conditions, the key that refers to one, and the key of its list."""


NO_TRAITS = Traits()
"""The traits of a kind without advice."""


class Trust(Struct, frozen=True):
    """The objects from which a controller reads CA certificates, if the API does not define them.

    `kinds` are their groups and kinds. The data of an object must have one of `keys`, or if
    `only_key` a single key of any name. If `every`, one unreadable object makes all invalid. If
    `fails`, requests to the backend fail without a valid certificate.
    """

    kinds: tuple[tuple[str, str], ...]
    keys: tuple[str, ...] = ("ca.crt",)
    only_key: bool = False
    every: bool = False
    fails: bool = False


class PortSharing(Struct, frozen=True):
    """The rule by which listeners that share a port conflict."""

    # Listeners of both protocols are chosen by SNI.
    families: tuple[tuple[str, ...], ...] = (("HTTPS", "TLS"),)
    """Protocols whose listeners may differ by hostname; any other protocol is its own family."""
    apart: tuple[str, ...] = ("UDP",)
    """Protocols that don't conflict with other families."""
    first_wins: bool = False
    """Of conflicting listeners the first is opened, and refused ones block none; otherwise all of a
    Gateway's own conflicting listeners stay closed."""
    by_protocol: bool = False
    """Listeners of one family conflict by protocol if protocols differ or hostnames are missing."""
    by_pairs: bool = False
    """Of one family, listeners of one protocol conflict, and HTTPS with TLS that is passed through
    where hostnames intersect. Of conflicting listeners of one object none is opened."""

    def family(self, protocol: str) -> str:
        """Return the name of a protocol's family."""
        return next((family[0] for family in self.families if protocol in family), protocol)


class OwnedField(Struct, frozen=True):
    """A field that the cluster writes; `chosen` are values that only a user would write."""

    pattern: str
    chosen: frozenset[str] = frozenset()
