"""Judging a rendered fleet: what attaches, what is in force, what the API servers would take.

Every distinct case and every distinct object is judged once, however many spokes share it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from render.audit.cases import Judge
from render.audit.model import Aspect, Audit, Judged
from render.audit.policies import hub_results, policy_results
from render.bundles import Bundle
from render.model import Ref
from render.pipeline import Rendered
from render.results import Result
from render.suppressions import suppress

Files = Sequence[tuple[str, bytes]]
"""Paths and bytes of files."""


def audit(
    rendered: Rendered, crd_files: Files = (), aspects: Collection[Aspect] = tuple(Aspect)
) -> Audit:
    """Judge a rendered fleet. `crd_files` have CRDs besides those in the hub.

    Without `Aspect.VALIDATION` no object counts as refused by its API server.
    """
    bundles, spec = rendered.bundles, rendered.fleet.spec
    refused: Mapping[str, Mapping[Ref, str]] = {}
    results: tuple[Result, ...] = ()
    if Aspect.VALIDATION in aspects:
        refused, results = _validated(rendered, crd_files)
    if Aspect.POLICIES not in aspects:
        return Audit({}, bundles, suppress(results, spec.suppressions))
    external = [Ref(e.group, e.kind, e.namespace, e.name) for e in spec.external]
    judge = Judge(rendered.hub, rendered.topology, external)
    judged = _judged(judge, bundles, refused)
    hub = judge.hub_attachments(rendered.hub)
    results += (*hub_results(rendered, hub), *policy_results(rendered, judged, hub))
    return Audit(judged, bundles, suppress(results, spec.suppressions))


def _validated(
    rendered: Rendered, crd_files: Files
) -> tuple[Mapping[str, Mapping[Ref, str]], tuple[Result, ...]]:
    from render.audit.objects import Validator  # noqa: PLC0415  (heavy, and not always asked for)

    validator = Validator(rendered, crd_files)
    refused = {name: validator.refused(bundle) for name, bundle in rendered.bundles.items()}
    return refused, validator.results()


def _judged(
    judge: Judge, bundles: Mapping[str, Bundle], refused: Mapping[str, Mapping[Ref, str]]
) -> Mapping[str, Judged]:
    """Each spoke's case, judged; cases of which the same objects are refused are one."""
    known: dict[tuple[int, tuple[tuple[Ref, str], ...]], Judged] = {}
    found: dict[str, Judged] = {}
    for name, bundle in bundles.items():
        own = refused.get(name, {})
        key = (id(bundle.case), tuple(sorted(own.items())))
        if key not in known:
            known[key] = judge.judge(bundle.case, own)
        found[name] = known[key]
    return found


__all__ = ["Aspect", "Audit", "Judged", "audit"]
