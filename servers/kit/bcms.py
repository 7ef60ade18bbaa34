#!/usr/bin/env python3
"""A client of the meta-server's API for participants, to be copied: Python 3.8 or newer and nothing else.

    python bcms.py login https://bcms.example.org          asks for a token from your account page and keeps it
    python bcms.py challenges list
    python bcms.py phases list CHALLENGE
    python bcms.py data download CHALLENGE PHASE --as bioc-xml -o articles.xml
    python bcms.py validate CHALLENGE PHASE TASK -f run.tsv
    python bcms.py submit CHALLENGE PHASE TASK -f run.tsv -m "With a new lexicon" --final
    python bcms.py submissions list CHALLENGE PHASE TASK
    python bcms.py leaderboard show CHALLENGE PHASE TASK
    python bcms.py leaderboard files CHALLENGE PHASE TASK RUN
    python bcms.py servers list

With --json or --csv output is for programs, with --quiet there is none. BCMS_URL and BCMS_TOKEN take the place of what
login keeps. Exit status: 0; 1 when the server refuses or cannot be reached, with all faults of a file on standard error
as FILE:LINE:COLUMN: RULE message; 2 for wrong usage. Asked to wait by a server it waits, and says so.
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

KEPT = Path(os.environ.get("BCMS_CONFIG") or Path.home() / ".config" / "bcms.json")
SECONDS, PATIENCE, EVERY = 120, 180, 1.0  # for an answer, for waiting as asked, and between two looks
DONE = ("taken", "refused", "failed")


class RefusedError(Exception):
    """What the server said no to: one sentence, and the faults of the file that it names."""

    def __init__(self, message, faults=()):
        super().__init__(message)
        self.faults = list(faults)


class NoRedirect(HTTPRedirectHandler):
    """The token goes to the address that it was given for and to no other."""

    def redirect_request(self, *_):
        return None


class Site:
    """The API of one meta-server; token may be empty for what everybody may read."""

    def __init__(self, url, token):
        self.root, self.token = url.rstrip("/") + "/api/v1/", token
        self.opener = build_opener(NoRedirect)

    def open(self, path, data=None, content_type="application/json", method=None):
        """The answer as an open stream. RefusedError when it is none."""
        headers = {"Accept": "application/json", "User-Agent": "bcms.py"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if data is not None:
            headers["Content-Type"] = content_type
        request, until = Request(self.root + path, data, headers, method=method), time.monotonic() + PATIENCE
        while True:
            try:
                return self.opener.open(request, timeout=SECONDS)
            except HTTPError as error:
                wait_or_raise(error, until)
            except (URLError, OSError) as error:
                reason = getattr(error, "reason", error)
                raise RefusedError(f"{self.root} cannot be reached ({reason}); check the address.") from None

    def ask(self, path, **options):
        """What the API says, as Python values."""
        with self.open(path, **options) as answer:
            return json.loads(answer.read() or b"null")

    def every(self, path):
        """All entries of a list that comes in pages."""
        entries, step = [], "&" if "?" in path else "?"
        page = self.ask(f"{path}{step}limit=1000")
        while True:
            entries += page["results"]
            if not page["next"]:
                return entries
            page = self.ask(path.split("?")[0] + "?" + urlsplit(page["next"]).query)

    def send_file(self, path, file, **fields):
        """Send a file as a form with these fields."""
        border = uuid.uuid4().hex
        parts = [(f'name="{name}"', str(value).encode()) for name, value in fields.items()]
        parts.append((f'name="file"; filename="{quote(file.name, safe=" ()+,;=@[]_-.")}"', file.read_bytes()))
        head = f"--{border}\r\nContent-Disposition: form-data; "
        body = b"".join(f"{head}{name}\r\n\r\n".encode() + content + b"\r\n" for name, content in parts)
        body += f"--{border}--\r\n".encode()
        return self.ask(path, data=body, content_type=f"multipart/form-data; boundary={border}")


def wait_or_raise(error, until):
    """Wait as a server asks for that was asked too often (RFC 6585, section 4); RefusedError if that is too late."""
    wait = error.headers.get("Retry-After", "")
    if error.code != 429 or not wait.isdecimal() or time.monotonic() + float(wait) > until:
        raise refused(error) from None
    print(f"The server was asked too often; asking again in {wait} s, as it says.", file=sys.stderr, flush=True)
    time.sleep(max(1, float(wait)))


def refused(error):
    """The problem that the server describes (RFC 9457), or its status where it describes none."""
    if 300 <= error.code < 400:
        return RefusedError(f"The server sends elsewhere ({error.headers.get('Location')}): log in with that address.")
    try:
        problem = json.loads(error.read())
        return RefusedError(problem["detail"], problem["errors"])
    except (ValueError, KeyError, TypeError):
        return RefusedError(f"The server answers {error.code} {error.reason}; try again later.")


def site(_):
    """The site that the user logged in to."""
    kept = json.loads(KEPT.read_text()) if KEPT.is_file() else {}
    url = os.environ.get("BCMS_URL") or kept.get("url")
    if not url:
        raise RefusedError("Log in first: python bcms.py login URL.")
    # The kept token is for the kept address only.
    own = kept.get("token", "") if url == kept.get("url") else ""
    return Site(url, os.environ.get("BCMS_TOKEN") or own)


def board(options):
    return f"challenges/{quote(options.challenge)}/{quote(options.phase)}/{quote(options.task)}/"


def show(options, rows, columns):
    """Rows (dicts) as a table for people, or whole as JSON, or these columns as CSV."""
    if options.json and not options.quiet:
        print(json.dumps(rows, indent=2))
    elif options.csv and not options.quiet:
        writer = csv.writer(sys.stdout)
        writer.writerow(columns)
        writer.writerows([harmless(value(row, name)) for name in columns] for row in rows)
    elif not options.quiet:
        lines = [columns, *([value(row, name) for name in columns] for row in rows)]
        widths = [max(len(line[place]) for line in lines) for place in range(len(columns))]
        for line in lines:
            print("  ".join(map(str.ljust, line, widths)).rstrip())


def value(row, name):
    """A cell: of "a.b" the b in the a, or in each of several."""
    for key in name.split("."):
        row = [own[key] for own in row] if isinstance(row, list) else (row or {}).get(key)
    if isinstance(row, list):
        return ",".join(map(str, row))
    if isinstance(row, float):
        return f"{row:.4f}"
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in ("" if row is None else str(row)))


def harmless(cell):
    """Names cannot become formulas in a spreadsheet."""
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@") else cell


def say(options, sentence):
    if not (options.quiet or options.json or options.csv):
        print(sentence)


def login(options):
    token = options.token or getpass.getpass("Token from your account page: ")
    teams = Site(options.url, token.strip()).every("teams/")
    KEPT.parent.mkdir(parents=True, exist_ok=True)
    KEPT.touch(0o600)
    KEPT.chmod(0o600)
    KEPT.write_text(json.dumps({"url": options.url, "token": token.strip()}))
    say(options, f"Logged in; your teams: {', '.join(team['slug'] for team in teams) or 'none'}.")


def listed(path, *columns):
    return lambda options: show(options, site(options).every(path), columns)


def phases_list(options):
    found = site(options).ask(f"challenges/{quote(options.challenge)}/")
    show(options, found["phases"], ["sort", "corpus", "opens", "closes", "published"])


def download(options, path, output):
    """Write what is there to a file, whole or not at all, or to standard output."""
    with site(options).open(path) as answer:
        if not output:
            return shutil.copyfileobj(answer, sys.stdout.buffer)
        beside = Path(f"{output}.part")
        with beside.open("wb") as file:
            shutil.copyfileobj(answer, file)
        return beside.replace(output)


def data_download(options):
    phase = f"challenges/{quote(options.challenge)}/phases/{quote(options.phase)}/"
    download(options, f"{phase}articles/?as={quote(options.format)}", options.output)


def leaderboard_files(options):
    """Write the files that the scores of a run are made from, and tell the commands that make them again."""
    found = site(options).ask(f"{board(options)}scores/{options.run}/")
    options.folder.mkdir(parents=True, exist_ok=True)
    for file in found["files"]:
        download(options, f"{board(options)}files/{quote(file['file'])}/", options.folder / Path(file["name"]).name)
    show(options, found["current"], ["scenario", "command"])


def fields(options, **more):
    return {name: value for name, value in {"team": options.team, **more}.items() if value}


def validate(options):
    found = site(options).send_file(f"{board(options)}runs/", options.file, check="true", **fields(options))
    tell_warnings(options, found)
    show(options, [found], ["results", "articles", "unknown", "note"])


def submit(options):
    own = site(options)
    more = fields(options, name=options.name, message=options.message)
    found = own.send_file(f"{board(options)}runs/", options.file, **more)
    while found["state"] not in DONE:
        time.sleep(EVERY)
        found = own.ask(f"uploads/{found['id']}/")
    if found["state"] != "taken":
        sentence = "The file was refused." if found["faults"] else "The server failed; upload the file again."
        raise RefusedError(sentence, [{**fault, "code": fault["rule"]} for fault in found["faults"]])
    tell_warnings(options, found)
    if options.final:
        own.ask(f"runs/{found['run']}/final/", data=b"{}")
    show(options, [found], ["run", "name", "state", "sha256"])


def tell_warnings(options, found):
    if options.quiet:
        return
    for own in found["warnings"]:
        print(f"{options.file}:{own['line']}:{own['column']}: {own['rule']} warning: {own['message']}", file=sys.stderr)
    if found["unknown"]:
        names = ", ".join(found["unknown_names"][:10])
        print(f"{options.file}: articles that the phase does not have: {found['unknown']}: {names}", file=sys.stderr)


def submissions_list(options):
    query = urlencode(fields(options))
    found = site(options).ask(f"{board(options)}runs/?{query}")
    show(options, found["uploads"], ["run", "name", "source", "received", "state", "final", "withdrawn"])
    say(options, f"{found['used']} of {found['most']} runs used; files tried: {found['tries']}")


def submissions_show(options):
    found = site(options).ask(f"runs/{options.run}/")
    score = found["score"] or {}
    rows = [{"measure": name, "figure": figure} for name, figure in score.get("figures", {}).items()]
    show(options, found if options.json else rows, ["measure", "figure"])
    if not score:
        say(options, "There is no score that you may see yet.")


def change(options, path, columns, method="POST"):
    show(options, [site(options).ask(path, data=b"{}", method=method)], columns)


def leaderboard_show(options):
    found = site(options).ask(board(options))
    columns = ["first_rank", "name", "team", "sort", *(f"figures.{own['name']}" for own in found["measures"])]
    show(options, found["rows"], columns)


def servers_register(options):
    given = dict(pair.partition("=")[::2] for pair in options.fields)
    body = json.dumps({**fields(options), **given, "kinds": given.get("kinds", "").split(",")}).encode()
    show(options, [site(options).ask("servers/", data=body)], ["slug", "name", "state"])


def servers_test(options):
    own = site(options)
    found = own.ask(f"servers/{quote(options.server)}/trials/", data=b"{}")
    while not found["finished"]:
        time.sleep(EVERY)
        found = own.ask(f"servers/{quote(options.server)}/trials/{found['id']}/")
    show(options, [found], ["good", "report.seconds", "report.stored", "report.failure.message"])
    if not found["good"]:
        rules = [{**rule, "loc": rule["where"]} for rule in found["report"]["broken_rules"]]
        raise RefusedError("The server's answer is not as it should be.", rules)


def servers_logs(options):
    found = site(options).ask(f"servers/{quote(options.server)}/attempts/?limit={options.limit}")
    show(options, found["results"], ["started", "article", "number", "outcome", "seconds", "diagnosis", "message"])


def existing(text):
    if not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"{text} is not a file")
    return Path(text)


def leaf(of, name, do, parents, arguments=(), meaning=""):
    """A verb; arguments: (its name or flags, what add_argument takes)."""
    own = of.add_parser(name, parents=parents, help=meaning)
    for flags, options in arguments:
        own.add_argument(*flags.split(), **options)
    own.set_defaults(do=do)


def nouns(verbs, noun, meaning):
    return verbs.add_parser(noun, help=meaning).add_subparsers(dest="action", required=True, metavar="VERB")


def parser():
    outer = argparse.ArgumentParser(prog="bcms.py", description="Take part in challenges of a BioCreative Meta-Server.")
    how, place, team = (argparse.ArgumentParser(add_help=False) for _ in range(3))
    for name, meaning in (("json", "all there is, as JSON"), ("csv", "as CSV"), ("quiet", "no output but faults")):
        how.add_argument(f"--{name}", action="store_true", help=meaning)
    for name in ("challenge", "phase", "task"):
        place.add_argument(name)
    team.add_argument("--team", help="slug of your team, if you are on several")
    verbs = outer.add_subparsers(dest="verb", required=True, metavar="VERB")
    given = [("url", {}), ("--token", {"help": "asked for when it is not given"})]
    leaf(verbs, "login", login, [how], given, "keep the address of the site and your token")
    add_runs(verbs, how, place, team)
    add_lists(verbs, how, place)
    add_servers(verbs, how, team)
    return outer


def add_runs(verbs, how, place, team):
    file = ("-f --file", {"type": existing, "required": True})
    leaf(verbs, "validate", validate, [how, place, team], [file], "check a run; nothing is stored")
    more = [
        ("-m --message", {"help": "for your team and the organizers"}),
        ("--name", {"help": "of the run (default: that of the file)"}),
        ("--final", {"action": "store_true", "help": "tag it as final"}),
    ]
    leaf(verbs, "submit", submit, [how, place, team], [file, *more], "upload a run, and wait for it")
    of_runs = nouns(verbs, "submissions", "the runs of your team")
    leaf(of_runs, "list", submissions_list, [how, place, team])
    run, columns = [("run", {"type": int})], ["id", "name", "final", "withdrawn"]
    leaf(of_runs, "show", submissions_show, [how], run)
    leaf(of_runs, "final", lambda own: change(own, f"runs/{own.run}/final/", columns), [how], run)
    leaf(of_runs, "not-final", lambda own: change(own, f"runs/{own.run}/final/", columns, "DELETE"), [how], run)
    leaf(of_runs, "withdraw", lambda own: change(own, f"runs/{own.run}/withdraw/", columns), [how], run)


def add_lists(verbs, how, place):
    output = ("-o --output", {"metavar": "FILE", "help": "default: standard output"})
    form = ("--as", {"dest": "format", "default": "tsv", "help": "tsv, jsonl, bioc-xml, bioc-json or pubtator"})
    every = listed("challenges/", "slug", "name", "tasks.name", "phases.sort")
    leaf(nouns(verbs, "challenges", "which there are"), "list", every, [how])
    leaf(nouns(verbs, "phases", "of a challenge"), "list", phases_list, [how], [("challenge", {})])
    articles = nouns(verbs, "data", "the articles of a phase")
    leaf(articles, "download", data_download, [how], [("challenge", {}), ("phase", {}), form, output])
    boards = nouns(verbs, "leaderboard", "of a task in a phase")
    leaf(boards, "show", leaderboard_show, [how, place])
    leaf(boards, "download", lambda own: download(own, board(own), own.output), [how, place], [output], "as JSON")
    given = [("run", {"type": int}), ("-o --folder", {"type": Path, "default": Path(), "help": "default: this one"})]
    leaf(boards, "files", leaderboard_files, [how, place], given, "what the scores of a run are made from, and how")


def add_servers(verbs, how, team):
    of_servers = nouns(verbs, "servers", "annotation servers")
    server: list = [("server", {})]
    columns = ["slug", "name", "state"]
    given = ("fields", {"nargs": "+", "metavar": "FIELD=VALUE"})
    leaf(of_servers, "list", listed("servers/", "slug", "name", "team.slug", "state", "kinds"), [how])
    leaf(of_servers, "register", servers_register, [how, team], [given], "name=... url=... kinds=mention,taxon")
    leaf(of_servers, "start", lambda own: change(own, f"servers/{quote(own.server)}/start/", columns), [how], server)
    leaf(of_servers, "stop", lambda own: change(own, f"servers/{quote(own.server)}/halt/", columns), [how], server)
    leaf(of_servers, "test", servers_test, [how], server, "send it one article now, and judge the answer")
    leaf(of_servers, "logs", servers_logs, [how], [*server, ("--limit", {"type": int, "default": 50})], "its tries")


def main(arguments=None):
    """Do what the command line says; the exit status."""
    options = parser().parse_args(arguments)
    try:
        options.do(options)
    except RefusedError as error:
        for fault in error.faults:
            where = f"{options.file}:{fault['line']}:{fault['column']}" if "line" in fault else fault.get("loc", "")
            print(f"{where}: {fault['code']} {fault['message']}", file=sys.stderr)
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
