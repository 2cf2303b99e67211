"""A Gateway's reference into another namespace needs a ReferenceGrant there."""

from __future__ import annotations

import pytest

from tests.support.stages import CLASS, gateway, render, told

CODE = "SR1705"


def web(references: str, more: str = "") -> str:
    return gateway(
        "web",
        listeners=f"[{{name: https, port: 443, tls: {{certificateRefs: [{references}]}}}}]",
        spec=more or "extra: 1",
    )


def grant(
    from_: str = "{group: gateway.networking.k8s.io, kind: Gateway, namespace: infra}",
    to: str = '{group: "", kind: Secret}',
    namespace: str = "certs",
) -> str:
    return (
        "apiVersion: gateway.networking.k8s.io/v1beta1\nkind: ReferenceGrant\n"
        f"metadata: {{name: g, namespace: {namespace}}}\nspec: {{from: [{from_}], to: [{to}]}}\n"
    )


def found(*texts: str, as_: str = "{}") -> list[str]:
    rules = f"- {{gateways: {{names: [infra/web]}}, spokes: {{all: true}}, as: {as_}}}"
    return told(render([CLASS, *texts], rules).results, CODE)


THERE = web("{name: cert, namespace: certs}")
MOVED = "{namespace: gw}"


@pytest.mark.parametrize(
    ("texts", "as_"),
    [
        ((web("{name: cert}"),), "{}"),
        # A reference without namespace means the gateway's own, wherever that is.
        ((web("{name: cert}"),), MOVED),
        ((web("{name: cert, namespace: infra}"),), "{}"),
        ((web("{name: cert, namespace: infra}"),), "{name: edge}"),
        ((THERE, grant()), "{}"),
        ((THERE, grant()), MOVED),
        ((THERE, grant(to='{group: "", kind: Secret, name: cert}')), MOVED),
        # It crosses no more.
        ((THERE,), "{namespace: certs}"),
    ],
)
def test_nothing_to_tell(texts: tuple[str, ...], as_: str) -> None:
    assert found(*texts, as_=as_) == []


def missing(place: str, target: str, namespace: str, field: str, kind: str = "Secret") -> list[str]:
    return [
        (
            f"SR1705 Gateway infra/web {field}: {kind} {target} is in another namespace than the "
            f"gateway is on the spoke ({place}), and no ReferenceGrant allows it (drop the "
            f"reference's "
            "namespace, or add to the hub:\n"
            "apiVersion: gateway.networking.k8s.io/v1beta1\n"
            "kind: ReferenceGrant\n"
            "metadata:\n"
            "  name: web-cert\n"
            f"  namespace: {target.partition('/')[0]}\n"
            "spec:\n"
            "  from:\n"
            "  - group: gateway.networking.k8s.io\n"
            "    kind: Gateway\n"
            f"    namespace: {namespace}\n"
            "  to:\n"
            '  - group: ""\n'
            f"    kind: {kind}\n"
            "    name: cert\n"
            ") [eu us]"
        )
    ]


FIRST = "spec.listeners[0].tls.certificateRefs[0]"


@pytest.mark.parametrize(
    ("texts", "as_", "expected"),
    [
        ((THERE,), "{}", missing("infra", "certs/cert", "infra", FIRST)),
        # What was beside the gateway on the hub is not any more.
        (
            (web("{name: cert, namespace: infra}"),),
            MOVED,
            missing("gw", "infra/cert", "infra", FIRST),
        ),
        (
            (web("{name: other}, {name: cert, namespace: infra}"),),
            MOVED,
            missing("gw", "infra/cert", "infra", "spec.listeners[0].tls.certificateRefs[1]"),
        ),
        (
            (THERE, grant(to='{group: "", kind: Secret, name: other}')),
            "{}",
            missing("infra", "certs/cert", "infra", FIRST),
        ),
        (
            (THERE, grant(to='{group: "", kind: ConfigMap}')),
            "{}",
            missing("infra", "certs/cert", "infra", FIRST),
        ),
        (
            (THERE, grant(namespace="elsewhere")),
            "{}",
            missing("infra", "certs/cert", "infra", FIRST),
        ),
        (
            (
                web(
                    "{name: a}",
                    "tls: {frontend: {default: {validation: {caCertificateRefs: "
                    '[{group: "", kind: ConfigMap, name: cert, namespace: certs}]}}}}',
                ),
            ),
            "{}",
            missing(
                "infra",
                "certs/cert",
                "infra",
                "spec.tls.frontend.default.validation.caCertificateRefs[0]",
                "ConfigMap",
            ),
        ),
    ],
)
def test_a_missing_grant_is_an_error_that_prints_it(
    texts: tuple[str, ...], as_: str, expected: list[str]
) -> None:
    assert found(*texts, as_=as_) == expected


def test_the_grant_that_is_printed_is_the_one_that_was_missing() -> None:
    results = render([CLASS, THERE]).results
    (cure,) = (result.cure for result in results if result.code == CODE)
    printed = cure.partition("add to the hub:\n")[2]
    assert found(THERE, printed) == []


def test_a_grant_that_an_override_closes_is_missed() -> None:
    results = render(
        [CLASS, THERE, grant()],
        overrides="- {target: {kind: ReferenceGrant}, spokes: {names: [us]}, "
        "patch: [{op: replace, path: /spec/to/0/kind, value: ConfigMap}]}",
    ).results
    assert [(r.code, r.spokes) for r in results if r.severity == "error"] == [(CODE, ("us",))]
