"""Everything that `check`, `status` and `effective` make of a project, in memory."""

from __future__ import annotations

from render.explain import Question, in_force, statuses
from render.judging.audit import Audit, Files, audit
from render.rendering.values.rendered import Rendered
from render.report.effective import effective_json, effective_text
from render.report.findings import results_json, results_text
from render.report.github import results_github
from render.report.statuses import statuses_json, statuses_text, statuses_yaml


def judged(rendered: Rendered, crds: Files = ()) -> Audit:
    """Judge a rendered fleet and write every answer in every form; what is written is dropped."""
    found, spokes = audit(rendered, crds), len(rendered.bundles)
    told = (*rendered.results, *found.results)
    results_text(told, color=False, verbose=True, spokes=spokes)
    results_github(told, verbose=True, spokes=spokes)
    results_json(told)
    status = statuses(found, "", "")
    statuses_text(status, color=False, spokes=spokes)
    statuses_json(status)
    statuses_yaml(status)
    answers = in_force(rendered, found, Question("", "", "", ""))
    effective_text(answers, color=False, verbose=True, spokes=spokes)
    effective_json(answers)
    return found
