"""The settings of listeners: client certificates, and the namespaces and kinds of routes."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes import review as codes
from spokerender.findings.results import FindingKind
from spokerender.formats.comparing import fingerprint
from spokerender.model import GATEWAY_API, NAMESPACE, Ref
from spokerender.model.selectors import Selector
from spokerender.model.shapes import as_list, as_mapping
from spokerender.review.comparison.successors import Successors
from spokerender.review.comparison.views import SpokeView, Way
from spokerender.topology.node import Admission
from spokerender.topology.reading import read_authorities, read_validations

_HTTPS = "HTTPS"
_LENIENT = "AllowInsecureFallback"
_READ = ("caCertificateRefs", "mode")


class Validation(Struct, frozen=True):
    """The requirements of a listener on client certificates, with the accepted authorities.

    `has_to` is False if clients need no certificate. `others` are further requirements as text.
    """

    has_to: bool
    authorities: frozenset[Ref]
    others: str

    @staticmethod
    def read(view: SpokeView, way: Way) -> "Validation":
        """Return the requirements of a listener: its own, or those of its Gateway."""
        ports = read_validations(as_mapping(view.object_of(way.levels[0]).get("spec")))
        tls = as_mapping(read_listener(view, way).get("tls"))
        asked, owner = as_mapping(tls.get("frontendValidation")), way.levels[-1]
        # The listener's own field is of an earlier release of the API; GatewayTLSConfig replaces
        # it.
        if not asked and way.address[2] == _HTTPS:
            asked, owner = ports.get(way.address[1], ports[0]), way.levels[0]
        authorities = frozenset(read_authorities(asked, owner.namespace, "ConfigMap"))
        others = {field: value for field, value in asked.items() if field not in _READ}
        has_to = bool(asked) and asked.get("mode") != _LENIENT
        return Validation(has_to, authorities, fingerprint(others))


def compare_validations(
    successors: Successors, was: Way, now: Way
) -> tuple[FindingKind, str] | None:
    """Return how requirements on client certificates change; None if they do not.

    Without encryption clients show no certificate: the changed protocol is reported instead. No
    client connects to a closed listener.
    """
    if now.is_closed or not now.is_encrypted:
        return None
    old, new = Validation.read(successors.old, was), Validation.read(successors.new, now)
    # By their new names, so that a renamed ConfigMap is no other authority.
    old = replace(old, authorities=frozenset(map(successors.name, old.authorities)))
    if not (old.has_to or new.has_to):
        return None
    # The most severe change first: no certificate is needed, others are accepted, or rules differ.
    if not new.has_to:
        return codes.ACCESS_REMOVED, "lets clients in without a valid certificate"
    if old.has_to and not new.authorities <= old.authorities:
        return codes.ACCESS_WEAKENED, "lets clients in with certificates of other authorities"
    if old.has_to and old.others != new.others:
        return codes.NOT_RANKED, "asks something else of clients' certificates"
    return (codes.ASKS_MORE, "asks more of clients' certificates") if old != new else None


def without_clients(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields of a Gateway without the fields about its clients' certificates."""
    tls = {
        field: value for field, value in as_mapping(spec.get("tls")).items() if field != "frontend"
    }
    others = {field: value for field, value in spec.items() if field != "tls"}
    return {**others, "tls": tls} if tls else others


def read_listener(view: SpokeView, way: Way) -> Mapping[str, Any]:
    """Return the fields of a listener as its object has them."""
    section = way.levels[-1]
    spec = as_mapping(view.object_of(section.whole).get("spec"))
    listeners = (as_mapping(item) for item in as_list(spec.get("listeners")))
    return next((item for item in listeners if item.get("name") == section.section_name), {})


_SOURCES = ("None", "Same", "Selector", "All")


def admits_others(old: Mapping[str, Any], new: Mapping[str, Any], default: str) -> bool:
    """Return whether objects of more namespaces may attach, by `from` or by the selector."""
    was, now = (as_mapping(side.get("namespaces")) for side in (old, new))
    ranks = [_rank_source(side.get("from") or default) for side in (was, now)]
    # Two selectors are compared only if `from` says Selector on both sides.
    is_selected = ranks[0] == ranks[1] == _rank_source("Selector")
    before, after = (Selector.read(side.get("selector")) for side in (was, now))
    return ranks[1] > ranks[0] or (is_selected and not after.is_within(before))


def allows_others(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Return whether routes of more kinds may attach; without a list, all kinds may."""
    before, after = (
        {
            (kind.get("group", GATEWAY_API), kind.get("kind"))
            for kind in map(as_mapping, as_list(side.get("kinds")))
        }
        for side in (old, new)
    )
    # From all kinds to a list, no further kind is allowed.
    return bool(before) and not (after and after <= before)


def _rank_source(source: Any) -> int:  # noqa: ANN401  (a field of the user's)
    return _SOURCES.index(source) if source in _SOURCES else 0


def find_assumed(successors: Successors) -> Iterator[tuple[Way, Ref]]:
    """Yield paths to rules that are only assumed to remain, each with the namespace in question.

    A selector requires labels of the namespace, which is no longer in any file.
    """
    sides = (view.topology.around for view in (successors.old, successors.new))
    before, after = (around.labels_of_namespace for around in sides)
    for _, way in successors.pairs:
        for namespace, admission in _list_admissions(successors.new, way):
            labels = before(namespace), after(namespace)
            if [*map(admission.is_open_question, labels)] == [False, True]:
                yield way, Ref(*NAMESPACE, "", namespace)


def _list_admissions(view: SpokeView, way: Way) -> Iterator[tuple[str, Admission]]:
    owner = view.nodes[way.door[-1].whole]
    # A ListenerSet has to be admitted itself before its routes are.
    if not owner.is_gateway:
        yield owner.ref.namespace, view.nodes[way.levels[0]].admits_listener_sets
    name = way.door[-1].section_name
    for listener in owner.listeners:
        if listener.name == name:
            yield way.levels[len(way.door)].namespace, listener.routes
