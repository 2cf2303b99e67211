"""Columns of a row: what a kind needs, what its controller demands, what advice is about."""

from typing import Any, Literal

from msgspec import Struct


class Need(Struct, frozen=True):
    """A field of a kind that refers to an object that the spoke must have.

    `path` is a pattern that leads to the mapping with the name (at the key `name`), or with
    `selects` to a label selector. `group_key`, `kind_key` and `namespace_key` are empty if the
    mapping has no such field. `labels` is a selector that the controller uses by default, if none
    of `unless` is set. `elsewhere` describes the namespace, if it is not the object's own. Objects
    of the kinds `stays` stay on the hub. The object's `data` must have one of `keys` (empty:
    unknown), or with `or_single` a single key of any name. `is_granted` tells whether a reference
    to another namespace requires a ReferenceGrant. Only listeners with one of `protocols` need it;
    empty: all. A policy of a route does not need it `by_gateway` if no listener takes the route.
    The `binaryData` of a ConfigMap counts as its data with `or_bytes`.
    """

    path: str
    kind: str = "Secret"
    group: str = ""
    name: str = "name"
    group_key: str = ""
    kind_key: str = ""
    namespace_key: str = ""
    selects: bool = False
    labels: tuple[tuple[str, str], ...] = ()
    unless: tuple[str, ...] = ()
    elsewhere: str = ""
    stays: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    is_granted: bool = True
    or_single: bool = False
    protocols: tuple[str, ...] = ()
    by_gateway: bool = False
    or_bytes: bool = False
    separator: str = ""
    """The text between several names, each perhaps `namespace:name`; empty: there is one name."""
    or_kind: str = ""
    """The kind that the name is of where no object of `kind` has it."""
    part: str = ""
    """The field of the named object's `spec` that counts as if it stood beside the name."""


DISABLED = "Disabled"
"""The reason of `Accepted` where a controller does not carry out a kind (Envoy Gateway)."""


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
    if `rule` (CEL about the value, `self`) is false, or if the target is not one of `targets`.
    """

    path: str
    why: str
    unless: tuple[str, ...] = ()
    rule: str = ""
    targets: tuple[str, ...] = ()


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
    pattern of the spec proper) has a counter of its own.
    """

    prefix: str
    limits: str
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
    """The rules of a field by which any caller gets in, however they are spelled.

    `rules` leads to them (a pattern of the spec proper), if `where` holds of it; those count for
    which `given` holds. What
    a rule asks holds of every request where each of its keys is of one of these sorts: `parts` have
    such keys again, and of a list one entry is enough; `networks` are CIDR blocks that have all
    addresses of IPv4 together, `texts` one of which is `*`, `methods` all of HTTP, `exceptions`
    what a caller can do without, `headers` an identity read from the request, `selectors` all API
    keys of all namespaces, `aside` nothing that is asked. All entries of `conditions` have to hold:
    addresses of the caller (`key`, `values`), or what it can do without (`notValues`).
    """

    rules: str
    given: FieldCondition | None = None
    where: tuple[FieldCondition, ...] = ()
    parts: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    exceptions: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    selectors: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()


class Guarding(Struct, frozen=True):
    """A field of the spec proper (a pattern) that restricts access.

    It does not if all conditions of one item of `unless` are true, or a rule of `everybody` is for
    all, and half as much if `lapses` is: requests pass then whenever the check fails. `rules` leads
    to its single rules; without it, the field is one. The other patterns begin at a rule: it
    applies to the requests for which all of `when` hold. A request passes if all of `asks` hold, or
    one of `lets`; a rule that is `denying` refuses these, and lets others pass, and one for which
    an item of `void` holds restricts nothing. Of several rules a request has to pass `all`, or
    `any` one, or the `first` that is for it; empty where that is not known. `about` is what it
    restricts: who may call (`access`), how often (`limits`), or who may read along (`encryption`).
    `beside` is as `several`, of policies that are in force side by side.
    """

    field: str
    unless: tuple[tuple[FieldCondition, ...], ...] = ()
    rules: str = ""
    when: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    lets: tuple[str, ...] = ()
    denying: tuple[FieldCondition, ...] = ()
    void: tuple[tuple[FieldCondition, ...], ...] = ()
    several: Literal["", "all", "any", "first"] = ""
    about: About = "access"
    beside: Literal["", "all", "any"] = ""
    everybody: Everybody | None = None
    lapses: FieldCondition | None = None


Credential = Literal["apiKey", "basic", "certificate", "jwt", "oauth2", "oidc", "token"]


class CredentialCheck(Struct, frozen=True):
    """A field of the spec proper (a pattern) that asks for a credential of the kind `takes`.

    `of` leads from there to what says whose it is, an issuer say.
    """

    field: str
    takes: Credential
    of: str = ""


class Scale(Struct, frozen=True):
    """A field of the spec proper (a pattern) whose values can be ranked: which is the stricter one.

    One of these says how. `order` has the values from the weakest to the strictest. `entries` says
    what more entries of a list or mapping make of it, `number` what a larger number or a longer
    duration makes of it. Entries may be `conditions` in CEL: a request has to fulfil `all`, or
    `any`. `rate` are the keys of a number of requests and of the time in which they may come; for a
    text with both (`10r/s`) it is empty. `unset` is what an absent field counts as: a value of
    `order`, `open` where without it every request is meant, or `other` where something else is
    asked. If the first item that matches decides, `refusing` are those that refuse requests.
    With `trusts`, entries are authorities: another one in the place of one is weaker as well.
    `unlimited` are numbers that stand for no limit, None for an absent one. With `wildcards`, `*`
    in entries stands for any text. With `is_name`, people alone read it, such as in logs. Where
    nothing says how, values are not ranked, and the order of entries counts. It applies if all of
    `given` hold, and not if all conditions of one item of `unless` do, both from the root of the
    spec proper.
    """

    field: str
    about: About = "access"
    order: tuple[Any, ...] = ()
    entries: More = ""
    conditions: Literal["", "all", "any"] = ""
    number: More = ""
    rate: tuple[str, ...] | None = None
    entries_of: str = ""
    """A list beside the field, of which all or any entries count: of one entry it is the same."""
    average: tuple[tuple[str, Any], ...] = ()
    """As `rate`, with defaults, in a mapping where another field says how many may come at once."""
    unset: Any = None
    refusing: FieldCondition | None = None
    unlimited: tuple[Any, ...] = ()
    wildcards: bool = False
    trusts: bool = False
    is_name: bool = False
    given: tuple[FieldCondition, ...] = ()
    unless: tuple[tuple[FieldCondition, ...], ...] = ()


class Reach(Struct, frozen=True):
    """The request paths through its target that a policy affects.

    A policy with a target kind of `mesh` affects the mesh only, and no path through a gateway.
    No path through a gateway leads to a target kind of `beside`. `protocols` are the protocols of
    the listeners that it affects; empty: all. A policy for one rule of a kind of `whole_routes`
    has no effect. With `before_routes`, a policy on the route takes precedence over one on the
    backend (agentgateway). With `whole_ports`, a policy for one plain HTTP listener is refused if
    other listeners share its port. With `class_if_merged`, a policy for merged Gateways must
    target their GatewayClass. On routes of a kind of `from_above`, only policies of gateways and
    listeners count. `controllers` are the ids of the controllers whose gateways it
    affects; empty: those that its own controller looks at.
    """

    mesh: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ()
    whole_routes: tuple[str, ...] = ()
    before_routes: bool = False
    whole_ports: bool = False
    class_if_merged: bool = False
    from_above: tuple[str, ...] = ()
    controllers: tuple[str, ...] = ()


EVERYWHERE = Reach()
"""Every request path through the target."""


class Traits(Struct, frozen=True):
    """The facts about a kind of policy that advice depends on.

    `unheard` are fields of `spec` that have no effect beside `defaults` or `overrides`. With
    `needs_routes`, a policy has no effect on a gateway without routes. With `guards`, it decides
    who may call: a route without such a policy is open to all. `guarding` are the fields of a
    security kind that restrict access; empty: all. `narrowing` are rules (patterns) that a request
    must all fulfil, so that an additional one refuses more requests. With `certificates`, it
    creates a certificate for each of its listeners. `conditions` are the fields of a security kind
    with the conditions on requests under which the whole policy applies. `besides` are fields that
    restrict something and say nothing of who may call, and `scales` those whose values can be
    ranked. With `optional`, it checks the credentials that a request has, and lets requests
    without any pass. `issuers` are fields with the URL of an identity provider, whose own routes
    have to be open.
    """

    unheard: tuple[str, ...] = ()
    needs_routes: bool = False
    guards: bool = False
    guarding: tuple[Guarding, ...] = ()
    narrowing: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ("when[]",)
    certificates: bool = False
    records: Records | None = None
    counters: Counters | None = None
    besides: tuple[Guarding, ...] = ()
    scales: tuple[Scale, ...] = ()
    optional: bool = False
    issuers: tuple[str, ...] = ()
    checks: tuple[CredentialCheck, ...] = ()
    """What asks for credentials, of all that restricts access."""
    answers: str = ""
    """The field (a pattern) with the status for callers without credentials, if it is set."""
    ordered: tuple[str, ...] = ()
    """Lists (patterns) whose entries are carried out in their order; of others it means nothing."""
    off: frozenset[str] = frozenset()
    """Names of booleans, wherever they are in `spec`, that are false where they are absent."""
    unread: tuple[tuple[str, FieldCondition], ...] = ()
    """Fields of the spec proper (patterns) that count for nothing, each where this holds."""
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


class Authorities(Struct, frozen=True):
    """The fields of a kind that refer to CA certificates, and the values that its API allows.

    `refs` is a pattern (`kinds.fields`) that leads to the references. `well_known` leads to the
    string that may replace them, which must be one of `known`. A reference names an object of
    `group` and `kind` with the key `key` in its data; `others` are groups and kinds that some
    controllers also accept. With `one_target`, a policy should have a single target.
    """

    refs: str
    well_known: str
    known: tuple[str, ...] = ("System",)
    group: str = ""
    kind: str = "ConfigMap"
    key: str = "ca.crt"
    others: tuple[tuple[str, str], ...] = ()
    one_target: bool = False


class PortSharing(Struct, frozen=True):
    """The rule by which the listeners of one port conflict."""

    families: tuple[tuple[str, ...], ...] = (("HTTPS", "TLS"),)
    """Protocols whose listeners are told apart by hostnames; any other is a family by itself."""
    apart: tuple[str, ...] = ("UDP",)
    """Protocols that conflict with no other family."""
    first_wins: bool = False
    """The first listener is opened, and refused ones are in nobody's way.

    Otherwise none of a Gateway's own that conflict is opened.
    """
    by_protocol: bool = False
    """Two of one family conflict by their protocols if these differ, or have no hostnames."""

    def family(self, protocol: str) -> str:
        """Return a name for the family of a protocol."""
        return next((family[0] for family in self.families if protocol in family), protocol)


class OwnedField(Struct, frozen=True):
    """A field that a cluster writes; `chosen` are the values that only a user gives it."""

    pattern: str
    chosen: frozenset[str] = frozenset()
