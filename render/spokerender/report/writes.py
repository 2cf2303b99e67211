"""Print what a command wrote: files that people own."""

from textwrap import wrap

from spokerender.findings.phrasing import count
from spokerender.report.reports import CarriedReport, Look, WrittenReport, first_lines
from spokerender.report.terminal import on_one_line


def carried_text(report: CarriedReport, look: Look) -> str:
    """Print each product with its releases, the oldest first, in the width of the reader."""
    lines = []
    for name, product in report.products.items():
        channels = dict.fromkeys(c for of in product.releases.values() for c in of)
        slash = f"/{'|'.join(channels)}" if channels else ""
        lines.append(f"{name}@RELEASE{slash}: {product.title}, {', '.join(product.groups)}")
        lines += wrap(
            " ".join(product.releases), look.width, initial_indent="  ", subsequent_indent="  "
        )
    return "".join(f"{line}\n" for line in lines)


def written_text(report: WrittenReport, _: Look) -> str:
    """Print the numbers of files, their names where they are few, and what to run next."""
    files = {"created": report.created, "updated": report.updated}
    counts = [f"{count(len(paths), 'file')} {verb}" for verb, paths in files.items() if paths]
    counts += [f"{report.unchanged:,} unchanged"] if report.unchanged else []
    lines = [", ".join(counts) or "nothing to write"]
    changes = [f"  {verb} {on_one_line(path)}" for verb, paths in files.items() for path in paths]
    lines += first_lines(changes)
    if report.follows:
        lines += ["", "What follows:", *(f"  {on_one_line(line)}" for line in report.follows)]
    if report.next_steps:
        lines += ["", "Next:", *(f"  {step}" for step in report.next_steps)]
    return "".join(f"{line}\n" for line in lines)
