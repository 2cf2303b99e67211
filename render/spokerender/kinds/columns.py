"""Columns of a row: what a kind needs, what its controller demands, what advice is about."""

from typing import Any, Literal

from msgspec import Struct


class Need(Struct, frozen=True):
    """A field of a kind that names, or selects, an object that the spoke must have."""

    path: str
    """A pattern (`kinds.fields`) that leads to the mapping with the name."""
    kind: str = "Secret"
    group: str = ""
    name: str = "name"
    """The keys of the mapping; an empty key is one that the mapping does not have."""
    group_key: str = ""
    kind_key: str = ""
    namespace_key: str = ""
    selects: bool = False
    """True if `path` leads to a label selector in place of a name."""
    labels: tuple[tuple[str, str], ...] = ()
    """The selector that the controller uses if none of the fields `unless` is set."""
    unless: tuple[str, ...] = ()
    elsewhere: str = ""
    """The words for the object's namespace, if that is not the namespace of what names it."""
    stays: tuple[str, ...] = ()
    """Kinds of objects that are named and stay on the hub."""
    keys: tuple[str, ...] = ()
    """The object's `data` must have one of these keys; empty: nobody knows which."""
    is_granted: bool = True
    """True if naming an object of another namespace requires a ReferenceGrant."""
    or_single: bool = False
    """True if `data` with a single key of any name will do as well."""
    protocols: tuple[str, ...] = ()
    """Only listeners with one of these protocols need the object; empty: all do."""
    by_gateway: bool = False
    """True if a policy of a route needs the object only where a listener takes the route."""
    or_bytes: bool = False
    """True if `binaryData` of a ConfigMap counts as its `data`."""
    separator: str = ""
    """The text between several names, each perhaps `namespace:name`; empty: there is one name."""
    or_kind: str = ""
    """The kind that is looked for where no object of `kind` has the name."""
    part: str = ""
    """The field of the object's `spec` that counts as if it were written beside the name."""


DISABLED, UNKNOWN = "Disabled", "Unknown"
"""Reasons of `Accepted`: the kind is switched off (Envoy Gateway), some error (Kuadrant)."""


class Demand(Struct, frozen=True):
    """A validation rule of a controller for a field, besides those of the CRD.

    `path` is a pattern (`kinds.fields`) from the root of the object; empty: the object itself.
    `rule` is a CEL expression about the value (`self`). `says` completes a message that begins with
    the field's name. The rule applies to listeners with one of `protocols` and to targets of the
    kinds `targets`; empty: all. If a policy violates it, the controller refuses requests (`fails`),
    or ignores the policy with the reason `reason`. With `setting`, nothing is demanded where the
    controller's setting of this path is on, and nobody can tell where it is not declared
    (`kinds.settings`). Without a rule, every value violates it. The default cure is to correct the
    value.
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
    """A setting in a controller's own configuration that decides what becomes of policies.

    `path` is its place there, under the controller's own names. A setting is a boolean, off by
    default; with `choices` one of these texts, the first by default; with `is_block` a mapping, and
    on where there is one. `opposite` is another name of the setting, with the opposite value.
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
    record a load-balanced one; `geo`, `weight` and `default` (the default geo) are parts of it.
    `delegate` is a boolean: another cluster publishes the record. A provider accepts the codes of
    `continents` only with `prefix`; without it, `countries` among them are codes of countries.
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

    `limits` is the field with the limits. The identifier of a counter consists of `prefix`, the
    name of the limit and a hash of `namespace/name/limit`. Each value of the expressions `each` (a
    pattern of the spec proper) has a counter of its own. Kuadrant's plugin asks the `services`
    about a limit, each with what it adds to the counter, if not 1.
    """

    prefix: str
    limits: str
    services: tuple[tuple[str, str], ...]
    each: str = "limits.*.counters[].expression"


FieldCondition = tuple[str, tuple[Any, ...]]
"""A field of the spec proper (a pattern) and the values that fulfil the condition.

None stands for a field that is not set, NOTHING for what is empty. Without values, any value
fulfils the condition.
"""
NOTHING = ("an empty mapping",)
About = Literal["access", "limits", "encryption"]
More = Literal["", "weaker", "stricter"]


class Everybody(Struct, frozen=True):
    """The rules of a field by which any caller gets in, however the rules are spelled.

    A rule admits anybody if each of its keys admits anybody, by one of the sorts below.
    """

    rules: str
    """A pattern of the spec proper that leads to the rules."""
    given: FieldCondition | None = None
    """The condition under which a rule counts."""
    where: tuple[FieldCondition, ...] = ()
    """Conditions on the spec proper under which there are such rules at all."""
    parts: tuple[str, ...] = ()
    """Keys of parts with such keys in turn: of a list, one entry that admits anybody is enough."""
    networks: tuple[str, ...] = ()
    """Keys of CIDR blocks that have, together, all addresses of IPv4."""
    texts: tuple[str, ...] = ()
    """Keys of lists of texts with a `*` among them."""
    methods: tuple[str, ...] = ()
    """Keys of lists with all methods of HTTP."""
    exceptions: tuple[str, ...] = ()
    """Keys of what the rule excludes (`not…`), and a caller can do without."""
    headers: tuple[str, ...] = ()
    """Keys of an identity that is read from the request, which the caller writes."""
    selectors: tuple[str, ...] = ()
    """Keys of selectors that select the API keys of all namespaces."""
    aside: tuple[str, ...] = ()
    """Keys that ask nothing of callers."""
    conditions: tuple[str, ...] = ()
    """Keys of entries that all have to hold: addresses (`values`), or exceptions (`notValues`)."""


class Guarding(Struct, frozen=True):
    """A field of the spec proper that restricts access; `field` and the rest are patterns.

    The patterns from `when` to `void` begin at a single rule of the field.
    """

    field: str
    unless: tuple[tuple[FieldCondition, ...], ...] = ()
    """If all conditions of one of these items hold, only rules of the field that refuse do."""
    rules: str = ""
    """The single rules of the field; empty: the field is one rule."""
    when: tuple[str, ...] = ()
    """Conditions on requests: the rule is for requests for which all of them hold."""
    asks: tuple[str, ...] = ()
    """A request passes the rule if it meets all of these, or one of `lets`."""
    lets: tuple[str, ...] = ()
    denying: tuple[FieldCondition, ...] = ()
    """Conditions under which the rule refuses its requests; all other requests pass."""
    void: tuple[tuple[FieldCondition, ...], ...] = ()
    """The rule restricts nothing if all conditions of one of these items hold."""
    several: Literal["", "all", "any", "first"] = ""
    """A request has to pass all rules, any, or the first that is for it; empty: nobody knows."""
    about: About = "access"
    """What is restricted: who may call (`access`), how often, or who may read along."""
    beside: Literal["", "all", "any"] = ""
    """As `several`, of policies that are in force side by side."""
    everybody: Everybody | None = None
    """Rules by which anybody gets in: with one of them, the field restricts nothing."""
    lapses: FieldCondition | None = None
    """The condition under which requests pass if the check fails, which is half a protection."""
    answers: str = ""
    """The field of the spec proper (a pattern) with the status of refusals, if it is set."""


Credential = Literal["apiKey", "basic", "certificate", "jwt", "oauth2", "oidc", "token"]


class CredentialCheck(Struct, frozen=True):
    """A field of the spec proper (a pattern) that asks for a credential of the kind `takes`.

    `of` leads from there to a field that identifies the credential's source, such as an issuer.
    """

    field: str
    takes: Credential
    of: str = ""


class Scale(Struct, frozen=True):
    """A field of the spec proper (a pattern) whose values can be ranked: which one is stricter.

    One of `order`, `entries`, `conditions`, `number` and `rate` says how. Where none does, values
    are not ranked, and the order of a list's entries counts.
    """

    field: str
    about: About = "access"
    order: tuple[Any, ...] = ()
    """The values from the weakest to the strictest."""
    entries: More = ""
    """What more entries make of a list or mapping."""
    conditions: Literal["", "all", "any"] = ""
    """Entries are conditions in CEL, and a request has to fulfil all of them, or any."""
    number: More = ""
    """What a larger number, or a longer duration, makes of it."""
    rate: tuple[str, ...] | None = None
    """The keys of a number of requests and of its time; empty for a text with both (`10r/s`)."""
    entries_of: str = ""
    """A list beside the field, of which all or any entries count: with one entry it is the same."""
    average: tuple[tuple[str, Any], ...] = ()
    """As `rate`, with defaults, in a mapping where another field says how many may come at once."""
    unset: Any = None
    """What an absent field is: a value of `order`, `open` (to everybody) or `other` (neither)."""
    refusing: FieldCondition | None = None
    """The first item that matches decides: the condition holds for items that refuse requests."""
    unlimited: tuple[Any, ...] = ()
    """Numbers that stand for no limit; None for an absent one."""
    wildcards: bool = False
    """`*` in entries stands for any text."""
    trusts: bool = False
    """Entries are authorities: one in the place of another is weaker as well."""
    is_name: bool = False
    """Only people read it, such as in logs."""
    given: tuple[FieldCondition, ...] = ()
    """The scale applies if all of these hold of the spec proper."""
    unless: tuple[tuple[FieldCondition, ...], ...] = ()
    """It does not apply if all conditions of one of these items hold of the spec proper."""


class Reach(Struct, frozen=True):
    """The request paths through its target that a policy affects."""

    mesh: tuple[str, ...] = ()
    """Kinds of target by which a policy affects the mesh only, and no path through a gateway."""
    beside: tuple[str, ...] = ()
    """Kinds of target to which no path through a gateway leads."""
    protocols: tuple[str, ...] = ()
    """The protocols of the listeners that it affects; empty: all."""
    whole_routes: tuple[str, ...] = ()
    """Kinds of route of which a policy for a single rule has no effect."""
    before_routes: bool = False
    """A policy on the route takes precedence over one on the backend (agentgateway)."""
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
    """Fields of `spec` that have no effect beside `defaults` or `overrides`."""
    needs_routes: bool = False
    """A policy has no effect on a gateway without routes."""
    guards: bool = False
    """It decides who may call: a route without such a policy is open to all."""
    guarding: tuple[Guarding, ...] = ()
    """The fields of a security kind that restrict access; empty: all."""
    narrowing: tuple[str, ...] = ()
    """Rules (patterns) that a request must all fulfil: one more refuses more requests."""
    conditions: tuple[str, ...] = ("when[]",)
    """The fields of a security kind with the conditions under which a whole policy applies."""
    certificates: bool = False
    """It creates a certificate for each of its listeners."""
    records: Records | None = None
    counters: Counters | None = None
    each_alone: bool = False
    """Its plugin gets each limit alone; overridden in a part, it counts as not enforced."""
    besides: tuple[Guarding, ...] = ()
    """Fields that restrict something, and say nothing of who may call."""
    scales: tuple[Scale, ...] = ()
    optional: bool = False
    """It checks the credentials that a request has, and lets requests without any pass."""
    issuers: tuple[str, ...] = ()
    """Fields with the URL of an identity provider, whose own routes have to be open."""
    checks: tuple[CredentialCheck, ...] = ()
    """The fields that ask for credentials, of all that restrict access."""
    ordered: tuple[str, ...] = ()
    """Lists (patterns) whose entries are carried out in order; of other lists it means nothing."""
    off: frozenset[str] = frozenset()
    """Names of booleans, wherever they are in `spec`, that are false where they are absent."""
    unread: tuple[tuple[str, FieldCondition], ...] = ()
    """Fields (patterns) of the spec proper, each with the condition under which it is ignored."""
    port_fields: tuple[str, ...] = ()
    """Fields of the spec proper that have an effect on all listeners of a port."""
    named: tuple[str, str, str] = ("", "", "")
    """A field with conditions by name, the key that refers to one, and the key of its list."""


NO_TRAITS = Traits()
"""The traits of a kind without advice."""


class Trust(Struct, frozen=True):
    """The objects from which a controller reads CA certificates, if the API does not decide it.

    `kinds` lists their groups and kinds. The data of an object must have one of `keys`, or with
    `only_key` a single key of any name. With `every`, one unreadable object invalidates all. With
    `fails`, requests to the backend fail then.
    """

    kinds: tuple[tuple[str, str], ...]
    keys: tuple[str, ...] = ("ca.crt",)
    only_key: bool = False
    every: bool = False
    fails: bool = False


class PortSharing(Struct, frozen=True):
    """The rule by which the listeners of one port conflict."""

    # Both choose a listener by SNI.
    families: tuple[tuple[str, ...], ...] = (("HTTPS", "TLS"),)
    """Protocols whose listeners differ by hostname; any other protocol is its own family."""
    apart: tuple[str, ...] = ("UDP",)
    """Protocols that conflict with no other family."""
    first_wins: bool = False
    """The first listener is opened, and refused ones are in nobody's way; otherwise none of a
    Gateway's own that conflict is opened."""
    by_protocol: bool = False
    """Two of one family conflict by their protocols if these differ, or have no hostnames."""

    def family(self, protocol: str) -> str:
        """Return a name for the family of a protocol."""
        return next((family[0] for family in self.families if protocol in family), protocol)


class OwnedField(Struct, frozen=True):
    """A field that a cluster writes; `chosen` are the values that only a user gives it."""

    pattern: str
    chosen: frozenset[str] = frozenset()
