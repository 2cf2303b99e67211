"""Converts effective policies on a path for people: each rule with its line in the hub."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from spokerender.explain.values import EffectiveAnswer, RuleInForce, RuleNotInForce
from spokerender.formats.comparing import located
from spokerender.judging.effective.callers import CallerVerdict, judge_caller
from spokerender.judging.effective.outcomes import EffectivePolicy, EffectiveRule, PolicyOutcome
from spokerender.judging.fleet.judged import JudgedBlueprint
from spokerender.judging.judgement import Judgement
from spokerender.kinds.credentials import Redactor, find_credentials
from spokerender.kinds.kind import Kind
from spokerender.model import FieldPath, Origin, Ref, grouped
from spokerender.model.memo import memoised, remembered
from spokerender.model.shapes import Json
from spokerender.rendering.values.bundles import Bundle, How, Variant, find_slots
from spokerender.rendering.values.provenance import History
from spokerender.rendering.values.rendered import Rendered
from spokerender.topology.matches import Request
from spokerender.topology.paths import Levels, RequestPath
from spokerender.topology.places import hub_line


class JudgedOutcome(Struct, eq=False):
    """The effective policy of a kind on a path of a blueprint, and a spoke of the blueprint."""

    judged: JudgedBlueprint
    bundle: Bundle
    effective: EffectivePolicy


class OutcomeReader:
    """Converts effective policies for people; values may have slots."""

    def __init__(self, rendered: Rendered, *, with_lines: bool = True) -> None:
        """Start to read; each answer is computed once.

        Without `with_lines`, each field has the line of its object: finding lines in files is slow.
        """
        self._rendered, self._with_lines = rendered, with_lines
        self.line = cache(hub_line if with_lines else lambda manifest, _=(): manifest.origin)
        self._overrides: dict[int, Mapping[FieldPath, Origin]] = {}
        # One for all answers, so that equal credentials have equal numbers throughout.
        self._redactor = Redactor()
        self._answers: dict[tuple[int, ...], tuple[JudgedOutcome, EffectiveAnswer]] = {}

    def read(self, outcome: JudgedOutcome) -> EffectiveAnswer:
        """Return the effective policy on the path, without hostnames and spokes."""
        effective, variants = outcome.effective, outcome.judged.variants
        parts = effective.path, effective.likely, *effective.others
        # Parts are shared between paths, and identity is much cheaper than comparing outcomes.
        key = (*map(id, parts), *(id(variants.get(ref)) for ref in effective.stack))
        if key not in self._answers:
            # The outcome is kept with its answer, so that no later object gets its identity.
            self._answers[key] = outcome, self._read(outcome)
        return self._answers[key][1]

    def _read(self, outcome: JudgedOutcome) -> EffectiveAnswer:
        likely = outcome.effective.likely
        return EffectiveAnswer(
            path=outcome.effective.path,
            group=outcome.effective.group,
            kind=outcome.effective.kind,
            rules=self._rules(outcome, likely.rules),
            overruled=tuple(
                RuleNotInForce(
                    item,
                    self._find_line(outcome, item.policy, item.field),
                    self._find_line(outcome, item.by, item.by_field),
                )
                for item in likely.overruled
            ),
            others=tuple(self._rules(outcome, other.rules) for other in outcome.effective.others),
            hostnames=(),
            spokes=(),
            unknown=likely.unknown,
            failing=likely.failing,
            candidates=self._rules(outcome, likely.candidates),
        )

    def _rules(
        self, outcome: JudgedOutcome, rules: Iterable[EffectiveRule]
    ) -> tuple[RuleInForce, ...]:
        return tuple(
            RuleInForce(
                replace(rule, value=self.redact(outcome.judged.variants[rule.policy], rule.value)),
                self.line(outcome.judged.variants[rule.policy].manifest, rule.field),
                self.find_changes(outcome, rule),
            )
            for rule in rules
        )

    def list_on_path(self, judged: JudgedBlueprint, path: RequestPath) -> list[EffectivePolicy]:
        """Return the effective policies on a path: at the listener, the rule, and backends."""
        levels, by_levels = path.levels, _index_in_force(judged.judgement)
        listener = levels[: levels.index(path.section) + 1]
        # Policies at the listener hold on each of its rules.
        return [*by_levels.get(listener, ()), *(by_levels.get(levels, ()) if path.route else ())]

    def judge_caller(
        self, in_force: Iterable[JudgedOutcome], request: Request
    ) -> Iterator[CallerVerdict]:
        """Yield the verdict on a request's caller for each kind of effective policy on a path."""
        for item in in_force:
            effective = item.effective
            kind = self._rendered.hub.catalogue.kind(effective.group, effective.kind)
            likely, others = effective.likely, effective.others
            # Without slots the verdict is the same on all spokes, and is computed once.
            has_slots = any(map(find_slots, (likely, *others)))
            yield _judge_outcomes(kind, likely, others, request, item.bundle if has_slots else None)

    def redact(self, variant: Variant, value: Json) -> Json:
        """Return a part of an object without the object's credentials."""
        return self._redactor.data(value, self._find_secrets(variant))

    @memoised
    def _find_secrets(self, variant: Variant) -> frozenset[str]:
        kind = self._rendered.hub.catalogue.kind(variant.ref.group, variant.ref.kind)
        return find_credentials(kind, variant.object)

    def _find_line(self, outcome: JudgedOutcome, policy: Ref, path: FieldPath) -> Origin:
        """Return the line of a policy's field; its first line if the path is empty."""
        manifest = outcome.judged.variants[policy].manifest
        return self.line(manifest, path) if path else manifest.origin

    def find_changes(self, outcome: JudgedOutcome, rule: EffectiveRule) -> tuple[Origin, ...]:
        """Return the lines of the overrides that changed the rule, a part of it, or more."""
        variant = outcome.judged.variants[rule.policy]
        if not (variant.overrides and self._with_lines):
            return ()
        overrides = self._overrides.get(id(variant))
        if overrides is None:
            traced = History(self._rendered, outcome.bundle, variant).changed()
            data = outcome.bundle.object_of(variant)
            overrides = self._overrides[id(variant)] = {
                # Rules name list items by index, and overrides by key.
                located(item.path, data): item.source.origin
                for item in traced
                if item.source.how is How.OVERRIDE
            }
        origins = {
            origin
            for path, origin in overrides.items()
            if all(a == b for a, b in zip(path, rule.field, strict=False))  # one leads to the other
        }
        return tuple(sorted(origins))


@memoised
def _index_in_force(judgement: Judgement) -> Mapping[Levels, list[EffectivePolicy]]:
    """Return the effective policies by path; the path of a backend's policy ends at the rule."""
    return grouped((replace(item.path, backend=None).levels, item) for item in judgement.effective)


# Paths share outcomes, so verdicts are kept by outcome.
@remembered
def _judge_outcomes(
    kind: Kind,
    likely: PolicyOutcome,
    others: tuple[PolicyOutcome, ...],
    request: Request,
    bundle: Bundle | None,
) -> CallerVerdict:
    fill = bundle.filled if bundle is not None else lambda outcome: outcome
    return judge_caller(kind, (likely, *others), request, fill)
