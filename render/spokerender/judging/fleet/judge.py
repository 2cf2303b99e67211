"""The judgement of a fleet: of blueprints that spokes share, and of single spokes."""

from collections.abc import Collection, Iterator, Mapping

from spokerender.findings.results import Result
from spokerender.judging.fleet.blueprints import BlueprintJudge, gather_knowledge
from spokerender.judging.fleet.judged import Aspect, JudgedBlueprint, JudgedFleet, Refused
from spokerender.judging.fleet.policies import (
    BlueprintFindings,
    check_hub,
    check_policies,
    find_shipped,
    find_unshipped,
)
from spokerender.judging.routing.values import HolderStatus, ParentStatus
from spokerender.model import Manifest, Ref
from spokerender.model.slots import fill, recording
from spokerender.model.spokes import make_labels_key
from spokerender.rendering.values.bundles import Blueprint
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.node import GATEWAY

_Key = tuple[Blueprint, tuple[tuple[Ref, str], ...], tuple[object, ...]]


class FleetJudge:
    """The judgement of a fleet in two steps: what is true of slots may be false of their values.

    `otherwise` are the spokes with values for which a comparison of slots comes out differently.
    The caller makes their bundles again without slots, and gives the fleet with these to `judged`.
    """

    def __init__(
        self,
        rendered: Rendered,
        refused: Refused,
        aspects: Collection[Aspect] = frozenset(Aspect),
        *,
        with_routing: bool = False,
    ) -> None:
        """Judge every blueprint once; objects that are `refused` are on no API server."""
        self._refused = refused
        self._values = {name: bundle.values for name, bundle in rendered.bundles.items()}
        hub = {item.ref: item.object for item in rendered.hub.manifests} if with_routing else None
        self._judge = BlueprintJudge(gather_knowledge(rendered), hub)
        self._hub = self._judge.judge_hub(rendered.hub, rendered.topology)
        findings = BlueprintFindings(rendered, self._hub.attachments)
        self._findings = findings if Aspect.POLICIES in aspects else None
        with recording() as record:
            self._shared = self._judge_blueprints(rendered)
            for judged in self._shared.values() if self._findings is not None else ():
                findings.results(judged)
        self.otherwise = frozenset(
            name for name, values in self._values.items() if not record.is_true_of(values)
        )

    def judged(self, shown: Rendered) -> JudgedFleet:
        """Return the judged fleet; in `shown` the bundles of `otherwise` are without slots."""
        judged = dict(self._shared)
        for name in self.otherwise:
            values = self._values[name]
            words_by_ref = self._refused.get(name, {})
            refused = {fill(ref, values): words for ref, words in words_by_ref.items()}
            bundle = shown.bundles[name]
            judged[name] = self._judge.judge(bundle.blueprint, refused, bundle.spoke.namespaces)
        unshipped = find_unshipped(shown, self._hub.attachments)
        results: tuple[Result, ...] = ()
        if self._findings is not None:
            policies = check_policies(shown, judged, self._findings, self.otherwise)
            results = (*check_hub(shown, unshipped), *policies)
        routing = tuple(self._find_unshipped_routing(shown))
        gateways = {
            item.ref: item
            for item in shown.hub.manifests
            if (item.ref.group, item.ref.kind) == GATEWAY
        }
        return JudgedFleet(
            judged,
            shown.bundles,
            results,
            unshipped,
            nowhere_routing=routing,
            hub_gateways=gateways,
            hub_in_worlds=self._hub.in_worlds,
        )

    def _find_unshipped_routing(
        self, rendered: Rendered
    ) -> Iterator[tuple[Manifest, tuple[ParentStatus, ...], HolderStatus | None]]:
        """Yield the routes and ListenerSets of listed kinds that no spoke gets."""
        routing = self._hub.routing
        if routing is None:
            return
        shipped = find_shipped(rendered)
        for manifest in rendered.hub.manifests:
            ref = manifest.ref
            parents, holder = routing.routes.get(ref, ()), routing.holders.get(ref)
            is_listed = rendered.sync.is_listed_anywhere((ref.group, ref.kind))
            if (parents or holder) and is_listed and ref not in shipped:
                yield manifest, parents, holder

    def _judge_blueprints(self, rendered: Rendered) -> dict[str, JudgedBlueprint]:
        """Judge each spoke's blueprint, once for spokes of which the same objects are refused."""
        shared: dict[_Key, JudgedBlueprint] = {}
        by_spoke: dict[str, JudgedBlueprint] = {}
        for name, bundle in rendered.bundles.items():
            refused: Mapping[Ref, str] = self._refused.get(name, {})
            labels = bundle.spoke.namespaces
            key = (bundle.blueprint, tuple(sorted(refused.items())), make_labels_key(labels))
            if key not in shared:
                shared[key] = self._judge.judge(bundle.blueprint, refused, labels)
            by_spoke[name] = shared[key]
        return by_spoke
