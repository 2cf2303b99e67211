"""The certificates that listeners ask of their clients, before and after a change."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from spokerender.findings.codes import review as codes
from spokerender.findings.results import INFO, FindingKind, Severity
from spokerender.formats.comparing import fingerprint
from spokerender.model import Ref
from spokerender.model.shapes import as_list, as_mapping
from spokerender.review.comparison.renaming import Renaming
from spokerender.review.comparison.views import SpokeView, Way
from spokerender.topology.reading import read_authorities, read_validations

_HTTPS = "HTTPS"
_LENIENT = "AllowInsecureFallback"
_READ = ("caCertificateRefs", "mode")


class Validation(Struct, frozen=True):
    """The certificates that clients of a listener have to show: those of some authorities.

    `has_to` is False where nobody has to show any. What else is asked is in `others`.
    """

    has_to: bool
    authorities: frozenset[Ref]
    others: str

    @staticmethod
    def read(view: SpokeView, way: Way) -> "Validation":
        """Read what a listener asks, by its own fields or by those of its Gateway."""
        ports = read_validations(as_mapping(view.object_of(way.levels[0]).get("spec")))
        tls = as_mapping(read_listener(view, way).get("tls"))
        asked, owner = as_mapping(tls.get("frontendValidation")), way.levels[-1]
        if not asked and way.address[2] == _HTTPS:
            asked, owner = ports.get(way.address[1], ports[0]), way.levels[0]
        authorities = frozenset(read_authorities(asked, owner.namespace, "ConfigMap"))
        others = {field: value for field, value in asked.items() if field not in _READ}
        has_to = bool(asked) and asked.get("mode") != _LENIENT
        return Validation(has_to, authorities, fingerprint(others))


def compare_validations(
    successors: Renaming, was: Way, now: Way
) -> tuple[FindingKind, str, Severity | None] | None:
    """Return what becomes of the certificates that clients show; None if nothing does.

    Without encryption clients have none to show, which its end says, and nobody comes in through a
    listener that is closed.
    """
    if now.is_closed or not now.is_encrypted:
        return None
    old, new = Validation.read(successors.old, was), Validation.read(successors.new, now)
    old = replace(old, authorities=frozenset(map(successors.name, old.authorities)))
    if old.has_to or new.has_to:
        change = _compare_required(old, new)
        return (*change, None) if change is not None else None
    what = "asks something else of clients' certificates, which nobody has to show"
    return (codes.NOT_RANKED, what, INFO) if old != new else None


def _compare_required(old: Validation, new: Validation) -> tuple[FindingKind, str] | None:
    if not new.has_to:
        return codes.ACCESS_REMOVED, "lets clients in without a valid certificate"
    if old.has_to and not new.authorities <= old.authorities:
        return codes.ACCESS_WEAKENED, "lets clients in with certificates of other authorities"
    if old.has_to and old.others != new.others:
        return codes.NOT_RANKED, "asks something else of clients' certificates"
    return (codes.ASKS_MORE, "asks more of clients' certificates") if old != new else None


def without_clients(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the fields of a Gateway but for those about its clients' certificates."""
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
