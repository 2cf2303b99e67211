"""Advice on TLS policies: listeners that get no certificate, and Secrets that listeners share."""

from collections.abc import Iterator, Mapping
from typing import Any

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.advice.phrases import list_few
from spokerender.judging.advice.view import AdvisedObject, JudgedSpokeView
from spokerender.model import Ref
from spokerender.model.shapes import as_mapping, as_mappings
from spokerender.topology.node import Listener
from spokerender.topology.taken import ENCRYPTED

_TERMINATE = "Terminate"


def check_certificates(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield findings about listeners that will get no certificate, or that share its Secret.

    A TLS policy on a Gateway none of whose listeners terminates TLS gets a finding as well.
    """
    yield from _check_idle_policies(view)
    policies_by_secret: dict[tuple[str, str], dict[Ref, AdvisedObject]] = {}
    for policy, section, index, listener in _list_covered_listeners(view):
        problems = tuple(list_tls_problems(listener, index, section.namespace))
        if problems:
            yield view.result(
                codes.NO_CERTIFICATE,
                policy.ref,
                f"no certificate will be made for {section}: {'; '.join(problems)}",
                "correct the listener on the Gateway, or target only listeners that terminate "
                "TLS with a Secret of their own namespace",
            )
            continue
        for secret in list_secrets(listener, section.namespace):
            # By section, since one policy may cover several listeners with one Secret.
            policies_by_secret.setdefault(secret, {})[section] = policy
    for (namespace, name), policies in policies_by_secret.items():
        if len(policies) > 1:
            *_, last = policies.values()
            yield view.result(
                codes.SHARED_SECRET,
                last.ref,
                f"Secret {namespace}/{name} is that of {list_few(policies)}: each listener has a "
                "certificate of its own made, into the same Secret, and only one of them holds",
                "give each listener a Secret of its own in certificateRefs",
                also=[policy.ref for policy in policies.values()],
            )


def _check_idle_policies(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a finding for each TLS policy on a Gateway none of whose listeners terminates TLS."""
    for policy, attachment in view.policies:
        if not policy.kind.traits.certificates:
            continue
        gateways = [view.topology.nodes.get(target) for target in attachment.targets]
        listeners = [
            _find_written(view, gateway.ref, listener)
            for gateway in gateways
            if gateway is not None
            for listener in gateway.listeners
        ]
        # Without any listener there is nothing yet that could be wrong.
        if listeners and not any(item is None or _terminates_tls(item) for item in listeners):
            yield view.result(
                codes.NO_CERTIFICATE,
                policy.ref,
                f"no certificate will be made: no listener of {list_few(attachment.targets)} "
                "terminates TLS (protocol HTTPS or TLS, tls.mode Terminate)",
                "give the Gateway such a listener with a Secret, or delete the policy",
            )


def _list_covered_listeners(
    view: JudgedSpokeView,
) -> Iterator[tuple[AdvisedObject, Ref, int, Mapping[str, Any]]]:
    """Yield (policy, listener's ref, index, fields with defaults) for listeners of TLS policies."""
    for policy, attachment in view.policies:
        if not policy.kind.traits.certificates:
            continue
        for gateway, listener, is_named in view.covered_listeners(policy, attachment):
            written = _find_written(view, gateway.ref, listener)
            # A policy on a listener is checked though it terminates nothing: it was meant for this
            # one.
            if written is not None and (is_named or _terminates_tls(written)):
                yield policy, gateway.ref.section(listener.name), listener.index, written


def _find_written(
    view: JudgedSpokeView, gateway: Ref, listener: Listener
) -> Mapping[str, Any] | None:
    """Return the listener's fields with defaults; None if only the spoke has the Gateway."""
    if not view.is_rendered(gateway):
        return None
    written: Mapping[str, Any] = view.objects[gateway].spec["listeners"][listener.index]
    return set_defaults(written)


def _terminates_tls(listener: Mapping[str, Any]) -> bool:
    """Return whether a listener terminates TLS, as a TLS policy on a Gateway requires."""
    tls = listener.get("tls")
    mode = tls.get("mode") if isinstance(tls, Mapping) else _TERMINATE
    return listener.get("protocol") in ENCRYPTED and mode == _TERMINATE


def set_defaults(listener: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a listener with the default of `tls.mode` that the Gateway's CRD fills in."""
    tls = listener.get("tls")
    if not isinstance(tls, Mapping):
        return listener
    return {**listener, "tls": {"mode": _TERMINATE, **tls}}


def list_secrets(listener: Mapping[str, Any], namespace: str) -> Iterator[tuple[str, str]]:
    """Yield namespace and name of each Secret that a listener references for certificates."""
    for reference in as_mappings(as_mapping(listener.get("tls")).get("certificateRefs")):
        is_core = reference.get("group") in (None, "", "core")
        if is_core and reference.get("kind") in (None, "", "Secret"):
            yield str(reference.get("namespace") or namespace), str(reference.get("name"))


def list_tls_problems(listener: Mapping[str, Any], index: int, namespace: str) -> Iterator[str]:
    """Yield the reasons why no certificate is made for the listener at `index`.

    The messages are copied from kuadrant-operator (`validateGatewayListenerBlock`, with the rules
    of cert-manager), so that users who search for a message in its log find this code. `namespace`
    is the Gateway's.
    """
    path = f"spec.listeners[{index}]"
    if not listener.get("hostname"):
        yield f"{path}.hostname: Required value: the hostname cannot be empty"
    tls = listener.get("tls")
    if not isinstance(tls, Mapping):
        yield f"{path}.tls: Required value: the TLS block cannot be empty"
        return
    references = as_mappings(tls.get("certificateRefs"))
    if not references:
        yield f"{path}.tls.certificateRef: Required value: listener has no certificateRefs"
    for number, reference in enumerate(references):
        place = f"{path}.tls.certificateRef[{number}]"
        yield from _list_reference_problems(reference, place, namespace)
    mode = tls.get("mode")
    if mode is None:
        yield f"{path}.tls.mode: Required value: the mode field is required"
    elif mode != _TERMINATE:
        yield f'{path}.tls.mode: Unsupported value: "{mode}": supported values: "{_TERMINATE}"'


def _list_reference_problems(
    reference: Mapping[str, Any], path: str, namespace: str
) -> Iterator[str]:
    group, kind, other = reference.get("group"), reference.get("kind"), reference.get("namespace")
    if group not in (None, "", "core"):
        yield f'{path}.group: Unsupported value: "{group}": supported values: "core", ""'
    if kind not in (None, "", "Secret"):
        yield f'{path}.kind: Unsupported value: "{kind}": supported values: "Secret", ""'
    if other is not None and other != namespace:
        yield (
            f'{path}.namespace: Invalid value: "{other}": cross-namespace secret references are '
            "not allowed in listeners"
        )
