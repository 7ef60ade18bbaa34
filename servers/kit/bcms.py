#!/usr/bin/env python3
"""A command-line client of the meta-server's API for participants: copy this one file. It needs Python 3.8 or newer.

    python bcms.py login https://bcms.example.org          asks for a token from your account page and stores it
    python bcms.py data download CHALLENGE PHASE --as bioc-xml -o articles.xml
    python bcms.py submit CHALLENGE PHASE TASK -f run.tsv -m "With a new lexicon" --final
    python bcms.py leaderboard files CHALLENGE PHASE TASK RUN

--json and --csv write output for programs, --quiet writes none. BCMS_URL and BCMS_TOKEN override what login stored.
BCMS_TOKEN goes to BCMS_URL, or without it to the site of the login; the token of the login goes to its site only.
Exit status: 0 for success; 1 when the server cannot be reached or rejects the request, with every error in a file on
standard error as FILE:LINE:COLUMN: RULE message; 2 for wrong usage. When the server asks to wait, the client waits.
"""

import argparse
import csv
import getpass
import json
import os
import re
import sys
import time
from functools import cached_property
from http.client import HTTPException
from itertools import islice
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

CONFIG_FILE = Path(os.environ.get("BCMS_CONFIG") or Path.home() / ".config" / "bcms.json")
TIMEOUT, MAX_WAIT, POLL_INTERVAL = 120, 180, 1.0  # seconds; MAX_WAIT limits the waiting that the server asks for
PIECE_BYTES, MOST_PIECES, MOST_FAULTS = 1 << 16, 1024, 1000  # more than 64 MiB of JSON is cut, and invalid
TASK_PATH = "challenges/{challenge}/{phase}/{task}/"
RUNS_PATH = f"{TASK_PATH}runs/"
ARTICLES_PATH = "challenges/{challenge}/phases/{phase}/articles/?as={format}"
STRANGE_ANSWER = "The answer is not what the API describes. Is this a meta-server, and this file as new as it?"


class RequestError(Exception):
    """Why the server did not do it: one sentence, and perhaps a list of the errors in what was sent."""


class NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_):
        """Return None, so that the token goes only to the address that it was given for."""


class ApiClient:
    """The API of one meta-server; token may be empty for what everybody may read."""

    def __init__(self, url, token):
        self.url, self.token = check_url(url), token.strip()
        if not re.fullmatch("[!-~]*", self.token):
            raise RequestError("The token has characters that no token has; copy it from your account page once more.")
        # What is not encrypted stays on this machine: no proxy gets it.
        self.opener = build_opener(NoRedirect, *([] if self.url.startswith("https:") else [ProxyHandler({})]))

    def open(self, path, data=None, content_type="application/json", method=None):
        """The successful answer as an open stream. Raises RequestError for any other."""
        headers = {"Accept": "application/json", "User-Agent": "bcms.py"}
        headers.update({"Authorization": f"Bearer {self.token}"} if self.token else {})
        headers.update({"Content-Type": content_type} if data is not None else {})
        url, deadline = f"{self.url}/api/v1/{path}", time.monotonic() + MAX_WAIT
        while True:
            try:
                return self.opener.open(Request(url, data, headers, method=method), timeout=TIMEOUT)
            except HTTPError as error:
                wait = error.headers.get("Retry-After", "")
                if error.code != 429 or not wait.isdecimal() or time.monotonic() + float(wait) > deadline:
                    raise make_error(error) from None
                print_note(f"Too many requests; trying again in {wait} s, as the server asks.")
                time.sleep(max(1, float(wait)))
            except (OSError, HTTPException, ValueError) as error:
                reason = getattr(error, "reason", error)
                raise RequestError(f"{self.url} cannot be reached ({reason}); check the address.") from None

    def call(self, path, **options):
        """The decoded JSON of an answer, None for an empty one; options as in open."""
        with self.open(path, **options) as answer:
            return json.loads(b"".join(islice(iter_pieces(answer), MOST_PIECES)) or b"null")

    def list_all(self, path):
        """All entries of a paged list."""
        entries, query = [], "limit=1000"
        while query:
            page = self.call(f"{path}?{query}")
            entries, query = entries + page["results"], urlsplit(page["next"] or "").query
        return entries

    def send_file(self, path, file, **fields):
        """Send a file as multipart/form-data with these fields."""
        boundary = os.urandom(16).hex()
        parts = [(f'name="{name}"', str(value).encode()) for name, value in fields.items()]
        parts.append((f'name="file"; filename="{quote(file.name, safe=" ()+,;=@[]_-.")}"', file.read_bytes()))
        head = f"--{boundary}\r\nContent-Disposition: form-data; "
        body = b"".join(f"{head}{name}\r\n\r\n".encode() + content + b"\r\n" for name, content in parts)
        body += f"--{boundary}--\r\n".encode()
        return self.call(path, data=body, content_type=f"multipart/form-data; boundary={boundary}")


def iter_pieces(answer):
    """The body of an answer. Raises RequestError if the connection breaks off before its end."""
    try:
        yield from iter(lambda: answer.read(PIECE_BYTES), b"")
        if answer.length:
            raise HTTPException
    except (OSError, HTTPException):
        raise RequestError("The server broke off the connection; try again.") from None


def make_error(error):
    """The RequestError for an HTTPError: the problem details of the answer (RFC 9457), else its status."""
    if 300 <= error.code < 400:
        url = error.headers.get("Location", "").partition("?")[0]
        return RequestError(f"The server redirects to {url}. If that is the site, log in with its address.")
    try:
        problem = json.loads(b"".join(islice(iter_pieces(error), MOST_PIECES)))
        return RequestError(problem["detail"], [dict(fault) for fault in problem["errors"][:MOST_FAULTS]])
    except (RequestError, ValueError, KeyError, TypeError, RecursionError):
        return RequestError(f"The server answered {error.code}; try again later.")


def check_url(url):
    """The URL of a site without a slash at the end. Raises RequestError unless it is HTTPS, or HTTP on this machine."""
    parts = re.fullmatch(r"(https?)://([\w.-]+|\[[\da-fA-F:.]+\])(:\d+)?(/[^?#\s]*)?", url.strip())
    if not parts:
        raise RequestError("The address of the site cannot be used; write it like https://HOST.")
    if parts[1] == "http" and not re.fullmatch(r"localhost|127(\.\d+){3}|\[::1\]", parts[2]):
        raise RequestError(f"http://{parts[2]} would send the token unencrypted; use https://{parts[2]}.")
    return parts[0].rstrip("/")


def load_client():
    """The client for the meta-server that the user chose, with the token that was given for it."""
    url, token = os.environ.get("BCMS_URL"), os.environ.get("BCMS_TOKEN")
    stored_url, stored_token = ("", "") if url and token is not None else read_login()
    if not url and not stored_url:
        raise RequestError("Log in first: python bcms.py login URL.")
    url = check_url(url or stored_url)
    return ApiClient(url, (stored_token if url == stored_url else "") if token is None else token)


def read_login():
    """The address and token that login stored, empty if it has not. Raises RequestError if others can read them."""
    try:
        with CONFIG_FILE.open(encoding="utf-8") as file:
            if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
                raise RequestError(f"Others can read {CONFIG_FILE}, which holds a token: run chmod 600 {CONFIG_FILE}.")
            stored = json.load(file)
        return check_url(stored["url"]), f"{stored['token']}"
    except FileNotFoundError:
        return "", ""
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise RequestError(f"{CONFIG_FILE} cannot be read; log in again.") from None


def write_whole(target, pieces, mode=0o666):
    """Write a new file, of a name that nobody can know, which replaces the target when it is complete."""
    partial = Path(f"{target}.{os.urandom(8).hex()}.part")
    try:
        with open(partial, "xb", opener=lambda path, flags: os.open(path, flags, mode)) as file:
            file.writelines(pieces)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def format_cell(row, name):
    """One cell as text: "a.b" is field b of field a, or of each element when a is a list."""
    value = row
    for key in name.split("."):
        value = [element[key] for element in value] if isinstance(value, list) else (value or {}).get(key)
    value = f"{value:.4f}" if isinstance(value, float) else "" if value is None else value
    return clean(",".join(map(str, value)) if isinstance(value, list) else value)


def clean(text):
    """The text in one line, with a sign in place of each letter that could steer the terminal."""
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in str(text))


def print_note(text):
    print(clean(text), file=sys.stderr)


class Command(argparse.Namespace):
    """The arguments of a command, and a method for each command that is more than a request."""

    client = cached_property(lambda self: load_client())

    def fill_path(self, path):
        """The path with each {NAME} replaced by the argument of that name."""
        filled = path.format(**{name: quote(str(value), safe="") for name, value in vars(self).items()})
        if {"", ".", ".."}.intersection(filled.partition("?")[0].split("/")[:-1]):
            raise RequestError("A name is empty, “.” or “..”, which names nothing on the site.")
        return filled

    def fill_form(self, **fields):
        """The fields that are not empty, with the team and the wish to repair if they were given."""
        fields.update(team=self.team, repair=getattr(self, "repair", ""))
        return {name: value for name, value in fields.items() if value}

    def print_rows(self, rows, columns):
        """Print rows (dicts) as a table for people, these columns as CSV, or everything as JSON."""
        lines = [list(map(clean, columns)), *([format_cell(row, name) for name in columns] for row in rows)]
        if self.json and not self.quiet:
            print(json.dumps(rows, indent=2))
        elif self.csv and not self.quiet:
            # A spreadsheet would run a cell that begins with one of these signs as a formula.
            lines = [[f"'{cell}" if cell[:1] in (*"=+-@",) else cell for cell in line] for line in lines]
            csv.writer(sys.stdout).writerows(lines)
        elif not self.quiet:
            widths = [max(map(len, column)) for column in zip(*lines)]  # noqa: B905
            for line in lines:
                print("  ".join(map(str.ljust, line, widths)).rstrip())

    def print_sentence(self, sentence):
        if not (self.quiet or self.json or self.csv):
            print(clean(sentence))

    def print_warnings(self, report):
        for note in report["warnings"] if not self.quiet else ():
            print_note(f"{self.file}:{note['line']}:{note['column']}: {note['rule']} warning: {note['message']}")
        if report["unknown"] and not self.quiet:
            names = ", ".join(report["unknown_names"][:10])
            print_note(f"{self.file}: articles that are not in the phase: {report['unknown']}: {names}")

    def send_request(self):
        """Send the request of the command, and print these columns of what it lists, or has in this field."""
        method, path, *field = self.request.split()
        path = self.fill_path(path)
        if method == "FILE":
            return self.write_file(path, self.output)
        if method == "LIST":
            rows = self.client.list_all(path)
        else:
            rows = self.client.call(path)[field[0]] if field else [self.client.call(path, data=b"{}", method=method)]
        return self.print_rows(rows, self.columns)

    def write_file(self, path, output):
        """Write the answer to a file, which appears only when it is complete, or to standard output."""
        with self.client.open(path) as answer:
            if answer.status != 200 or answer.headers.get_content_type() == "text/html":
                raise RequestError(STRANGE_ANSWER)
            write_whole(output, iter_pieces(answer)) if output else sys.stdout.buffer.writelines(iter_pieces(answer))

    def write_score_files(self):
        """Write the files behind the scores of a run, and print the commands that compute the scores from them."""
        scores = self.client.call(self.fill_path(f"{TASK_PATH}scores/{{run}}/"))
        self.folder.mkdir(parents=True, exist_ok=True)
        for file in scores["files"]:
            # The server chooses the names, and must not choose those of programs or settings.
            if not re.fullmatch(r"\w[^/\\:]*\.(tsv|txt)", file["name"]):
                raise RequestError(f"The server names a file “{file['name']}”, which is not the name of a table.")
            path = self.fill_path(TASK_PATH) + f"files/{quote(file['file'], safe='')}/"
            self.write_file(path, self.folder / file["name"])
        self.print_rows(scores["current"], ["scenario", "command"])

    def validate(self):
        report = self.client.send_file(self.fill_path(RUNS_PATH), self.file, **self.fill_form(check="true"))
        self.print_warnings(report)
        self.print_rows([report], ["results", "articles", "unknown", "note"])

    def submit(self):
        form = self.fill_form(name=self.name, message=self.message)
        upload = self.client.send_file(self.fill_path(RUNS_PATH), self.file, **form)
        while upload["state"] not in ("taken", "refused", "failed"):
            time.sleep(POLL_INTERVAL)
            upload = self.client.call(f"uploads/{upload['id']}/")
        if upload["state"] != "taken":
            sentence = "The file was rejected." if upload["faults"] else "The server failed; upload the file again."
            raise RequestError(sentence, [{**fault, "code": fault["rule"]} for fault in upload["faults"]])
        self.print_warnings(upload)
        if self.final:
            self.client.call(f"runs/{upload['run']}/final/", data=b"{}")
        self.print_rows([upload], ["run", "name", "state", "sha256"])

    def list_submissions(self):
        runs = self.client.call(self.fill_path(RUNS_PATH) + f"?{urlencode(self.fill_form())}")
        self.print_rows(runs["uploads"], ["run", "name", "source", "received", "state", "final", "withdrawn"])
        self.print_sentence(f"{runs['used']} of {runs['most']} runs used; files tried: {runs['tries']}")

    def show_submission(self):
        run = self.client.call(f"runs/{self.run}/")
        figures = (run["score"] or {}).get("figures", {}).items()
        rows = [{"measure": name, "figure": figure} for name, figure in figures]
        self.print_rows(run if self.json else rows, ["measure", "figure"])
        if not run["score"]:
            self.print_sentence("No score that you may see yet.")

    def show_leaderboard(self):
        board = self.client.call(self.fill_path(TASK_PATH))
        figures = [f"figures.{measure['name']}" for measure in board["measures"]]
        self.print_rows(board["rows"], ["first_rank", "name", "team", "sort", *figures])

    def register_server(self):
        fields = dict(pair.partition("=")[::2] for pair in self.fields)
        body = json.dumps({**self.fill_form(), **fields, "kinds": fields.get("kinds", "").split(",")}).encode()
        self.print_rows([self.client.call("servers/", data=body)], ["slug", "name", "state"])

    def test_server(self):
        path = self.fill_path("servers/{server}/trials/")
        trial = self.client.call(path, data=b"{}")
        while not trial["finished"]:
            time.sleep(POLL_INTERVAL)
            trial = self.client.call(f"{path}{trial['id']}/")
        self.print_rows([trial], ["good", "report.seconds", "report.stored", "report.failure.message"])
        if not trial["good"]:
            rules = [{**rule, "loc": rule["where"]} for rule in trial["report"]["broken_rules"]]
            raise RequestError("The server failed the test.", rules)

    def log_in(self):
        client = ApiClient(self.url, self.token or getpass.getpass("Token from your account page: "))
        teams = [team["slug"] for team in client.list_all("teams/")]
        CONFIG_FILE.parent.mkdir(parents=True, exist_ok=True)
        write_whole(CONFIG_FILE, [json.dumps({"url": client.url, "token": client.token}).encode()], 0o600)
        self.print_sentence(f"Logged in; your teams: {', '.join(teams) or 'none'}.")


ARGUMENTS = {  # of argparse, by the flags
    **{flag: {"action": "store_true"} for flag in ("--json", "--csv", "--quiet", "--final")},
    "--team": {"help": "slug of your team, if you are on several"},
    "-f --file": {"type": Path, "required": True},
    "--repair": {"action": "store_const", "const": "true", "help": "BioCreative II XML; warnings tell each repair"},
    "run": {"type": int},
    "--as": {"dest": "format", "default": "tsv", "help": "tsv, jsonl, bioc-xml, bioc-json or pubtator"},
    "-o --folder": {"type": Path, "default": Path(), "help": "default: this folder"},
    "fields": {"nargs": "+", "metavar": "FIELD=VALUE", "help": "name=... url=... kinds=mention,taxon"},
    "--limit": {"type": int, "default": 50},
}
TASK, SERVER, RUN = "challenge, phase, task", "slug name state", "id name final withdrawn"
ATTEMPT = "started article number outcome seconds diagnosis message"
# What follows bcms.py, its arguments, and its method, or its request and the columns of the answer.
COMMANDS = (
    ("login", "url, --token", Command.log_in),
    ("validate", f"{TASK}, --team, -f --file, --repair", Command.validate),
    ("submit", f"{TASK}, --team, -f --file, --repair, -m --message, --name, --final", Command.submit),
    ("submissions list", f"{TASK}, --team", Command.list_submissions),
    ("submissions show", "run", Command.show_submission),
    ("submissions final", "run", "POST runs/{run}/final/", RUN),
    ("submissions not-final", "run", "DELETE runs/{run}/final/", RUN),
    ("submissions withdraw", "run", "POST runs/{run}/withdraw/", RUN),
    ("challenges list", "", "LIST challenges/", "slug name tasks.name phases.sort"),
    ("phases list", "challenge", "GET challenges/{challenge}/ phases", "sort corpus opens closes published"),
    ("data download", "challenge, phase, --as, -o --output", f"FILE {ARTICLES_PATH}"),
    ("leaderboard show", TASK, Command.show_leaderboard),
    ("leaderboard download", f"{TASK}, -o --output", f"FILE {TASK_PATH}"),
    ("leaderboard files", f"{TASK}, run, -o --folder", Command.write_score_files),
    ("servers list", "", "LIST servers/", "slug name team.slug state kinds"),
    ("servers register", "--team, fields", Command.register_server),
    ("servers start", "server", "POST servers/{server}/start/", SERVER),
    ("servers stop", "server", "POST servers/{server}/halt/", SERVER),
    ("servers test", "server", Command.test_server),
    ("servers logs", "server, --limit", "GET servers/{server}/attempts/?limit={limit} results", ATTEMPT),
)


def parse_command(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = {"": parser.add_subparsers(required=True, metavar="VERB")}
    for command, flags, request, *columns in COMMANDS:
        noun, _, verb = command.rpartition(" ")
        if noun not in verbs:
            group = verbs[""].add_parser(noun, help="-h lists what follows")
            verbs[noun] = group.add_subparsers(required=True, metavar="VERB")
        added = verbs[noun].add_parser(verb, help=flags)
        for each in filter(None, f"{flags}, --json, --csv, --quiet".split(", ")):
            added.add_argument(*each.split(), **ARGUMENTS.get(each, {}))
        added.set_defaults(request=request, columns="".join(columns).split())
    options = parser.parse_args(arguments, Command())
    if hasattr(options, "file") and not options.file.is_file():
        parser.error(f"{options.file} is not a file")
    return options


def main(arguments=None):
    """Run the command line; returns the exit status."""
    options = parse_command(arguments)
    sys.stdout.reconfigure(errors="replace")  # older encodings of terminals lack letters of names
    try:
        options.send_request() if isinstance(options.request, str) else options.request(options)
        return 0
    except RequestError as error:
        sentence, faults = (*error.args, ())[:2]
        for fault in faults:
            file = f"{getattr(options, 'file', '')}:{fault['line']}:{fault.get('column')}" if "line" in fault else ""
            print_note(f"{file or fault.get('loc', '')}: {fault.get('code')} {fault.get('message')}")
        print_note(sentence)
    except OSError as error:
        print_note(f"{error.filename or 'A file'}: {error.strerror or error}")
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
        print_note(STRANGE_ANSWER)
    except KeyboardInterrupt:
        return 130
    return 1


if __name__ == "__main__":
    sys.exit(main())
