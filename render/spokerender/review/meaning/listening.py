"""The listeners of Gateways, and their DNS names, before and after a change."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from spokerender.findings.codes import review as codes
from spokerender.findings.phrasing import listed
from spokerender.findings.results import ERROR, INFO, FindingKind, Severity
from spokerender.formats.comparing import ABSENT, fingerprint
from spokerender.model import Ref
from spokerender.model.shapes import as_mapping
from spokerender.review.comparison.views import SpokeView, Way
from spokerender.review.meaning.doors import (
    admits_others,
    allows_others,
    compare_validations,
    find_assumed,
    read_listener,
    without_clients,
)
from spokerender.review.meaning.drafts import Draft, write_change
from spokerender.review.meaning.objects import ViewComparison
from spokerender.review.values import Topic
from spokerender.topology.graph import find_class_controller, read_controller_name
from spokerender.topology.hostnames import is_covered
from spokerender.topology.taken import ENCRYPTED

_ADDRESS = ("name", "hostname", "port")
"""The fields of a listener by which requests find it; `_addresses` compares them."""
_PATHS = ("listeners", "parentRef")
"""The fields of a Gateway or ListenerSet that decide its paths, which are compared as paths."""


class ListenerComparison(ViewComparison):
    """The comparison of listeners, and of other settings of their Gateways."""

    def drafts(self) -> Iterator[Draft]:
        """Yield removed listeners, changed settings, and added or removed DNS names."""
        for old, new in self._successors.listeners:
            if new is None:
                about = codes.LISTENER_GONE, Topic.TRAFFIC, f"{old.levels[-1]} is gone"
                yield self._draft(old, *about, was=_write_address(old))
                continue
            yield from self._addresses(old, new)
            yield from self._settings(old, new)
        yield from self._assumed()
        yield from self._unknown_classes()
        yield from self._gateways()
        yield from self._names()

    def _addresses(self, old: Way, new: Way) -> Iterator[Draft]:
        if new.is_closed and not old.is_closed:
            message = (
                f"{new.levels[-1]} takes no requests any more: it allows no kind of route, or may "
                "not read its certificate or those of its clients' authorities"
            )
            yield self._draft(new, codes.LISTENER_GONE, Topic.TRAFFIC, message)
        if old.may_be_closed and not (new.may_be_closed or new.is_closed):
            message = f"{new.levels[-1]} needs no CA certificates any more that no file has"
            yield self._draft(new, codes.ADMITS_MORE, Topic.EXPOSURE, message, severity=INFO)
        # A new proxy has a new address, even if the listener is unchanged.
        if self._successors.name(old.proxy) != new.proxy:
            message = f"{new.levels[0]} has another proxy, with another address"
            yield replace(
                self._draft(new, codes.LISTENER_GONE, Topic.TRAFFIC, message),
                levels=new.levels[:-1],
                cure="move its callers and DNS records to the new address",
            )
        if old.address == new.address:
            return
        was, now = _write_address(old, new), _write_address(new, old)
        name = new.address[0] or "*"
        # The new hostname covers the earlier one on the same port and protocol: nothing is lost.
        if old.address[1:] == new.address[1:] and is_covered(old.address[0] or "*", (name,)):
            message = f"{new.levels[-1]} listens for further hostnames"
            yield self._draft(new, codes.ADMITS_MORE, Topic.EXPOSURE, message, was=was, now=now)
            return
        message = f"{new.levels[-1]} no longer listens where it did"
        yield self._draft(new, codes.LISTENER_GONE, Topic.TRAFFIC, message, was=was, now=now)

    def _assumed(self) -> Iterator[Draft]:
        """Yield rules that listeners may not admit any more, as labels of a namespace are gone."""
        for way, namespace in find_assumed(self._successors):
            message = f"{way.levels[-2]} may be refused here: no file has labels of {namespace}"
            yield replace(
                self._draft(way, codes.NEWLY_UNDECIDED, Topic.TRAFFIC, message),
                cause=self._objects.cause_of_needed(namespace, way.levels[-2]),
                cure="keep the Namespace in the hub, or declare its labels in the placement",
            )

    def _unknown_classes(self) -> Iterator[Draft]:
        """Yield each protected Gateway whose controller is not known any more."""
        guarded = {
            levels[0]
            for kind, items in self._old.in_force.items()
            for levels in (items if self._old.kind(kind).security else ())
        }
        doors = {way.levels[0]: way for way in self._new.listeners.values()}
        for gateway in sorted(guarded):
            name = self._successors.name(gateway)
            before, after = self._old.nodes.get(gateway), self._new.nodes.get(name)
            if before is None or after is None or name not in doors:
                continue
            was, now = before.gateway_class, after.gateway_class
            controller = read_controller_name(self._new.topology, now)
            is_other = was == now and read_controller_name(self._old.topology, was) != controller
            is_known = bool(find_class_controller(self._old.topology, was).id)
            if (is_known or is_other) and not find_class_controller(self._new.topology, now).id:
                who = f"is of the controller {controller}" if controller else "is in no file"
                message = (
                    f"{name}: its GatewayClass {now} {who}, and whether that carries out the "
                    "policies on it is not known"
                )
                about = codes.NEWLY_UNDECIDED, Topic.POLICY, message
                yield self._draft(doors[name], *about, severity=ERROR, is_of_gateway=True)

    def _settings(self, old: Way, new: Way) -> Iterator[Draft]:
        before, after = read_listener(self._old, old), read_listener(self._new, new)
        change = compare_validations(self._successors, old, new)
        if change is not None:
            kind, does = change
            yield self._draft(new, kind, Topic.ACCESS, f"{new.levels[-1]} {does}")
        is_plain = after.get("protocol") not in ENCRYPTED
        for field in dict.fromkeys((*before, *after)):
            one, other = before.get(field, ABSENT), after.get(field, ABSENT)
            place = new.levels[-1], "listeners", field
            # Compared by `_addresses`.
            if field in _ADDRESS or self._says_same(place, one, other):
                continue
            was, now = write_change(one, other)
            match field:
                case "protocol":
                    is_worse = one in ENCRYPTED and other not in ENCRYPTED
                    kind = codes.ENCRYPTION_WEAKENED if is_worse else codes.NOT_RANKED
                    about = kind, Topic.ENCRYPTION, f"{new.levels[-1]} has another protocol"
                    severity = ERROR if is_worse else None
                    yield self._draft(new, *about, was=was, now=now, severity=severity)
                case "tls" if is_plain:
                    continue  # the changed protocol is reported already
                case "tls":
                    yield from self._tls(new, as_mapping(one), as_mapping(other))
                case "allowedRoutes":
                    yield from self._admission(new, as_mapping(one), as_mapping(other))
                case _:
                    message = f"{new.levels[-1]} changes in {field}; the effect is not known"
                    yield self._draft(
                        new, codes.NOT_RANKED, Topic.TRAFFIC, message, was=was, now=now
                    )

    def _tls(self, way: Way, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Draft]:
        for field in dict.fromkeys((*old, *new)):
            one, other = old.get(field, ABSENT), new.get(field, ABSENT)
            # Compared with the clients' certificates.
            if field == "frontendValidation" or fingerprint(one) == fingerprint(other):
                continue
            finding, message = codes.NOT_RANKED, f"{way.levels[-1]}: tls.{field} changes"
            if field == "certificateRefs":
                finding = codes.CERTIFICATE_CHANGED
                message = f"{way.levels[-1]} has other certificates"
            was, now = write_change(one, other)
            yield self._draft(way, finding, Topic.ENCRYPTION, message, was=was, now=now)

    def _admission(
        self, way: Way, old: Mapping[str, Any], new: Mapping[str, Any]
    ) -> Iterator[Draft]:
        is_wider, is_narrower = (
            admits_others(*sides, "Same") or allows_others(*sides)
            for sides in ((old, new), (new, old))
        )
        if not (is_wider or is_narrower):
            return
        was, now = write_change(old, new)
        kind = codes.ADMITS_MORE if is_wider else codes.ASKS_MORE
        which = "further" if is_wider else "fewer"
        message = f"{way.levels[-1]} admits {which} routes (allowedRoutes)"
        yield self._draft(way, kind, Topic.EXPOSURE, message, was=was, now=now)

    def _gateways(self) -> Iterator[Draft]:
        """Yield changed fields of Gateways and ListenerSets that no other method here compares."""
        doors = {way.door[-1].whole: way for way in self._new.listeners.values()}
        for ref, way in doors.items():
            was = self._objects.altered.get(ref)
            if was is None:
                continue
            before, after = (
                without_clients(as_mapping(view.object_of(one).get("spec")))
                for view, one in ((self._old, was), (self._new, ref))
            )
            for field in dict.fromkeys((*before, *after)):
                one, other = before.get(field, ABSENT), after.get(field, ABSENT)
                if field in _PATHS or self._says_same((ref, "", field), one, other):
                    continue
                finding, topic = codes.NOT_RANKED, Topic.TRAFFIC
                message = f"{ref} changes in {field}; the effect is not known"
                if field == "allowedListeners":
                    is_wider = admits_others(as_mapping(one), as_mapping(other), "None")
                    finding = codes.ADMITS_MORE if is_wider else codes.ASKS_MORE
                    topic = Topic.EXPOSURE
                    message = f"{ref} admits {'further' if is_wider else 'fewer'} ListenerSets"
                elif field == "tls":  # client certificates are compared per listener
                    finding, topic = codes.CERTIFICATE_CHANGED, Topic.ENCRYPTION
                    message = f"{ref} shows another certificate to backends"
                one, other = write_change(one, other)
                yield self._draft(
                    way, finding, topic, message, was=one, now=other, is_of_gateway=True
                )
            yield from self._issuers(was, ref, way)

    def _issuers(self, earlier: Ref, ref: Ref, way: Way) -> Iterator[Draft]:
        """Yield a changed issuer in the annotations of a Gateway."""
        sides = (view.nodes.get(it) for view, it in ((self._old, earlier), (self._new, ref)))
        needs = [
            {str(link.ref.whole) for link in node.needs if link.ref.kind.endswith("Issuer")}
            for node in sides
            if node is not None
        ]
        if len(needs) > 1 and needs[0] != needs[1]:
            was, now = (listed(sorted(side)) for side in needs)
            message = f"{ref}: its certificates come from another issuer"
            about = codes.CERTIFICATE_CHANGED, Topic.ENCRYPTION, message
            yield self._draft(way, *about, was=was, now=now, is_of_gateway=True)

    def _names(self) -> Iterator[Draft]:
        """Yield Gateways for whose listeners policies publish other DNS names than before."""
        before, after = _published(self._old), _published(self._new)
        renamed = {self._successors.name(ref): names for ref, names in before.items()}
        for gateway in sorted({*renamed, *after}):
            old, new = renamed.get(gateway, {}), after.get(gateway, {})
            gone, further = [n for n in old if n not in new], [n for n in new if n not in old]
            # First names are reported as a change of the policy.
            if not gone and not (further and old):
                continue
            way = next(iter((new or old).values()))
            about = codes.DNS_CHANGED, Topic.DNS, f"{gateway}: other DNS names are published"
            was, now = listed(sorted(old)), listed(sorted(new))
            yield self._draft(way, *about, was=was, now=now, is_of_gateway=True)

    def _draft(  # noqa: PLR0913  (a draft has as many parts)
        self,
        way: Way,
        finding: FindingKind,
        topic: Topic,
        message: str,
        *,
        was: str = "",
        now: str = "",
        severity: Severity | None = None,
        is_of_gateway: bool = False,
    ) -> Draft:
        is_gone = finding is codes.LISTENER_GONE
        levels = self._successors.levels(way.levels) if is_gone else way.levels
        cause = self._objects.cause(reversed(levels), reversed(way.levels))
        draft = Draft.on(way, finding, topic, message, cause, was=was, now=now, severity=severity)
        return replace(draft, levels=way.levels[:1], hostnames=()) if is_of_gateway else draft


def _write_address(way: Way, other: Way | None = None) -> str:
    """Return hostname, port and protocol; given `other`, only the parts that differ."""
    parts = [way.address[0] or "*", *way.address[1:]]
    others = [other.address[0] or "*", *other.address[1:]] if other is not None else [None] * 3
    return " ".join(str(part) for part, twin in zip(parts, others, strict=True) if part != twin)


def _published(view: SpokeView) -> Mapping[Ref, Mapping[str, Way]]:
    """Return, by Gateway, the hostnames with DNS records of a policy, each with its listener."""
    kinds = [key for key in view.in_force if view.kind(key).traits.records is not None]
    names: dict[Ref, dict[str, Way]] = {}
    for way in view.listeners.values() if kinds else ():
        in_force = (item for kind in kinds for _, item in view.below(kind, way))
        if way.address[0] and any(item.likely.rules for item in in_force):
            names.setdefault(way.levels[0], {})[way.address[0]] = way
    return names
