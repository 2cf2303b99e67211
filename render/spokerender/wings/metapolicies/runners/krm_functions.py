"""Run KRM functions: programs that read a ResourceList and write one, started once per input.

Source: the KRM functions specification,
https://github.com/kubernetes-sigs/kustomize/blob/master/cmd/config/docs/api-conventions/functions-spec.md.
This module is stricter than kustomize and kpt: it refuses YAML aliases, and results of severity
error with exit status 0.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from spokerender.config.base import API_VERSION
from spokerender.edge.processes import (
    Limits,
    ProcessError,
    ProgramCommand,
    ProgramOutcome,
    find_program,
    run_program,
)
from spokerender.findings.codes.metapolicies import FUNCTION, FUNCTION_TOLD, NOT_PURE
from spokerender.findings.phrasing import describe
from spokerender.findings.results import Fault, Severity
from spokerender.formats import yamlio
from spokerender.model import Ref, identity
from spokerender.model.krm import IDS, INDICES, PATHS, RESERVED, VERSIONS
from spokerender.model.plan import find_first_difference
from spokerender.model.shapes import Json, as_mapping
from spokerender.rendering.values.layout import path_of
from spokerender.wings.metapolicies.config import ExecFunction
from spokerender.wings.metapolicies.functions import (
    FunctionInput,
    FunctionOutput,
    ReportFinding,
    RunCost,
)

_LAST_LINES = 5
"""Lines of standard error in a message: the last ones say why a function fails."""
_ENVIRONMENT = {"LOG_TO_STDERR": "true", "STRUCTURED_RESULTS": "true"}
"""The variables that kustomize and kpt set for functions in containers."""
_ADDED = (*PATHS, *INDICES, *IDS)
"""The annotations that are added to items for a function, and removed again."""


class KrmFunctions(Struct, frozen=True, eq=False):
    """Runs the KRM functions of a project (`functions.Runner`).

    `settings` has the settings of each definition by its name. With `twice`, a function runs twice
    for an input, and both outputs must be equal.
    """

    folder: Path
    settings: Mapping[str, ExecFunction]
    twice: bool = False
    costs: dict[str, RunCost] = field(default_factory=dict)
    _outputs: dict[tuple[str, bytes], FunctionOutput | Fault] = field(default_factory=dict)

    def run(self, request: FunctionInput) -> FunctionOutput | Fault:
        """Return the output for an input, or why there is none."""
        # The bytes are the key: what a function cannot see cannot change its output.
        key = request.definition, write_resource_list(request)
        cost = self.costs.setdefault(request.definition, RunCost())
        if key in self._outputs:
            cost.remembered += 1
            return self._outputs[key]
        began = time.perf_counter()
        self._outputs[key] = self._run(request, key[1])
        cost.runs += 1 + self.twice
        cost.seconds += time.perf_counter() - began
        return self._outputs[key]

    def _run(self, request: FunctionInput, data: bytes) -> FunctionOutput | Fault:
        settings = self.settings[request.definition]
        try:
            outcome = self._start(settings, data)
            again = self._start(settings, data) if self.twice else outcome
            if again.out != outcome.out:
                line = find_first_difference(outcome.out, again.out)
                message = f"two runs for one input differ in line {line} of the output"
                return Fault(NOT_PURE, f"{settings.path}: {message}")
            output = read_function_output(outcome.out, request)
        except (ProcessError, NoOutputError) as error:
            return Fault(FUNCTION, f"{settings.path}: {error}")
        log = _last_lines(outcome)
        if log:
            finding = ReportFinding(FUNCTION_TOLD, f"it logs: {log}", severity=Severity.INFO)
            return replace(output, findings=(*output.findings, finding))
        return output

    def _start(self, settings: ExecFunction, data: bytes) -> ProgramOutcome:
        """Run a function once. Raises `ProcessError`, or `NoOutputError` if it fails."""
        limits = Limits(
            settings.timeout_seconds, settings.max_memory_bytes, settings.max_output_bytes
        )
        program = find_program(settings.path, self.folder)
        command = ProgramCommand(program, self.folder, settings.args, _ENVIRONMENT | settings.env)
        outcome = run_program(command, data, limits)
        _check_success(outcome)
        return outcome


class NoOutputError(Exception):
    """A function fails, or its output is no valid ResourceList."""


def _check_success(outcome: ProgramOutcome) -> None:
    log = _last_lines(outcome)
    details = f": {log}" if log else ""
    if outcome.stopped:
        raise NoOutputError(f"{outcome.stopped}{details}")
    if outcome.code < 0:
        raise NoOutputError(f"it was ended by signal {-outcome.code}{details}")
    if outcome.code:
        # Results of a failed run say more than its log.
        errors = _read_errors(outcome.out)
        reason = f": {errors}" if errors else details
        raise NoOutputError(f"it exits with status {outcome.code}{reason}")


def _last_lines(outcome: ProgramOutcome) -> str:
    lines = outcome.err.decode(errors="replace").split("\n")
    return " / ".join([line.strip() for line in lines if line.strip()][-_LAST_LINES:])


def write_resource_list(request: FunctionInput) -> bytes:
    """Return the ResourceList that a function reads; equal inputs give equal bytes."""
    items = [_annotate(item, number) for number, item in enumerate(_input_items(request))]
    value = {
        "apiVersion": VERSIONS[0],
        "kind": "ResourceList",
        "items": items,
        "functionConfig": request.metapolicy,
    }
    return yamlio.emit(value).encode()


def read_function_output(data: bytes, request: FunctionInput) -> FunctionOutput:
    """Read the ResourceList that a function wrote. Raises `NoOutputError` if it is invalid."""
    value = _parse_list(data)
    inputs = {str(number): item for number, item in enumerate(_input_items(request))}
    items = [_strip(item, inputs) for item in _items_of(value)]
    findings = tuple(_findings_of(value.get("results")))
    spoke = API_VERSION, "Spoke"
    # The spoke was an input alone, and is no object of the tree.
    others = [item for item in items if (item.get("apiVersion"), item.get("kind")) != spoke]
    return FunctionOutput(others, findings)


def _read_errors(data: bytes) -> str:
    """Return the errors in the output of a failed function; empty if the output is unreadable."""
    try:
        findings = _findings_of(_parse_list(data).get("results"))
        errors = (str(item.message) for item in findings if item.severity is Severity.ERROR)
        return "; ".join(errors)
    except NoOutputError:
        return ""


def _input_items(request: FunctionInput) -> Sequence[dict[str, Json]]:
    """Return the items of an input; the spoke is the first item if the definition reads it."""
    spoke = request.spoke
    if not spoke:
        return request.items
    claims = {"claims": dict(spoke["claims"])} if spoke.get("claims") else {}
    item = {
        "apiVersion": API_VERSION,
        "kind": "Spoke",
        "metadata": {"name": spoke["name"], "labels": dict(spoke["labels"])},
        "spec": {"values": spoke["values"], **claims},
    }
    return [item, *request.items]


def _annotate(item: dict[str, Json], number: int) -> dict[str, Json]:
    """Return an item with the annotations of KRM functions: file, index in it, and id `number`."""
    ref = identity(item) or Ref("", "", "", "")
    added = dict.fromkeys(PATHS, path_of(ref)) | dict.fromkeys(INDICES, "0")
    added |= dict.fromkeys(IDS, str(number))
    metadata = item.get("metadata") or {}
    return {**item, "metadata": {**metadata, "annotations": {**_annotations(item), **added}}}


def _strip(item: dict[str, Json], inputs: Mapping[str, dict[str, Json]]) -> dict[str, Json]:
    """Return an output item without annotations for functions that the input item did not have."""
    metadata, annotations = item.get("metadata"), _annotations(item)
    if not isinstance(metadata, dict) or "annotations" not in metadata:
        return item
    # A function may reorder items: the id says which input an item was.
    before = inputs.get(str(annotations.get(IDS[1], annotations.get(IDS[0]))), {})
    original = _annotations(before)
    remaining = {
        # The values that the author's item had before ours were put in.
        key: original[key] if key in _ADDED else text
        for key, text in annotations.items()
        if key in original or not (key in _ADDED or key.startswith(RESERVED))
    }
    had_none = "annotations" not in (before.get("metadata") or {})
    if remaining or not had_none:
        metadata = {**metadata, "annotations": remaining}
    else:
        metadata = {key: value for key, value in metadata.items() if key != "annotations"}
    return {**item, "metadata": metadata}


def _annotations(item: Mapping[str, Json]) -> Mapping[str, Json]:
    return as_mapping(as_mapping(item.get("metadata")).get("annotations"))


def _parse_list(data: bytes) -> dict[str, Json]:
    if not data.strip():
        raise NoOutputError("its output is empty; a ResourceList is required")
    documents, problems = yamlio.read(data, "")
    if problems:
        message = f"its output can't be read: line {problems[0].line}: {problems[0].message}"
        raise NoOutputError(message)
    value = documents[0].value if len(documents) == 1 else None
    if not isinstance(value, dict) or value.get("kind") != "ResourceList":
        raise NoOutputError("its output is no ResourceList")
    if value.get("apiVersion") not in VERSIONS:
        version = describe(value.get("apiVersion"))
        message = f"its ResourceList has the apiVersion {version}, not {' or '.join(VERSIONS)}"
        raise NoOutputError(message)
    # Aliases make a text unspliceable, so plain texts are not searched.
    line = None if documents[0].spliceable else yamlio.first_alias(documents[0].text)
    if line is not None:
        message = f"its output has a YAML alias in line {documents[0].text_line + line}"
        raise NoOutputError(message)
    return value


def _items_of(value: Mapping[str, Json]) -> Sequence[dict[str, Json]]:
    items = value.get("items", "")
    items = [] if items is None else items  # as Go writes an empty list
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise NoOutputError("items of its ResourceList is no list of objects")
    return items


def _findings_of(results: Json) -> Iterator[ReportFinding]:
    if results is None:
        return
    if not isinstance(results, list) or not all(map(_is_result, results)):
        raise NoOutputError("results of its ResourceList is no list of results with messages")
    for result in results:
        severity = Severity(result.get("severity") or "error")
        message = _describe_place(result) + result["message"]
        yield ReportFinding(FUNCTION_TOLD, message, severity=severity)


def _is_result(value: Json) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("message"), str)
        and (value.get("severity") or "error") in list(Severity)
    )


def _describe_place(result: Mapping[str, Json]) -> str:
    """Return the object and the field of a result, as the beginning of its message."""
    ref, path = result.get("resourceRef"), result.get("field")
    words = []
    if isinstance(ref, dict) and ref.get("kind") and ref.get("name"):
        words.append(str(Ref("", ref["kind"], ref.get("namespace") or "", ref["name"])))
    if isinstance(path, dict) and path.get("path"):
        words.append(str(path["path"]))
    return f"{' '.join(words)}: " if words else ""
