#!/usr/bin/env python3
"""A command-line client of the meta-server's API for participants: copy this one file. It needs Python 3.8 or newer.

    python bcms.py login https://bcms.example.org          asks for a token from your account page and stores it
    python bcms.py challenges list
    python bcms.py phases list CHALLENGE
    python bcms.py data download CHALLENGE PHASE --as bioc-xml -o articles.xml
    python bcms.py validate CHALLENGE PHASE TASK -f run.tsv
    python bcms.py submit CHALLENGE PHASE TASK -f run.tsv -m "With a new lexicon" --final
    python bcms.py submissions list CHALLENGE PHASE TASK
    python bcms.py leaderboard show CHALLENGE PHASE TASK
    python bcms.py leaderboard files CHALLENGE PHASE TASK RUN
    python bcms.py servers list

--json and --csv write output for programs, --quiet writes none. BCMS_URL and BCMS_TOKEN override what login stored.
Exit status: 0 for success; 1 when the server cannot be reached or rejects the request, with every error in a file on
standard error as FILE:LINE:COLUMN: RULE message; 2 for wrong usage. When the server asks to wait, the client waits.
"""

import argparse
import csv
import getpass
import json
import os
import shutil
import sys
import time
import uuid
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

CONFIG_FILE = Path(os.environ.get("BCMS_CONFIG") or Path.home() / ".config" / "bcms.json")
TIMEOUT, MAX_WAIT, POLL_INTERVAL = 120, 180, 1.0  # seconds; MAX_WAIT limits the waiting that the server asks for
FINAL_STATES = ("taken", "refused", "failed")
TASK_PATH = "challenges/{challenge}/{phase}/{task}/"
RUNS_PATH = f"{TASK_PATH}runs/"


class RequestError(Exception):
    """Why the server did not do it: one sentence, and the errors in the file that was sent."""

    def __init__(self, message, faults=()):
        super().__init__(message)
        self.faults = list(faults)


class NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_):
        """Return None, so that the token goes only to the address that it was given for."""


class ApiClient:
    """The API of one meta-server; token may be empty for what everybody may read."""

    def __init__(self, url, token):
        self.root, self.token = url.rstrip("/") + "/api/v1/", token
        self.opener = build_opener(NoRedirect)

    def open(self, path, data=None, content_type="application/json", method=None):
        """The successful answer as an open stream. Raises RequestError for any other."""
        headers = {"Accept": "application/json", "User-Agent": "bcms.py"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if data is not None:
            headers["Content-Type"] = content_type
        request, deadline = Request(self.root + path, data, headers, method=method), time.monotonic() + MAX_WAIT
        while True:
            try:
                return self.opener.open(request, timeout=TIMEOUT)
            except HTTPError as error:
                _wait_or_raise(error, deadline)
            except (URLError, OSError) as error:
                reason = getattr(error, "reason", error)
                raise RequestError(f"{self.root} cannot be reached ({reason}); check the address.") from None

    def call(self, path, **options):
        """The decoded JSON of an answer, None for an empty one; options as in open."""
        with self.open(path, **options) as answer:
            return json.loads(answer.read() or b"null")

    def list_all(self, path):
        """All entries of a paged list."""
        page = self.call(f"{path}?limit=1000")
        entries = page["results"]
        while page["next"]:
            page = self.call(f"{path}?{urlsplit(page['next']).query}")
            entries += page["results"]
        return entries

    def send_file(self, path, file, **fields):
        """Send a file as multipart/form-data with these fields."""
        boundary = uuid.uuid4().hex
        parts = [(f'name="{name}"', str(value).encode()) for name, value in fields.items()]
        parts.append((f'name="file"; filename="{quote(file.name, safe=" ()+,;=@[]_-.")}"', file.read_bytes()))
        head = f"--{boundary}\r\nContent-Disposition: form-data; "
        body = b"".join(f"{head}{name}\r\n\r\n".encode() + content + b"\r\n" for name, content in parts)
        body += f"--{boundary}--\r\n".encode()
        return self.call(path, data=body, content_type=f"multipart/form-data; boundary={boundary}")


def _wait_or_raise(error, deadline):
    """Wait if the server asks for it (status 429 with Retry-After); RequestError for other errors and longer waits."""
    wait = error.headers.get("Retry-After", "")
    if error.code != 429 or not wait.isdecimal() or time.monotonic() + float(wait) > deadline:
        raise _make_error(error) from None
    print(f"Too many requests; trying again in {wait} s, as the server asks.", file=sys.stderr, flush=True)
    time.sleep(max(1, float(wait)))


def _make_error(error):
    """The RequestError for an HTTPError: the problem details of the answer (RFC 9457), else its status."""
    if 300 <= error.code < 400:
        return RequestError(f"The server redirects to {error.headers.get('Location')}: log in with that address.")
    try:
        problem = json.loads(error.read())
        return RequestError(problem["detail"], problem["errors"])
    except (ValueError, KeyError, TypeError):
        return RequestError(f"The server answered {error.code} {error.reason}; try again later.")


def _load_client():
    """The client for the meta-server that the user logged in to."""
    login = json.loads(CONFIG_FILE.read_text()) if CONFIG_FILE.is_file() else {}
    url = os.environ.get("BCMS_URL") or login.get("url")
    if not url:
        raise RequestError("Log in first: python bcms.py login URL.")
    # The stored token is sent to the stored address only.
    token = login.get("token", "") if url == login.get("url") else ""
    return ApiClient(url, os.environ.get("BCMS_TOKEN") or token)


def _fill_path(path, options):
    """The path with each {NAME} replaced by the argument of that name."""
    return path.format(**{name: quote(str(value)) for name, value in vars(options).items()})


def _print_rows(options, rows, columns):
    """Print rows (dicts) as a table for people, these columns as CSV, or everything as JSON."""
    if options.json and not options.quiet:
        print(json.dumps(rows, indent=2))
    elif options.csv and not options.quiet:
        writer = csv.writer(sys.stdout)
        writer.writerow(columns)
        writer.writerows([_escape_formula(_format_cell(row, name)) for name in columns] for row in rows)
    elif not options.quiet:
        lines = [columns, *([_format_cell(row, name) for name in columns] for row in rows)]
        widths = [max(len(line[column]) for line in lines) for column in range(len(columns))]
        for line in lines:
            print("  ".join(map(str.ljust, line, widths)).rstrip())


def _format_cell(row, name):
    """One cell as text: "a.b" is field b of field a, or of each element when a is a list."""
    value = row
    for key in name.split("."):
        value = [element[key] for element in value] if isinstance(value, list) else (value or {}).get(key)
    if isinstance(value, list):
        return ",".join(map(str, value))
    if isinstance(value, float):
        return f"{value:.4f}"
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in ("" if value is None else str(value)))


def _escape_formula(cell):
    """The cell, quoted if a spreadsheet would run it as a formula."""
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@") else cell


def _print_sentence(options, sentence):
    if not (options.quiet or options.json or options.csv):
        print(sentence)


def _log_in(options):
    token = options.token or getpass.getpass("Token from your account page: ")
    teams = ApiClient(options.url, token.strip()).list_all("teams/")
    CONFIG_FILE.parent.mkdir(parents=True, exist_ok=True)
    CONFIG_FILE.touch(0o600)
    CONFIG_FILE.chmod(0o600)
    CONFIG_FILE.write_text(json.dumps({"url": options.url, "token": token.strip()}))
    _print_sentence(options, f"Logged in; your teams: {', '.join(team['slug'] for team in teams) or 'none'}.")


def _make_list_command(path, *columns):
    return lambda args: _print_rows(args, _load_client().list_all(path), columns)


def _make_show_command(path, key, *columns):
    return lambda args: _print_rows(args, _load_client().call(_fill_path(path, args))[key], columns)


def _download(path, output):
    """Write the answer to a file, which appears only when it is complete, or to standard output."""
    with _load_client().open(path) as answer:
        if not output:
            return shutil.copyfileobj(answer, sys.stdout.buffer)
        partial = Path(f"{output}.{os.urandom(8).hex()}.part")
        with partial.open("xb") as file:
            shutil.copyfileobj(answer, file)
        return partial.replace(output)


def _download_articles(options):
    _download(_fill_path("challenges/{challenge}/phases/{phase}/articles/?as={format}", options), options.output)


def _download_scores(options):
    """Write the files behind the scores of a run, and print the commands that compute the scores from them."""
    scores = _load_client().call(_fill_path(f"{TASK_PATH}scores/{{run}}/", options))
    options.folder.mkdir(parents=True, exist_ok=True)
    for file in scores["files"]:
        path = _fill_path(TASK_PATH, options) + f"files/{quote(file['file'])}/"
        _download(path, options.folder / Path(file["name"]).name)
    _print_rows(options, scores["current"], ["scenario", "command"])


def _fill_form(options, **fields):
    """The fields that are not empty, with the team and the wish to repair if they were given."""
    fields |= {"team": options.team, "repair": getattr(options, "repair", "")}
    return {name: value for name, value in fields.items() if value}


def _validate_run(options):
    report = _load_client().send_file(_fill_path(RUNS_PATH, options), options.file, **_fill_form(options, check="true"))
    _print_warnings(options, report)
    _print_rows(options, [report], ["results", "articles", "unknown", "note"])


def _submit_run(options):
    client, fields = _load_client(), _fill_form(options, name=options.name, message=options.message)
    upload = client.send_file(_fill_path(RUNS_PATH, options), options.file, **fields)
    while upload["state"] not in FINAL_STATES:
        time.sleep(POLL_INTERVAL)
        upload = client.call(f"uploads/{upload['id']}/")
    if upload["state"] != "taken":
        sentence = "The file was rejected." if upload["faults"] else "The server failed; upload the file again."
        raise RequestError(sentence, [{**fault, "code": fault["rule"]} for fault in upload["faults"]])
    _print_warnings(options, upload)
    if options.final:
        client.call(f"runs/{upload['run']}/final/", data=b"{}")
    _print_rows(options, [upload], ["run", "name", "state", "sha256"])


def _print_warnings(options, report):
    if options.quiet:
        return
    for note in report["warnings"]:
        line = f"{options.file}:{note['line']}:{note['column']}: {note['rule']} warning: {note['message']}"
        print(line, file=sys.stderr)
    if report["unknown"]:
        names = ", ".join(report["unknown_names"][:10])
        print(f"{options.file}: articles that are not in the phase: {report['unknown']}: {names}", file=sys.stderr)


def _list_submissions(options):
    query = urlencode(_fill_form(options))
    runs = _load_client().call(_fill_path(RUNS_PATH, options) + f"?{query}")
    _print_rows(options, runs["uploads"], ["run", "name", "source", "received", "state", "final", "withdrawn"])
    _print_sentence(options, f"{runs['used']} of {runs['most']} runs used; files tried: {runs['tries']}")


def _show_submission(options):
    run = _load_client().call(f"runs/{options.run}/")
    score = run["score"] or {}
    rows = [{"measure": name, "figure": figure} for name, figure in score.get("figures", {}).items()]
    _print_rows(options, run if options.json else rows, ["measure", "figure"])
    if not score:
        _print_sentence(options, "No score that you may see yet.")


def _make_change_command(path, *columns, method="POST"):
    return lambda o: _print_rows(o, [_load_client().call(_fill_path(path, o), data=b"{}", method=method)], columns)


def _show_leaderboard(options):
    board = _load_client().call(_fill_path(TASK_PATH, options))
    figures = [f"figures.{measure['name']}" for measure in board["measures"]]
    _print_rows(options, board["rows"], ["first_rank", "name", "team", "sort", *figures])


def _register_server(options):
    fields = dict(pair.partition("=")[::2] for pair in options.fields)
    body = json.dumps({**_fill_form(options), **fields, "kinds": fields.get("kinds", "").split(",")}).encode()
    _print_rows(options, [_load_client().call("servers/", data=body)], ["slug", "name", "state"])


def _test_server(options):
    client, path = _load_client(), _fill_path("servers/{server}/trials/", options)
    trial = client.call(path, data=b"{}")
    while not trial["finished"]:
        time.sleep(POLL_INTERVAL)
        trial = client.call(f"{path}{trial['id']}/")
    _print_rows(options, [trial], ["good", "report.seconds", "report.stored", "report.failure.message"])
    if not trial["good"]:
        rules = [{**rule, "loc": rule["where"]} for rule in trial["report"]["broken_rules"]]
        raise RequestError("The server failed the test.", rules)


def _parse_file_path(text):
    if not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"{text} is not a file")
    return Path(text)


def _add_verb(verbs, name, run, parents, arguments=(), help_text=""):
    """Add a command; arguments are pairs of its name or flags, separated by a space, and add_argument's options."""
    parser = verbs.add_parser(name, parents=parents, help=help_text)
    for flags, options in arguments:
        parser.add_argument(*flags.split(), **options)
    parser.set_defaults(run_command=run)


def _add_noun(nouns, name, help_text):
    return nouns.add_parser(name, help=help_text).add_subparsers(dest="action", required=True, metavar="VERB")


def _build_parser():
    parser = argparse.ArgumentParser(prog="bcms.py", description="Take part in challenges of a meta-server.")
    output, task, team = (argparse.ArgumentParser(add_help=False) for _ in range(3))
    for name, text in (("json", "everything, as JSON"), ("csv", "as CSV"), ("quiet", "print errors only")):
        output.add_argument(f"--{name}", action="store_true", help=text)
    for name in ("challenge", "phase", "task"):
        task.add_argument(name)
    team.add_argument("--team", help="slug of your team, if you are on several")
    nouns = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    login = [("url", {}), ("--token", {"help": "default: ask for it"})]
    _add_verb(nouns, "login", _log_in, [output], login, "store the site's address and your token")
    _add_run_verbs(nouns, output, task, team)
    _add_list_verbs(nouns, output, task)
    _add_server_verbs(nouns, output, team)
    return parser


def _add_run_verbs(nouns, output, task, team):
    repair = {"action": "store_const", "const": "true", "help": "repair BioCreative II XML; warnings tell each repair"}
    file = [("-f --file", {"type": _parse_file_path, "required": True}), ("--repair", repair)]
    _add_verb(nouns, "validate", _validate_run, [output, task, team], file, "check a run; nothing is stored")
    message = ("-m --message", {"help": "for your team and the organizers"})
    name = ("--name", {"help": "of the run (default: the file name)"})
    final = ("--final", {"action": "store_true", "help": "tag it as final"})
    _add_verb(nouns, "submit", _submit_run, [output, task, team], [*file, message, name, final], "upload and wait")
    verbs = _add_noun(nouns, "submissions", "the runs of your team")
    _add_verb(verbs, "list", _list_submissions, [output, task, team])
    run = [("run", {"type": int})]
    _add_verb(verbs, "show", _show_submission, [output], run)
    columns = ["id", "name", "final", "withdrawn"]
    _add_verb(verbs, "final", _make_change_command("runs/{run}/final/", *columns), [output], run)
    _add_verb(verbs, "not-final", _make_change_command("runs/{run}/final/", *columns, method="DELETE"), [output], run)
    _add_verb(verbs, "withdraw", _make_change_command("runs/{run}/withdraw/", *columns), [output], run)


def _add_list_verbs(nouns, output, task):
    target = ("-o --output", {"metavar": "FILE", "help": "default: standard output"})
    form = ("--as", {"dest": "format", "default": "tsv", "help": "tsv, jsonl, bioc-xml, bioc-json or pubtator"})
    challenges = _make_list_command("challenges/", "slug", "name", "tasks.name", "phases.sort")
    _add_verb(_add_noun(nouns, "challenges", "all challenges"), "list", challenges, [output])
    phases = _make_show_command("challenges/{challenge}/", "phases", "sort", "corpus", "opens", "closes", "published")
    _add_verb(_add_noun(nouns, "phases", "of a challenge"), "list", phases, [output], [("challenge", {})])
    articles = [("challenge", {}), ("phase", {}), form, target]
    _add_verb(_add_noun(nouns, "data", "the articles of a phase"), "download", _download_articles, [output], articles)
    verbs = _add_noun(nouns, "leaderboard", "of a task in a phase")
    _add_verb(verbs, "show", _show_leaderboard, [output, task])
    _add_verb(verbs, "download", lambda o: _download(_fill_path(TASK_PATH, o), o.output), [output, task], [target])
    run = [("run", {"type": int}), ("-o --folder", {"type": Path, "default": Path(), "help": "default: this folder"})]
    _add_verb(verbs, "files", _download_scores, [output, task], run, "the files and commands behind a run's scores")


def _add_server_verbs(nouns, output, team):
    verbs = _add_noun(nouns, "servers", "annotation servers")
    fields, server = [("fields", {"nargs": "+", "metavar": "FIELD=VALUE"})], [("server", {})]
    columns = ["slug", "name", "state"]
    _add_verb(verbs, "list", _make_list_command("servers/", "slug", "name", "team.slug", "state", "kinds"), [output])
    _add_verb(verbs, "register", _register_server, [output, team], fields, "name=... url=... kinds=mention,taxon")
    _add_verb(verbs, "start", _make_change_command("servers/{server}/start/", *columns), [output], server)
    _add_verb(verbs, "stop", _make_change_command("servers/{server}/halt/", *columns), [output], server)
    _add_verb(verbs, "test", _test_server, [output], server, "send it one article and check the answer")
    columns = ["started", "article", "number", "outcome", "seconds", "diagnosis", "message"]
    logs = _make_show_command("servers/{server}/attempts/?limit={limit}", "results", *columns)
    limit = ("--limit", {"type": int, "default": 50})
    _add_verb(verbs, "logs", logs, [output], [*server, limit], "its latest attempts")


def main(arguments=None):
    """Run the command line; returns the exit status."""
    options = _build_parser().parse_args(arguments)
    try:
        options.run_command(options)
    except RequestError as error:
        for fault in error.faults:
            where = f"{options.file}:{fault['line']}:{fault['column']}" if "line" in fault else fault.get("loc", "")
            print(f"{where}: {fault['code']} {fault['message']}", file=sys.stderr)
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
