"""What a build did to the files of the output."""

import json
from pathlib import PurePath
from textwrap import dedent

from spokerender.model.plan import FolderPlan, Plan
from spokerender.report.plans import build_text
from spokerender.report.reports import BuildReport, Look
from spokerender.report.serializing import report_json

DNS = "infra/dnspolicy.kuadrant.io_dns.yaml"
AUTH = "infra/authpolicy.kuadrant.io_auth.yaml"


def built(plan: Plan, output: str) -> BuildReport:
    return BuildReport(plan=plan, output=PurePath(output))


def plan_text(plan: Plan, output: str) -> str:
    return build_text(built(plan, output), Look())


def test_an_output_that_is_right_is_said_to_be_so() -> None:
    assert plan_text(Plan(unchanged=5_004), "clusters") == "clusters: up to date, 5,004 files\n"


def test_a_file_that_changed_in_many_folders_is_one_line() -> None:
    plan = Plan(
        (
            FolderPlan(folder="_fleet", update=("argocd/applicationset.yaml",)),
            FolderPlan(folder="ap", update=(DNS,), delete=(AUTH,)),
            FolderPlan(folder="eu", update=(DNS, "kustomization.yaml")),
            FolderPlan(folder="new", create=(AUTH, DNS, "kustomization.yaml"), is_new=True),
            FolderPlan(folder="old", delete=(DNS, "kustomization.yaml"), is_removed=True),
        ),
        unchanged=7,
    )
    assert plan_text(plan, "clusters") == dedent(f"""\
        clusters: 3 created, 4 updated, 3 deleted, 7 unchanged
          updated argocd/applicationset.yaml in _fleet
          updated {DNS} on 2 spokes: ap, eu
          deleted {AUTH} on ap
          updated kustomization.yaml on eu
          created the folder with 3 files on new
          deleted the folder with 2 files on old
        """)


def test_many_files_are_counted() -> None:
    paths = tuple(f"shop/httproute_{number:03}.yaml" for number in range(100))
    lines = plan_text(Plan((FolderPlan(folder="eu", update=paths),)), "out").splitlines()
    assert lines[0] == "out: 100 updated, 0 unchanged"
    assert lines[1] == "  updated shop/httproute_000.yaml on eu"
    assert lines[-1] == "  and 80 more"
    assert len(lines) == 22


def test_a_thousand_new_spokes_are_one_line() -> None:
    folders = tuple(
        FolderPlan(folder=f"s{number:03}", create=(DNS, "kustomization.yaml"), is_new=True)
        for number in range(1000)
    )
    assert plan_text(Plan(folders), "clusters") == dedent("""\
        clusters: 2,000 created, 0 unchanged
          created the folder with 2 files on 1,000 spokes: s000, s001, s002, s003, s004 and 995 more
        """)


def test_json_names_every_file() -> None:
    plan = Plan(
        (
            FolderPlan(folder="eu", create=(AUTH,), update=(DNS,)),
            FolderPlan(folder="us", foreign=("notes.txt",)),
        ),
        unchanged=3,
    )
    assert json.loads(report_json(built(plan, "clusters"), Look())) == {
        "results": [],
        "output": "clusters",
        "created": 1,
        "updated": 1,
        "deleted": 0,
        "unchanged": 3,
        "folders": [{"folder": "eu", "created": [AUTH], "updated": [DNS]}],
    }
