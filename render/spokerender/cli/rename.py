"""`spokerender rename`: rename a Gateway of the hub, and every field that refers to it."""

from pathlib import Path

import click
from msgspec.structs import replace

from spokerender.adopting.renaming import GatewayRename
from spokerender.cli import completing, options
from spokerender.cli.given_files import write_edited
from spokerender.cli.losses import refused_on_disk
from spokerender.cli.project import load, read_own_files
from spokerender.cli.reporting import ReportCommand
from spokerender.edge.files import OnDisk
from spokerender.edge.reading import require_files
from spokerender.model.refs import ObjectName
from spokerender.report.reports import WrittenReport


@click.command("rename", cls=ReportCommand)
@click.argument("old", metavar="Gateway/NAMESPACE/OLD", shell_complete=completing.complete_objects)
@click.argument("new")
@options.folder
@options.code
@options.form(WrittenReport)
def rename(old: str, new: str, folder: str) -> WrittenReport:
    """Rename a Gateway of the hub to NEW, wherever it is named.

    Files are edited in place: references, ReferenceGrants, placement rules, overrides, external
    objects and suppressions. Where the Gateway has its new name already, the rest follows. Nothing
    is written if a file can't be edited, or if the project would not render.
    """
    name = ObjectName.read(old)
    if name is None or name.spoke:
        options.refuse_usage(f'"{old}" does not have the form KIND[.GROUP]/NAMESPACE/NAME')
    source = OnDisk(Path(folder))
    loaded = load(folder, None)
    spec = loaded.fleet_file.spec
    hub_files = require_files(source, spec.hub, limit_bytes=spec.max_hub_bytes)
    # A route or a policy may be named outside of the files, so only Gateways are renamed.
    renaming = GatewayRename.read(loaded.rendered.hub, name, new)
    edited, changes = renaming.edit_files(hub_files, read_own_files(source))
    report = write_edited(folder, source, edited, refused_on_disk)
    return replace(report, follows=(*changes, *report.follows))
