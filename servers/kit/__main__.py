"""`python -m servers.kit check URL`: check an annotation server as the meta-server would call it, without the site.

Exit status: 0 when the answers break no rule, 1 otherwise, 2 for wrong usage.
"""

import json
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

from annotations.schema import SEVEN_KINDS, Kind
from bcms.lib.http.message_signatures import parse_signing_key
from servers.calls.batches.batch_decisions import MOST_ARTICLES
from servers.kit.checks.callback_listener import CallbackListener
from servers.kit.checks.check_report import (
    build_report_data,
    iter_check_report_lines,
    iter_verdict_lines,
    write_result_file_per_task,
)
from servers.kit.checks.sample_articles import (
    SAMPLE_ARTICLES,
    SampleArticle,
    SampleError,
    find_other_sample,
    parse_sample_articles_refusing_duplicate_ids,
)
from servers.kit.checks.server_check import CheckTarget, ServerCheck, check_server_noting_failure
from servers.protocols.batches.support import explain_missing_batches

USUAL_METHODS = {"bcms": "Annotator.getAnnotation", "rest": "POST", "pubannotation": "POST", "becalm": "getAnnotations"}
# The user chooses the server, so private networks are allowed.
PRIVATE_NETWORKS = ("127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
LONGEST_TIME_LIMIT = 600.0


def build_parser() -> ArgumentParser:
    parser = ArgumentParser(prog="python -m servers.kit", description="Tools for authors of annotation servers.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    check = commands.add_parser(
        "check",
        help="send a server a few articles and check its answers against every rule",
        description="Send a server a few articles, as the meta-server would, and check its answers against every rule.",
        epilog="Exit status: 0 when the answers break no rule, 1 otherwise, 2 for wrong usage.",
    )
    add = check.add_argument
    add("url", help="URL of the server")
    add(
        "--protocol",
        choices=tuple(USUAL_METHODS),
        default="bcms",
        help="protocol of the server (default: bcms, XML-RPC)",
    )
    add("--method", metavar="NAME", help="XML-RPC method, or GET or POST for pubannotation (default: the usual one)")
    add(
        "--send",
        choices=("pmid", "text", "struct"),
        default="struct",
        help="parts of the article to send (default: struct, all of them)",
    )
    add("--articles", metavar="FILE", help="your own articles, one JSON object per line (default: three samples)")
    add("--kinds", metavar="KIND,...", help=f"kinds it returns, of {', '.join(Kind)} (default: the first seven)")
    add(
        "--types",
        metavar="TYPE,...",
        default="",
        help="entity types it returns, such as Gene,Disease (default: not sent)",
    )
    add(
        "--articles-per-request",
        type=parse_articles_per_request,
        default=1,
        metavar="N",
        help="articles that it takes in one request (default: 1); above 1, two are sent together, too",
    )
    _add_call_options(check)
    add("--results", metavar="FOLDER", help="write the answers as result files for python -m evaluation")
    add("--json", action="store_true", help="write the report as JSON")
    return parser


def _add_call_options(check: ArgumentParser) -> None:
    """How the server is called: limit, key, header, signature and call-backs."""
    add = check.add_argument
    add(
        "--time-limit",
        type=parse_time_limit_seconds,
        default=LONGEST_TIME_LIMIT,
        metavar="S",
        help="time limit for an article in seconds (default: 600)",
    )
    add("--key", default="", help="key that a becalm server expects")
    add(
        "--header",
        type=parse_header,
        metavar="NAME:VALUE",
        help='header that authenticates the calls, for example "Authorization: Bearer TOKEN"',
    )
    add(
        "--signing-secret",
        type=parse_signing_secret,
        metavar="SECRET",
        help="secret with which the calls are signed, whsec_...",
    )
    add(
        "--listen",
        type=int,
        default=0,
        metavar="PORT",
        help="port for call-backs of becalm servers (default: any free port)",
    )


def parse_header(text: str) -> tuple[str, str]:
    """The name and the value of a header. Raises ArgumentTypeError, which does not quote the value."""
    name, colon, value = text.partition(":")
    if not (colon and name.strip() and value.strip()):
        raise ArgumentTypeError('write a header as "NAME: VALUE".')
    return name.strip(), value.strip()


def parse_signing_secret(text: str) -> str:
    """The secret itself. Raises ArgumentTypeError, which does not quote it."""
    try:
        parse_signing_key(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None
    return text


def parse_articles_per_request(text: str) -> int:
    """A number from 1 to MOST_ARTICLES. Raises ArgumentTypeError."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= MOST_ARTICLES):
        raise ArgumentTypeError(f"{text!r} is not a whole number from 1 to {MOST_ARTICLES}.")
    return int(text)


def parse_time_limit_seconds(text: str) -> float:
    """Seconds, above 0 and at most LONGEST_TIME_LIMIT. Raises ArgumentTypeError."""
    try:
        value = float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds.") from None
    if not 0 < value <= LONGEST_TIME_LIMIT:
        raise ArgumentTypeError(f"{text} is not above 0 and at most {LONGEST_TIME_LIMIT:g} s.")
    return value


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status. Raises SystemExit for wrong usage."""
    parser = build_parser()
    options = parser.parse_args(arguments)
    try:
        samples, kinds, method = (
            read_articles_file_or_default_samples(options),
            parse_given_kinds_or_first_seven(options),
            get_given_or_usual_method(options),
        )
        check_that_server_can_take_batches(options, method)
        if options.results:
            Path(options.results).mkdir(parents=True, exist_ok=True)
        listener = open_callback_listener_and_print_url(options, samples) if options.protocol == "becalm" else None
    except (OSError, ValueError) as error:
        parser.error(str(error))
    with listener or nullcontext():
        checks = print_checks(
            options, iter_server_checks(build_check_target(options, kinds, method, listener), samples)
        )
    if options.results:
        for path in write_result_file_per_task(checks, Path(options.results)):
            print(f"written: {path}", file=sys.stderr)
    return 0 if all(each.passed for each in checks) else 1


def read_articles_file_or_default_samples(options: Namespace) -> Sequence[SampleArticle]:
    """The articles to send. Raises OSError, or SampleError with the name of the file."""
    if options.articles is None:
        return SAMPLE_ARTICLES
    with Path(options.articles).open(encoding="utf-8-sig") as stream:
        try:
            return parse_sample_articles_refusing_duplicate_ids(stream)
        except UnicodeDecodeError as error:
            raise SampleError(
                f"{options.articles}: byte {error.start + 1} is not UTF-8: save the file in UTF-8."
            ) from error
        except SampleError as error:
            raise SampleError(f"{options.articles}: {error}.") from error


def parse_given_kinds_or_first_seven(options: Namespace) -> tuple[Kind, ...]:
    """The kinds in --kinds, the first seven by default. Raises ValueError for an unknown kind."""
    if options.kinds is None:
        return SEVEN_KINDS
    names = list(dict.fromkeys(name.strip() for name in options.kinds.split(",")))
    if unknown := [name for name in names if name not in set(Kind)]:
        raise ValueError(f"There is no kind {unknown[0]!r}; the kinds are {', '.join(Kind)}.")
    return tuple(Kind(name) for name in names)


def get_given_or_usual_method(options: Namespace) -> str:
    """The method in --method, or the protocol's usual one. Raises ValueError when the protocol does not have it."""
    method = options.method or USUAL_METHODS[options.protocol]
    if options.protocol == "pubannotation" and method.upper() not in ("GET", "POST"):
        raise ValueError(f"The method of pubannotation is GET or POST, not {method!r}.")
    return method


def check_that_server_can_take_batches(options: Namespace, method: str) -> None:
    """Raises ValueError when --articles-per-request is above 1 and the protocol has one article in a request."""
    reason = explain_missing_batches(options.protocol, options.url, method, options.send)
    if options.articles_per_request > 1 and reason:
        raise ValueError(f"--articles-per-request {options.articles_per_request}: {reason}")


def open_callback_listener_and_print_url(options: Namespace, samples: Sequence[SampleArticle]) -> CallbackListener:
    """Listen for the server's call-backs. Raises ValueError when the port is not available."""
    try:
        listener = CallbackListener(list_documents_by_communication_id(samples), options.listen)
    except (OSError, OverflowError) as error:
        raise ValueError(f"Cannot listen for call-backs on port {options.listen} ({error}): choose another.") from error
    print(f"Waiting for call-backs at {listener.url}JSON (or TSV, BIOC)", file=sys.stderr, flush=True)
    return listener


def list_documents_by_communication_id(samples: Sequence[SampleArticle]) -> dict[int, list[str]]:
    """The articles of all requests: each sample alone, then each together with another one."""
    alone = {number: [sample.identifier] for number, sample in enumerate(samples, 1)}
    pairs = enumerate(samples, len(samples) + 1)
    return alone | {number: [each.identifier, find_other_sample(each).identifier] for number, each in pairs}


def build_check_target(
    options: Namespace, kinds: tuple[Kind, ...], method: str, listener: CallbackListener | None
) -> CheckTarget:
    return CheckTarget(
        url=options.url,
        protocol=options.protocol,
        method=method,
        send=options.send,
        kinds=kinds,
        entity_types=tuple(filter(None, (name.strip() for name in options.types.split(",")))),
        time_limit=options.time_limit,
        networks=PRIVATE_NETWORKS,
        key=options.key,
        wait_for_callback=listener.await_callback if listener else None,
        secret_headers=dict([options.header]) if options.header else {},
        signing_secret=options.signing_secret or "",
        articles_per_request=options.articles_per_request,
    )


def iter_server_checks(target: CheckTarget, samples: Sequence[SampleArticle]) -> Iterator[ServerCheck]:
    return (
        check_server_noting_failure(target, sample, number, len(samples) + number)
        for number, sample in enumerate(samples, 1)
    )


def print_checks(options: Namespace, checks: Iterator[ServerCheck]) -> list[ServerCheck]:
    """Print and return the checks: each one as it ends, or all together as JSON."""
    if options.json:
        finished = list(checks)
        print(json.dumps(build_report_data(finished), indent=2))
        return finished
    finished = []
    for each in checks:
        finished.append(each)
        print(*iter_check_report_lines(each), "", sep="\n", flush=True)
    print(*iter_verdict_lines(finished), sep="\n")
    return finished


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader of the report closed the pipe; stop Python from flushing the rest at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
