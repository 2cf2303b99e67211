"""The conditions of listeners and ListenerSets, and how many routes are on them."""

from spokerender.model import GATEWAY_API, Ref
from tests.judging.routing.cluster import ENVOY, ISTIO, NOTHING, OTHER, judged, listeners, words
from tests.support import cases, each, manifest, rows_of
from tests.topology.test_requests import ALL, gateway, listener, listener_set, route

GOOD = "Accepted, Programmed, ResolvedRefs"
ADMITTING = ", allowedListeners: {namespaces: {from: All}}"
CERTIFICATE = manifest(
    "Secret infra/cert",
    type="kubernetes.io/tls",
    stringData="{tls.crt: a, tls.key: a}",
)


def tls(*names: str, more: str = "") -> str:
    return f"tls: {{certificateRefs: [{', '.join(f'{{name: {name}}}' for name in names)}]{more}}}"


@cases(*rows_of(__file__, "a_listener_by_itself"))
def test_a_listener_by_itself(text: str, expected: str) -> None:
    """Envoy Gateway, listener.go and validate.go."""
    found = judged(ENVOY, CERTIFICATE, gateway(text), unseen=NOTHING)
    assert listeners(found) == {"http": expected}


def test_a_secret_in_no_file_may_be_there() -> None:
    own = gateway(listener(more=tls("other"), protocol="HTTPS"))
    assert listeners(judged(ENVOY, own))["http"] == (
        "Accepted, Programmed? (Unverified), ResolvedRefs? (Unverified)"
    )


def test_a_secret_without_its_keys_is_none() -> None:
    own = gateway(listener(more=tls("cert"), protocol="HTTPS"))
    for edit in (("tls.key", "key"), ("kubernetes.io/tls", "Opaque")):
        assert listeners(judged(ENVOY, CERTIFICATE.replace(*edit), own))["http"] == (
            "Accepted, not Programmed (Invalid), not ResolvedRefs (InvalidCertificateRef)"
        )


@cases(*rows_of(__file__, "certificates_for_backends"))
def test_certificates_for_backends(ref: str, expected: str) -> None:
    """The rules of agentgateway 75b4e6c, translator/conversion.go, resolveGatewayBackendTLS."""
    controller = OTHER.replace("example.com/controller", "agentgateway.dev/agentgateway")
    own = gateway(
        listener(more=tls("cert"), protocol="HTTPS"),
        more=f", tls: {{backend: {{clientCertificateRef: {ref}}}}}",
    )
    away = CERTIFICATE.replace("infra", "away")
    assert listeners(judged(controller, CERTIFICATE, away, own, unseen=NOTHING))["http"] == expected


def test_a_certificate_for_backends_in_no_file_may_be_there() -> None:
    controller = OTHER.replace("example.com/controller", "agentgateway.dev/agentgateway")
    own = gateway(listener(), more=", tls: {backend: {clientCertificateRef: {name: other}}}")
    assert listeners(judged(controller, own))["http"] == (
        "Accepted, Programmed, ResolvedRefs? (InvalidClientCertificateRef), "
        "not Conflicted (NoConflicts)"
    )


AUTHORITY = manifest("ConfigMap NAMESPACE/NAME", data="{KEY: text}")
REFUSED = "not Accepted (NoValidCACertificate), not Programmed ({0}), not ResolvedRefs ({0})".format


def authority(name: str, namespace: str = "infra", key: str = "ca.crt") -> str:
    names = {"NAMESPACE": namespace, "NAME": name, "KEY": key}
    text = AUTHORITY
    for word, value in names.items():
        text = text.replace(word, value)
    return text


@cases(*rows_of(__file__, "certificates_by_which_clients_are_checked"))
def test_certificates_by_which_clients_are_checked(refs: str, expected: str) -> None:
    """Envoy Gateway, listener.go, ProcessGatewayTLS; backendtlspolicy.go, getCaCertsFromCARefs."""
    entries = refs.replace("{", "{group: '', ")
    check = f"{{validation: {{caCertificateRefs: [{entries}]}}}}"
    own = gateway(
        ", ".join(
            (
                listener("checked", tls("cert"), "HTTPS", 443),
                listener("unchecked", tls("cert"), "HTTPS", 8443),
                listener("plain"),
            )
        ),
        more=f", tls: {{frontend: {{default: {check}, perPort: [{{port: 8443, tls: {{}}}}]}}}}",
    )
    grant = manifest(
        "ReferenceGrant open/grant",
        "from: [{group: gateway.networking.k8s.io, kind: Gateway, namespace: infra}], "
        "to: [{group: '', kind: ConfigMap}]",
    )
    found = judged(
        *(ENVOY, CERTIFICATE, own, grant, authority("ca"), authority("chain", key="tls.crt")),
        *(authority("ca", "open"), authority("ca", "shut"), authority("single", key="any")),
        AUTHORITY.replace("NAMESPACE", "infra").replace("NAME", "bare").replace("KEY: text", ""),
        unseen=NOTHING,
    )
    assert listeners(found) == {"checked": expected, "unchecked": GOOD, "plain": GOOD}


def test_clients_of_a_set_are_checked_by_what_its_gateway_may_name() -> None:
    """Envoy Gateway, listener.go: it asks for the grants of the Gateway, whoever's listener it is.

    A ConfigMap in no file may be there.
    """
    check = "{kind: ConfigMap, group: '', name: ca, namespace: away}"
    tls_fields = f"tls: {{frontend: {{default: {{validation: {{caCertificateRefs: [{check}]}}}}}}}}"
    own = gateway(listener(), more=f"{ADMITTING}, {tls_fields}")
    of_set = listener_set(listener("own", tls("cert"), "HTTPS", 443), namespace="away")
    secret = CERTIFICATE.replace("infra", "away")
    refused = {"own": REFUSED("RefNotPermitted")}
    assert listeners(judged(ENVOY, own, of_set, secret), "more") == refused
    mine = own.replace(", namespace: away}]", "}]")
    assert listeners(judged(ENVOY, mine, of_set, secret), "more")["own"] == (
        "Accepted? (Unverified), Programmed? (Unverified), ResolvedRefs? (Unverified)"
    )


@cases((ISTIO, "shop"), (ENVOY, "infra"), ids=["istio", "eg"])
def test_a_certificate_without_a_namespace_is_in_that_of_whoever_names_it(
    gateway_class: str, namespace: str
) -> None:
    """Istio, buildCaCertificateReference: that is the ListenerSet, if the listener is its own."""
    check = "{validation: {caCertificateRefs: [{kind: ConfigMap, group: '', name: ca}]}}"
    own = gateway(listener(), more=f"{ADMITTING}, tls: {{frontend: {{default: {check}}}}}")
    of_set = listener_set(listener("own", tls("cert"), "HTTPS", 443))
    secret = CERTIFICATE.replace("infra", "shop")
    for place in ("shop", "infra"):
        found = judged(gateway_class, own, of_set, secret, authority("ca", place), unseen=NOTHING)
        assert listeners(found, "more")["own"].startswith(GOOD) is (place == namespace)


def test_of_other_controllers_what_follows_from_a_fault_is_not_known() -> None:
    own = gateway(listener(more=tls("other"), protocol="HTTPS"))
    assert listeners(judged(OTHER, own, unseen=NOTHING))["http"] == (
        "Accepted? (NotKnown), Programmed? (NotKnown), not ResolvedRefs (InvalidCertificateRef)"
    )
    assert listeners(judged(OTHER, gateway(listener(protocol="TCP"))))["http"] == (
        "Accepted? (NotKnown), Programmed? (NotKnown), ResolvedRefs"
    )


@cases(*rows_of(__file__, "supported_kinds"))
def test_supported_kinds(more: str, protocol: str, kinds: list[str]) -> None:
    found = judged(ENVOY, gateway(listener(more=more, protocol=protocol)))
    (status,) = next(iter(found.holders.values())).listeners
    assert [kind for _, kind in status.kinds] == kinds


def test_attached_routes() -> None:
    """Those that are accepted, of whatever controller; those of unknown labels may be."""
    selected = "allowedRoutes: {namespaces: {from: Selector, selector: {matchLabels: {team: a}}}}"
    texts = [
        listener("all"),
        listener("named", f"hostname: a.example, {ALL}", port=81),
        listener("own", "allowedRoutes: {namespaces: {from: Same}}", port=82),
        listener("some", selected, port=83),
    ]
    routes = [
        route(),
        route("a", more=", hostnames: [a.example]"),
        route("b", more=", hostnames: [b.example]"),
    ]
    found = judged(ENVOY, gateway(", ".join(texts)), *routes)
    (holder,) = (item for ref, item in found.holders.items() if ref.kind == "Gateway")
    assert [(item.name, item.attached, item.may_attach) for item in holder.listeners] == [
        ("all", 3, 0),
        ("named", 2, 0),
        ("own", 0, 0),
        ("some", 0, 3),
    ]


@cases((ENVOY, [2, 1]), (ISTIO, [1, 1]))
def test_a_route_that_names_a_listener_twice_counts_as_its_controller_counts(
    controller: str, expected: list[int]
) -> None:
    """Seed 71001 of the live test: Istio keeps attachments by route and listener."""
    texts = [listener("one"), listener("two", f"hostname: '*.example', {ALL}")]
    way = "{name: gw, namespace: infra, %s}"
    parents = f"{way % 'sectionName: one'}, {way % 'port: 80'}"
    found = judged(controller, gateway(", ".join(texts)), route(parents=parents))
    (holder,) = (item for ref, item in found.holders.items() if ref.kind == "Gateway")
    assert [each.attached for each in holder.listeners] == expected


SETS = [
    listener_set(listener("l", port=81)).replace("name: more", f"name: {name}", 1)
    for name in ("a", "b")
]


def test_sets_that_conflict_are_decided_by_age() -> None:
    """GEP-1713: both outcomes, of which the names decide nothing."""
    found = judged(ENVOY, gateway(listener(), more=ADMITTING), *SETS)
    unsure = (
        "Accepted? (DecidedByAge), Programmed? (DecidedByAge), ResolvedRefs, "
        "Conflicted? (DecidedByAge)"
    )
    assert listeners(found, "a") == listeners(found, "b") == {"l": unsure}
    whole = next(item for ref, item in found.holders.items() if ref.name == "a")
    assert words(whole.conditions) == "Accepted? (DecidedByAge), Programmed? (DecidedByAge)"
    assert whole.listeners[0].conditions[0].message == (
        "only the cluster knows which of ListenerSet shop/a and ListenerSet shop/b is older: "
        "if ListenerSet shop/a is, True (Accepted): it is valid; if ListenerSet shop/b is, False "
        "(HostnameConflict): ListenerSet shop/b [l] has its hostname on its port"
    )


def test_the_older_of_two_sets_is_accepted() -> None:
    ages = {Ref(GATEWAY_API, "ListenerSet", "shop", "b"): 1}
    found = judged(ENVOY, gateway(listener(), more=ADMITTING), *SETS, ages=ages)
    assert listeners(found, "b") == {"l": f"{GOOD}, not Conflicted (NoConflicts)"}
    assert listeners(found, "a") == {
        "l": (
            "not Accepted (HostnameConflict), not Programmed (HostnameConflict), ResolvedRefs, "
            "Conflicted (HostnameConflict)"
        )
    }


def test_a_set_that_its_gateway_does_not_allow() -> None:
    found = judged(ENVOY, gateway(listener()), SETS[0])
    assert listeners(found, "a") == {}
    refused = next(item for ref, item in found.holders.items() if ref.name == "a")
    assert words(refused.conditions) == "not Accepted (NotAllowed), not Programmed (NotAllowed)"


def test_nobody_writes_a_status_of_a_set_whose_gateway_is_not_there() -> None:
    """Neither Istio nor Envoy Gateway, whose provider leaves it out."""
    (status,) = judged(SETS[0]).holders.values()
    assert words(status.conditions) == "Accepted? (NotKnown), Programmed? (NotKnown)"


def test_an_invalid_listener_is_in_nobodys_way() -> None:
    """Envoy Gateway, isSpecValidForConflictChecks."""
    wrong = listener("wrong", "hostname: a.example", protocol="TCP", port=81)
    own = gateway(wrong, more=ADMITTING)
    assert listeners(judged(ENVOY, own, SETS[0]), "a") == {
        "l": f"{GOOD}, not Conflicted (NoConflicts)"
    }


def test_of_a_gateways_own_none_is_programmed() -> None:
    own = gateway(f"{listener('a')}, {listener('b', protocol='TCP')}")
    refused = "not Programmed (Invalid), ResolvedRefs, Conflicted (ProtocolConflict)"
    assert listeners(judged(ENVOY, own)) == {"a": refused, "b": refused}


@cases((ENVOY, "Accepted"), (OTHER, "Accepted? (NotKnown)"))
def test_what_files_tell_of_a_gateway(gateway_class: str, accepted: str) -> None:
    (holder,) = judged(gateway_class, gateway(listener())).holders.values()
    assert words(holder.conditions) == f"{accepted}, Programmed? (Unverified)"


@each("TCP", "UDP")
def test_of_one_protocol_without_hostnames_a_port_has_one(protocol: str) -> None:
    """Envoy Gateway, validateConflictedLayer4Listeners: it says nothing of Accepted."""
    one, two = (listener_set(listener("l", protocol=protocol, port=port)) for port in (80, 81))
    own = gateway(listener(protocol=protocol), more=ADMITTING)
    assert listeners(judged(ENVOY, own, one), "more") == {
        "l": "not Programmed (ListenersNotValid), ResolvedRefs, Conflicted (ProtocolConflict)"
    }
    assert listeners(judged(ENVOY, own, two), "more") == {
        "l": f"{GOOD}, not Conflicted (NoConflicts)"
    }


def test_what_is_in_the_way_of_a_listener_may_not_be_in_order() -> None:
    """Envoy Gateway, isSpecValidForConflictChecks: one whose Secret is not there is skipped."""
    own = gateway(
        f"{listener('a', more=tls('cert'), protocol='HTTPS')}, "
        f"{listener('b', more=tls('cert'), protocol='TLS')}"
    )
    doubtful = own.replace("name: cert", "name: other", 1)
    for documents, expected in (
        (
            (own, CERTIFICATE),
            "not Programmed (Invalid), ResolvedRefs, Conflicted (HostnameConflict)",
        ),
        (
            (doubtful, CERTIFICATE),
            "Programmed? (Unverified), ResolvedRefs, Conflicted? (Unverified)",
        ),
    ):
        assert listeners(judged(ENVOY, *documents))["b"] == expected


@cases(("other", "Conflicted?"), ("cert", "Conflicted"))
def test_of_listeners_in_doubt_none_may_have_another_one_in_its_way(
    third: str, status: str
) -> None:
    """As above: of two whose Secrets may not be there, one may be there alone."""
    own = gateway(
        ", ".join(
            listener(name, more=tls(secret), protocol="HTTPS")
            for name, secret in (("a", "other"), ("b", "another"), ("c", third))
        )
    )
    assert f"{status} (" in listeners(judged(ENVOY, own, CERTIFICATE))["a"]


def test_why_a_set_is_accepted_may_depend_on_what_no_file_has() -> None:
    """Envoy Gateway, ProcessListenerSetStatus: one listener is enough, and the reason tells it."""
    authority = "{group: '', kind: ConfigMap, name: ca}"
    checked = f"default: {{validation: {{caCertificateRefs: [{authority}]}}}}"
    own = gateway(listener("a"), more=f"{ADMITTING}, tls: {{frontend: {{{checked}}}}}")
    one = listener("b", port=81)
    both = f"{one}, {listener('c', more=tls('cert'), protocol='HTTPS', port=443)}"
    certificate = CERTIFICATE.replace("infra", "shop")
    for listeners_, reason in ((one, "Accepted"), (both, "Accepted (Unverified)")):
        holders = judged(ENVOY, own, listener_set(listeners_), certificate).holders
        (found,) = (each for ref, each in holders.items() if ref.kind == "ListenerSet")
        assert words(found.conditions[:1]) == reason
