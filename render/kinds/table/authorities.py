"""Policies that say whose certificates a gateway trusts when it talks to a backend."""

from __future__ import annotations

from dataclasses import dataclass

from render.model import GATEWAY_API


@dataclass(frozen=True, slots=True)
class Authorities:
    """Where a kind names CA certificates, and what its API document lets them be.

    `refs` is a pattern (`render.kinds.paths`) that leads to each reference, `well_known` to the
    text that stands instead of them and has to be one of `known`. A reference is to an object of
    `group` and `kind` that has something at `data`.`key`. `one_target` is set where a policy
    should have a single target.
    """

    refs: str
    well_known: str
    known: tuple[str, ...] = ("System",)
    group: str = ""
    kind: str = "ConfigMap"
    key: str = "ca.crt"
    one_target: bool = False


AUTHORITIES: dict[tuple[str, str], Authorities] = {
    (GATEWAY_API, "BackendTLSPolicy"): Authorities(
        refs="spec.validation.caCertificateRefs[]",
        well_known="spec.validation.wellKnownCACertificates",
        one_target=True,
    ),
}
