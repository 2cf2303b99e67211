"""The report of an adopted fleet: on a terminal, and in Markdown."""

from collections.abc import Iterator

from spokerender.findings.phrasing import count
from spokerender.report.reports import AdoptionReport, Look


def adoption_text(report: AdoptionReport, _: Look) -> str:
    """Return a line about the clusters, then each section; drift comes first."""
    return "\n".join(_write_lines(report, "", "  ", "    ")) + "\n"


def adoption_markdown(report: AdoptionReport, _: Look) -> str:
    """Return the text as Markdown: a heading for each section, an item for each entry."""
    return "\n".join(_write_lines(report, "\n### ", "- ", "  ")) + "\n"


def _write_lines(report: AdoptionReport, heading: str, item: str, below: str) -> Iterator[str]:
    sizes = report.sizes
    clusters = count(sizes["clusters"], "cluster")
    if "differences" in sizes:
        yield f"{clusters} compared with the trees: {count(sizes['differences'], 'difference')}"
    else:
        yield (
            f"{clusters} -> hub ({count(sizes['objects'], 'object')}), "
            f"placement ({count(sizes['placementLines'], 'line')}); "
            f"rebuilt: {sizes['equal']:,} of {sizes['total']:,} equal"
        )
    for title, entries in report.sections.items():
        yield f"{heading}{title}"
        for first, *rest in entries:
            yield from (f"{item}{first}", *(f"{below}{line}" for line in rest))
    yield f"{heading.strip() and chr(10)}next: {', '.join(report.next_steps)}"
