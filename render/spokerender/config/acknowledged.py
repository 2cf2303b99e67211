"""Acknowledgements of a fleet file, also of one that is invalid otherwise."""

from contextlib import suppress

from spokerender.config.fleet import AcknowledgedDeletion
from spokerender.formats import yamlio
from spokerender.model.shapes import as_list, as_mapping


def read_deletions(data: bytes) -> tuple[AcknowledgedDeletion, ...]:
    """Read the valid entries of `spec.deletions`, whatever the rest of the file is."""
    documents, _ = yamlio.read(data, "")
    specs = (as_mapping(as_mapping(document.value).get("spec")) for document in documents)
    entries = []
    for entry in (entry for spec in specs for entry in as_list(spec.get("deletions"))):
        with suppress(ValueError):
            entries.append(AcknowledgedDeletion.model_validate(entry))
    return tuple(entries)
