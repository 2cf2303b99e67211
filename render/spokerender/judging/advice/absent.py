"""Advice on objects that are named and that no spoke can have, as the fleet file declares."""

from collections.abc import Iterator

from spokerender.findings.codes import advice as codes
from spokerender.findings.results import Result
from spokerender.judging.advice.view import AdvisedObject, JudgedSpokeView
from spokerender.judging.attachment.case import is_known_from_files
from spokerender.kinds.kind import Role
from spokerender.kinds.needs import read_requirements
from spokerender.kinds.references import read_references
from spokerender.model import FieldPath, Ref, kind_name, shown


def check_absent_objects(view: JudgedSpokeView) -> Iterator[Result]:
    """Yield a result for each named object of a complete kind that is in no file.

    Not where the policy is refused for it: that is a finding already.
    """
    if not view.topology.around.external.complete_kinds:
        return
    for ref, item in sorted(view.objects.items()):
        attachment = view.attachments.get(ref)
        reported = {fault.field for fault in attachment.faults} if attachment is not None else ()
        for needed, path in dict.fromkeys(_list_named(item)):
            if path not in reported and view.topology.is_absent(needed):
                yield _report(view, ref, needed, path)


def _list_named(item: AdvisedObject) -> Iterator[tuple[Ref, FieldPath]]:
    """Yield what an object names; Gateways and routes that are not there are findings already."""
    for need in read_requirements(item.kind, item.object, item.ref.namespace):
        if need.selector is None and not need.row.elsewhere:
            yield need.ref.whole, need.path
    for link in read_references(item.kind, item.object, item.ref.namespace):
        if link.row.role is Role.TARGET and not is_known_from_files(link.ref):
            yield link.ref.whole, link.path


def _report(view: JudgedSpokeView, ref: Ref, needed: Ref, path: FieldPath) -> Result:
    kind = kind_name(needed.group, needed.kind)
    return view.result(
        codes.ABSENT,
        ref,
        f"{needed} is neither in the hub nor under spec.external of fleet.yaml, whose "
        f"spec.completeKinds says that these have every {kind} of the spokes",
        "correct the name, add the object to the hub, or declare it under `spec.external`",
        field=shown(path),
    )
