"""bcms curate."""

from argparse import Namespace

from bcms_client.client import Client
from bcms_client.commands.arguments import Verbs, add_filters, add_noun, add_verb, read_filters
from bcms_client.commands.output import (
    print_json,
    print_note,
    print_record,
    print_rows,
    print_sentence,
    print_written_file,
)
from bcms_client.operations.curation import ORDERS, ORIGINS

WORK = {
    "CURATION": lambda entry: entry.id,
    "ARTICLE": lambda entry: entry.article,
    "STATE": lambda entry: entry.state,
    "PROJECT": lambda entry: entry.project,
    "CHANGED": lambda entry: entry.changed,
    "TITLE": lambda entry: entry.title,
}
SUGGESTIONS = {"NEXT": lambda article: article.article, "TITLE": lambda article: article.title}
CURATION = {
    "CURATION": lambda curation: curation.id,
    "ARTICLE": lambda curation: curation.article,
    "STATE": lambda curation: curation.state,
    "REVISION": lambda curation: curation.revision,
    "CHANGED": lambda curation: curation.changed,
}
CURATION_DETAIL = {
    **CURATION,
    "DECIDED": lambda curation: len(curation.items),
    "INTERACTIONS": lambda curation: len(curation.record.interactions),
    "ORGANISMS": lambda curation: curation.record.organisms,
    "ANNOTATIONS": lambda curation: len(curation.record.annotations),
}
PROJECTS = {
    "PROJECT": lambda project: project.id,
    "NAME": lambda project: project.name,
    "CORPUS": lambda project: project.corpus,
    "OWNER": lambda project: project.owner,
    "CLOSED": lambda project: project.closed,
}
TAKEN_OVER = {
    "ADDED": lambda taken: taken.added,
    "INTERACTIONS": lambda taken: taken.interactions,
    "ANNOTATIONS": lambda taken: taken.annotations,
    "KNOWN": lambda taken: taken.known,
    "LEFT OUT": lambda taken: len(taken.left_out),
}
FORMATS = {
    "FORMAT": lambda each: each.slug,
    "NAME": lambda each: each.name,
    "NOTE": lambda each: each.note,
}


def add_curate_commands(nouns: Verbs) -> None:
    verbs = add_noun(nouns, "curate", "your curations, and digital abstracts")
    worklist = add_verb(verbs, "worklist", _show_worklist, "show what to curate and articles to curate next")
    worklist.add_argument("--project", type=int, help="id of a curation project")
    worklist.add_argument("--order", choices=ORDERS)
    add_verb(verbs, "projects", _list_projects, "list your curation projects")
    add_verb(verbs, "list", _list_curations, "list your curations, changed last first")
    begin = add_verb(verbs, "begin", _begin_curation, "begin to curate an article, or go on with it", "article")
    begin.add_argument("--continue", dest="continue_record", action="store_true", help="its published digital abstract")
    add_verb(verbs, "show", _show_curation, "show one of your curations", "curation")
    upload = add_verb(verbs, "upload", _upload_file, "add the content of a file to a curation", "curation", "file")
    upload.add_argument("--origin", choices=ORIGINS, help="what it is from")
    upload.add_argument("--basis", help="its name")
    finish = add_verb(verbs, "finish", _finish_curation, "store the record of a curation", "curation")
    finish.add_argument("--seen", type=int, required=True, help="the revision that you saw, as show prints it")
    finish.add_argument("--nothing-found", action="store_true", help="the article has nothing to record")
    add_verb(verbs, "formats", _list_formats, "list the formats of digital abstracts")
    add_verb(verbs, "download", _download_one, "write a published digital abstract", "article", "format", "target")
    add_filters(add_verb(verbs, "download-all", _download_all, "write all that a search finds", "format", "target"))


def _show_worklist(client: Client, options: Namespace) -> None:
    worklist = client.get_worklist(project=options.project, order=options.order)
    if options.json:
        print_json(worklist)
        return
    print_rows(options, worklist.to_curate, WORK)
    print_sentence(options, f"{worklist.unfinished} to curate, {worklist.finished} finished")
    if worklist.suggestions:
        print()
        print_rows(options, worklist.suggestions, SUGGESTIONS)


def _list_projects(client: Client, options: Namespace) -> None:
    print_rows(options, client.list_curation_projects(), PROJECTS)


def _list_curations(client: Client, options: Namespace) -> None:
    print_rows(options, client.list_curations(), CURATION)


def _begin_curation(client: Client, options: Namespace) -> None:
    curation = client.begin_curation(options.article, continue_record=options.continue_record or None)
    print_record(options, curation, CURATION)


def _show_curation(client: Client, options: Namespace) -> None:
    print_record(options, client.get_curation(options.curation), CURATION_DETAIL)


def _upload_file(client: Client, options: Namespace) -> None:
    taken = client.upload_digital_abstract(options.curation, options.file, origin=options.origin, basis=options.basis)
    for part in taken.left_out:
        line = f":{part.line}" if part.line else ""
        print_note(f"{options.file}{line}: {part.part} left out: {part.reason}")
    print_record(options, taken, TAKEN_OVER)


def _finish_curation(client: Client, options: Namespace) -> None:
    nothing_found = options.nothing_found or None
    print_record(options, client.finish_curation(options.curation, options.seen, nothing_found=nothing_found), CURATION)


def _list_formats(client: Client, options: Namespace) -> None:
    print_rows(options, client.list_digital_abstract_formats(), FORMATS)


def _download_one(client: Client, options: Namespace) -> None:
    target = client.download_digital_abstract(options.article, options.format, options.target)
    print_written_file(options, target)


def _download_all(client: Client, options: Namespace) -> None:
    target = client.download_digital_abstracts(options.format, options.target, **read_filters(options))
    print_written_file(options, target)
