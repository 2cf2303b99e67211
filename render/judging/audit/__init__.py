"""Judging a rendered fleet: what attaches, what is in force, what the API servers would take.

Every distinct case and every distinct object is judged once, however many spokes share it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from render.findings.results import Result
from render.findings.suppressions import suppress
from render.judging.audit.cases import BlueprintJudge, known_of
from render.judging.audit.filling import filled
from render.judging.audit.model import Aspect, Audit, Files, Judged
from render.judging.audit.policies import Findings, hub_results, left_on_hub, policy_results
from render.model import Ref
from render.model.asking import recording
from render.rendering.bundles import Bundler
from render.rendering.values.rendered import Rendered

Refused = Mapping[str, Mapping[Ref, str]]
"""By spoke: the objects that its API server would not take, and why."""


def audit(
    rendered: Rendered, crd_files: Files = (), aspects: Collection[Aspect] = tuple(Aspect)
) -> Audit:
    """Judge a rendered fleet. `crd_files` have CRDs besides those in the hub.

    Without `Aspect.VALIDATION` no object counts as refused by its API server.
    """
    spec = rendered.fleet_file.spec
    refused: Refused = {}
    results: tuple[Result, ...] = ()
    if Aspect.VALIDATION in aspects:
        refused, results = _validated(rendered, crd_files)
    if Aspect.POLICIES not in aspects:
        return Audit({}, rendered.bundles, suppress(results, spec.suppressions))
    judge = BlueprintJudge(known_of(rendered))
    hub = judge.hub_attachments(rendered.hub, rendered.topology)
    findings = Findings(rendered, hub)
    with recording() as record:
        judged = _judged(judge, rendered, refused)
        for item in judged.values():
            findings.of(item)
    turned = {name for name, of in rendered.bundles.items() if not record.is_true_of(of.values)}
    shown = _in_the_open(rendered, turned)
    for name in turned:
        own, values = refused.get(name, {}), rendered.bundles[name].values
        called = {filled(ref, values): words for ref, words in own.items()}
        judged[name] = judge.judge(shown.bundles[name].blueprint, called)
    nowhere = left_on_hub(shown, hub)
    results += (*hub_results(shown, nowhere), *policy_results(shown, judged, findings, turned))
    return Audit(judged, shown.bundles, suppress(results, spec.suppressions), nowhere)


def _validated(rendered: Rendered, crd_files: Files) -> tuple[Refused, tuple[Result, ...]]:
    from render.judging.audit.objects import Validator  # noqa: PLC0415  (heavy, and not always asked for)

    validator = Validator(rendered, crd_files)
    refused = {name: validator.refused(bundle) for name, bundle in rendered.bundles.items()}
    return refused, validator.results()


def _judged(judge: BlueprintJudge, rendered: Rendered, refused: Refused) -> dict[str, Judged]:
    """Each spoke's blueprint, judged; those of which the same objects are refused are one."""
    shared: dict[tuple[int, tuple[tuple[Ref, str], ...]], Judged] = {}
    by_spoke: dict[str, Judged] = {}
    for name, bundle in rendered.bundles.items():
        own = refused.get(name, {})
        key = (id(bundle.blueprint), tuple(sorted(own.items())))
        if key not in shared:
            shared[key] = judge.judge(bundle.blueprint, own)
        by_spoke[name] = shared[key]
    return by_spoke


def _in_the_open(rendered: Rendered, names: Collection[str]) -> Rendered:
    """The fleet with the bundles of these spokes made without slots."""
    if not names:
        return rendered
    bundler = Bundler(
        rendered.hub,
        rendered.topology,
        rendered.decision,
        rendered.sync,
        with_slots=False,
        stages=rendered.stages,
    )
    bundles = {
        name: bundler.bundle(bundle.spoke) if name in names else bundle
        for name, bundle in rendered.bundles.items()
    }
    return replace(rendered, bundles=bundles)


__all__ = ["Aspect", "Audit", "Files", "Judged", "audit"]
