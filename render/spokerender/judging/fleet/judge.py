"""Judging the bundles of a fleet: blueprints that spokes share, and those of single spokes."""

from __future__ import annotations

from collections.abc import Mapping

from spokerender.findings.results import Result
from spokerender.judging.fleet.blueprints import BlueprintJudge, known_of, namespaces_key
from spokerender.judging.fleet.judged import JudgedBlueprint, JudgedFleet, Refused
from spokerender.judging.fleet.policies import Findings, hub_results, left_on_hub, policy_results
from spokerender.model import Ref
from spokerender.model.asking import recording
from spokerender.model.filling import filled
from spokerender.rendering.values.rendered import Rendered

_Key = tuple[int, tuple[tuple[Ref, str], ...], tuple[object, ...]]


class FleetJudge:
    """Judges a fleet in two steps, for what is true of slots need not be true of a spoke's values.

    `otherwise` are the spokes with values for which some answer is another one. Whoever can make
    their bundles without slots gives the fleet with these to `judged`.
    """

    def __init__(self, rendered: Rendered, refused: Refused) -> None:
        """Judge every blueprint once; of objects that are `refused` no API server has any."""
        self._refused = refused
        self._values = {name: bundle.values for name, bundle in rendered.bundles.items()}
        self._judge = BlueprintJudge(known_of(rendered))
        self._hub = self._judge.hub_attachments(rendered.hub, rendered.topology)
        self._findings = Findings(rendered, self._hub)
        with recording() as record:
            self._shared = self._of_blueprints(rendered)
            for item in self._shared.values():
                self._findings.of(item)
        self.otherwise = frozenset(
            name for name, values in self._values.items() if not record.is_true_of(values)
        )

    def judged(self, shown: Rendered) -> JudgedFleet:
        """The fleet judged; in `shown` the bundles of `otherwise` are made without slots."""
        judged = dict(self._shared)
        for name in self.otherwise:
            own = self._refused.get(name, {})
            called = {filled(ref, self._values[name]): words for ref, words in own.items()}
            bundle = shown.bundles[name]
            judged[name] = self._judge.judge(bundle.blueprint, called, bundle.spoke.namespaces)
        nowhere = left_on_hub(shown, self._hub)
        of_policies = policy_results(shown, judged, self._findings, self.otherwise)
        results: tuple[Result, ...] = (*hub_results(shown, nowhere), *of_policies)
        return JudgedFleet(judged, shown.bundles, results, nowhere)

    def _of_blueprints(self, rendered: Rendered) -> dict[str, JudgedBlueprint]:
        """Each spoke's blueprint, judged; those of which the same objects are refused are one."""
        shared: dict[_Key, JudgedBlueprint] = {}
        by_spoke: dict[str, JudgedBlueprint] = {}
        for name, bundle in rendered.bundles.items():
            own: Mapping[Ref, str] = self._refused.get(name, {})
            labels = bundle.spoke.namespaces
            key = (id(bundle.blueprint), tuple(sorted(own.items())), namespaces_key(labels))
            if key not in shared:
                shared[key] = self._judge.judge(bundle.blueprint, own, labels)
            by_spoke[name] = shared[key]
        return by_spoke
