"""bcms runs."""

from argparse import Namespace
from collections.abc import Iterable
from dataclasses import asdict

from bcms_client.client import Client
from bcms_client.commands.arguments import TASK, Verbs, add_noun, add_verb
from bcms_client.commands.output import print_json, print_note, print_record, print_rows, print_sentence
from bcms_client.errors import Fault, InvalidFileError, ServerFailureError
from bcms_client.records.runs import FileFault, Upload

UPLOADS = {
    "RUN": lambda upload: upload.run,
    "NAME": lambda upload: upload.name,
    "FILE": lambda upload: upload.source,
    "RECEIVED": lambda upload: upload.received,
    "STATE": lambda upload: upload.state,
    "FINAL": lambda upload: upload.final,
    "WITHDRAWN": lambda upload: upload.withdrawn,
}
RUN = {
    "RUN": lambda run: run.id,
    "NAME": lambda run: run.name,
    "TASK": lambda run: f"{run.challenge} {run.phase} {run.task}",
    "FINAL": lambda run: run.final,
    "WITHDRAWN": lambda run: run.withdrawn,
}
DESCRIPTION = {
    "METHOD": lambda described: described.method_name,
    "ABSTRACT": lambda described: described.abstract,
    "PAPER": lambda described: described.paper,
    "CODE": lambda described: described.code,
    "ENVIRONMENT": lambda described: described.environment,
}
CHECKED = {
    "RESULTS": lambda report: report.results,
    "ARTICLES": lambda report: report.articles,
    "FORMAT": lambda report: report.format,
    "UNKNOWN": lambda report: report.unknown,
    "NOTE": lambda report: report.note,
}


def add_run_commands(nouns: Verbs) -> None:
    verbs = add_noun(nouns, "runs", "runs of your team")
    listing = add_verb(verbs, "list", _list_runs, "list the files of your team in a task and phase", *TASK)
    upload = add_verb(verbs, "upload", _upload_run, "upload a run and wait until it is stored", *TASK, "file")
    upload.add_argument("--name", help="of the run (default: the file name)")
    upload.add_argument("-m", "--message", help="for your team and the organizers")
    upload.add_argument("--final", action="store_true", help="tag it as final")
    check = add_verb(verbs, "check", _check_run, "check a file; nothing is stored", *TASK, "file")
    for parser in (listing, upload, check):
        parser.add_argument("--team", help="slug of your team, if you are on several")
    for parser in (upload, check):
        parser.add_argument("--repair", action="store_true", help="repair BioCreative II XML, with warnings")
    add_verb(verbs, "show", _show_run, "show a run with its figures", "run_id")
    describing = add_verb(verbs, "describe", _describe_run, "say what a run is; what you leave out stays", "run_id")
    describing.add_argument("--method", dest="method_name", help="name of the method")
    describing.add_argument("--abstract", help="how the method works")
    describing.add_argument("--paper", help="URL or DOI of the paper")
    describing.add_argument("--code", help="URL of the code")
    describing.add_argument("--environment", help="what it ran on")
    add_verb(verbs, "final", _tag_run, "tag a run as final", "run_id")
    add_verb(verbs, "not-final", _untag_run, "the run is no longer final", "run_id")
    add_verb(verbs, "withdraw", _withdraw_run, "no longer score or list a run", "run_id")


def _list_runs(client: Client, options: Namespace) -> None:
    found = client.list_runs(options.challenge, options.phase, options.task, team=options.team)
    if options.json:
        print_json(found)
        return
    print_rows(options, found.uploads, UPLOADS)
    print_sentence(options, f"{found.used} of {found.most} runs used; files tried: {found.tries}")


def _upload_run(client: Client, options: Namespace) -> None:
    upload = client.upload_run(
        *(options.challenge, options.phase, options.task, options.file),
        name=options.name,
        message=options.message,
        team=options.team,
        repair=options.repair,
    )
    if not upload.done:
        upload = client.wait_for_upload(upload.id)
    _check_taken(upload)
    _print_warnings(options, upload.warnings)
    if options.final and upload.run is not None:
        client.tag_run_as_final(upload.run)
        upload = client.get_upload(upload.id)
    print_record(options, upload, UPLOADS)


def _check_taken(upload: Upload) -> None:
    """Raise InvalidFileError or ServerFailureError if the file became no run."""
    if upload.state == "refused":
        faults = [Fault("file", each.rule, each.message, each.line, each.column) for each in upload.faults]
        raise InvalidFileError(422, "The file was rejected.", "refused-file", faults)
    if upload.state != "taken":
        raise ServerFailureError(500, "The server failed with the file.", hint="Upload it again.")


def _check_run(client: Client, options: Namespace) -> None:
    task = (options.challenge, options.phase, options.task)
    report = client.check_run(*task, options.file, team=options.team, repair=options.repair)
    _print_warnings(options, report.warnings)
    print_record(options, report, CHECKED)


def _print_warnings(options: Namespace, warnings: Iterable[FileFault]) -> None:
    for note in warnings:
        print_note(f"{options.file}:{note.line}:{note.column}: {note.rule} warning: {note.message}")


def _show_run(client: Client, options: Namespace) -> None:
    run = client.get_run(options.run_id)
    print_record(options, run, RUN)
    if options.json:
        return
    if run.score is None:
        print_sentence(options, "No score that you may see yet.")
        return
    print()
    figures = {"MEASURE": lambda pair: pair[0], "FIGURE": lambda pair: pair[1]}
    print_rows(options, run.score.figures.items(), figures)


def _describe_run(client: Client, options: Namespace) -> None:
    before = asdict(client.get_run(options.run_id).description)
    given = {name: text for name in before if (text := getattr(options, name)) is not None}
    print_record(options, client.describe_run(options.run_id, **(before | given)), DESCRIPTION)


def _tag_run(client: Client, options: Namespace) -> None:
    print_record(options, client.tag_run_as_final(options.run_id), RUN)


def _untag_run(client: Client, options: Namespace) -> None:
    print_record(options, client.untag_run(options.run_id), RUN)


def _withdraw_run(client: Client, options: Namespace) -> None:
    print_record(options, client.withdraw_run(options.run_id), RUN)
