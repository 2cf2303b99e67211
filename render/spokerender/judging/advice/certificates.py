"""Listeners that a policy covers and has no certificate made for, or two that share one Secret."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.advice.context import Shipped, SpokeView
from spokerender.judging.advice.listener_tls import TERMINATE, problems, secrets, with_defaults
from spokerender.judging.advice.words import some
from spokerender.model import Ref
from spokerender.topology import Listener

_ENCRYPTED = ("HTTPS", "TLS")


class _Covered(Struct, frozen=True, eq=False):
    """A listener that a policy covers, as the API server stores it."""

    policy: Shipped
    section: Ref
    gateway: Ref
    index: int
    listener: Mapping[str, Any]


def check(view: SpokeView) -> Iterator[Result]:
    """Yield a result for each listener that can't be served, and for each shared Secret.

    And for each policy on a Gateway none of whose listeners terminates TLS.
    """
    yield from _without_any(view)
    users: dict[tuple[str, str], dict[Ref, Shipped]] = {}
    for covered in _all_covered(view):
        wrong = problems(covered.listener, covered.index, covered.gateway.namespace)
        if wrong:
            yield view.result(
                codes.NO_CERTIFICATE,
                covered.policy.ref,
                f"no certificate will be made for {covered.section}: {'; '.join(wrong)}",
                "correct the listener on the Gateway, or target only listeners that terminate "
                "TLS with a Secret of their own namespace",
            )
            continue
        for secret in secrets(covered.listener, covered.gateway.namespace):
            users.setdefault(secret, {})[covered.section] = covered.policy
    for (namespace, name), sections in users.items():
        if len(sections) > 1:
            *_, last = sections
            yield view.result(
                codes.SHARED_SECRET,
                sections[last].ref,
                f"Secret {namespace}/{name} is that of {some(sections)}: each listener has a "
                "certificate of its own made, into the same Secret, and only one of them holds",
                "give each listener a Secret of its own in certificateRefs",
                also=[policy.ref for policy in sections.values()],
            )


def _without_any(view: SpokeView) -> Iterator[Result]:
    """Yield a result for each policy on a whole Gateway that terminates TLS nowhere."""
    for policy, attachment in view.policies:
        nodes = [view.topology.nodes.get(target) for target in attachment.targets]
        written = [
            _written(view, node.ref, listener)
            for node in nodes
            if node is not None
            for listener in node.listeners
        ]
        is_idle = written and not any(each is None or _is_meant(each) for each in written)
        if policy.kind.traits.certificates and is_idle:
            yield view.result(
                codes.NO_CERTIFICATE,
                policy.ref,
                f"no certificate will be made: no listener of {some(attachment.targets)} "
                "terminates TLS (protocol HTTPS or TLS, tls.mode Terminate)",
                "give the Gateway such a listener with a Secret, or delete the policy",
            )


def _all_covered(view: SpokeView) -> Iterator[_Covered]:
    for policy, attachment in view.policies:
        if not policy.kind.traits.certificates:
            continue
        for node, listener, is_named in view.listeners(policy, attachment):
            written = _written(view, node.ref, listener)
            if written is None or not (is_named or _is_meant(written)):
                continue
            section = Ref(*_identity(node.ref), section_name=listener.name)
            yield _Covered(policy, section, node.ref, listener.index, written)


def _identity(ref: Ref) -> tuple[str, str, str, str]:
    return ref.group, ref.kind, ref.namespace, ref.name


def _written(view: SpokeView, gateway: Ref, listener: Listener) -> Mapping[str, Any] | None:
    """The listener as it is written; None where the spoke has the gateway of its own."""
    if not view.is_ours(gateway):
        return None
    written: Mapping[str, Any] = view.objects[gateway].spec["listeners"][listener.index]
    return with_defaults(written)


def _is_meant(listener: Mapping[str, Any]) -> bool:
    """Whether a policy on the whole Gateway means the listener: not plain HTTP, no passthrough."""
    tls = listener.get("tls")
    mode = tls.get("mode") if isinstance(tls, Mapping) else TERMINATE
    return listener.get("protocol") in _ENCRYPTED and mode == TERMINATE
