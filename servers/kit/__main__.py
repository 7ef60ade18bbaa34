"""`python -m servers.kit check URL`: try an annotation server as the meta-server would, without the site.

Exit status: 0 when every rule holds; 1 when not; 2 for wrong usage.
"""

import json
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path

from annotations.kinds import Kind
from servers.kit.checking import Check, Target, check
from servers.kit.listening import Listener
from servers.kit.report import as_data, lines_of, verdict, write_results
from servers.kit.samples import SAMPLES, Sample, SampleError, read_samples

METHODS = {"bcms": "Annotator.getAnnotation", "rest": "POST", "pubannotation": "POST", "becalm": "getAnnotations"}
# Whoever runs the check decides what is asked, so that a server on the same machine or network is allowed.
NETWORKS = ("127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
LONGEST = 600.0


def parser() -> ArgumentParser:
    outer = ArgumentParser(prog="python -m servers.kit", description="For authors of annotation servers.")
    commands = outer.add_subparsers(dest="command", required=True, metavar="COMMAND")
    inner = commands.add_parser(
        "check",
        help="ask a server for a few articles and judge its answers by every rule",
        description="Ask a server for a few articles, as the meta-server would, and judge its answers by every rule.",
        epilog="Exit status: 0 when every rule holds, 1 when not, 2 for wrong usage.",
    )
    add = inner.add_argument
    add("url", help="where the server answers")
    add("--protocol", choices=tuple(METHODS), default="bcms", help="what it speaks (default: bcms, XML-RPC)")
    add("--method", metavar="NAME", help="method of XML-RPC, or GET or POST of pubannotation (default: the usual one)")
    add("--send", choices=("pmid", "text", "struct"), default="struct", help="what is sent (default: struct, all)")
    add("--articles", metavar="FILE", help="articles of your own, one JSON object a line (default: three samples)")
    add("--kinds", metavar="KIND,...", help=f"what it returns, of {', '.join(Kind)} (default: all)")
    add("--time-limit", type=seconds, default=LONGEST, metavar="S", help="seconds for an article (default: 600)")
    add("--key", default="", help="the key that becalm servers expect")
    add("--listen", type=int, default=0, metavar="PORT", help="where becalm servers call back (default: any free port)")
    add("--results", metavar="FOLDER", help="write the answers as result files for python -m evaluation")
    add("--json", action="store_true", help="write the report as JSON")
    return outer


def seconds(given: str) -> float:
    value = float(given)
    if not 0 < value <= LONGEST:
        raise ArgumentTypeError(f"{given} is not more than 0 and at most {LONGEST:g}: no server has longer.")
    return value


def main(arguments: Sequence[str] | None = None) -> int:
    """Check a server; the exit status. SystemExit for wrong usage."""
    outer = parser()
    options = outer.parse_args(arguments)
    try:
        samples, kinds, method = samples_of(options), kinds_of(options), method_of(options)
        if options.results:
            Path(options.results).mkdir(parents=True, exist_ok=True)
        listener = listener_of(options, samples) if options.protocol == "becalm" else None
    except (OSError, ValueError) as error:
        outer.error(str(error))
    with listener or nullcontext():
        checks = told(options, check_all(target_of(options, kinds, method, listener), samples))
    if options.results:
        for path in write_results(checks, Path(options.results)):
            print(f"written: {path}", file=sys.stderr)
    return 0 if all(each.passed for each in checks) else 1


def samples_of(options: Namespace) -> Sequence[Sample]:
    """The articles to send. OSError or SampleError, with the name of the file."""
    if options.articles is None:
        return SAMPLES
    with Path(options.articles).open(encoding="utf-8-sig") as stream:
        try:
            return read_samples(stream)
        except UnicodeDecodeError as error:
            raise SampleError(f"{options.articles}: byte {error.start + 1} is not UTF-8: save it in UTF-8.") from error
        except SampleError as error:
            raise SampleError(f"{options.articles}: {error}.") from error


def kinds_of(options: Namespace) -> tuple[Kind, ...]:
    """The kinds named, all when none is. ValueError for a word that is none."""
    if options.kinds is None:
        return tuple(Kind)
    words = list(dict.fromkeys(word.strip() for word in options.kinds.split(",")))
    if strange := [word for word in words if word not in set(Kind)]:
        raise ValueError(f"There is no kind {strange[0]!r}; the kinds are {', '.join(Kind)}.")
    return tuple(Kind(word) for word in words)


def method_of(options: Namespace) -> str:
    """The method named, or the usual one. ValueError for one that the protocol has not."""
    method = options.method or METHODS[options.protocol]
    if options.protocol == "pubannotation" and method.upper() not in ("GET", "POST"):
        raise ValueError(f"The method of pubannotation is GET or POST, not {method!r}.")
    return method


def listener_of(options: Namespace, samples: Sequence[Sample]) -> Listener:
    """Where the server calls back. ValueError when the port cannot be had."""
    try:
        listener = Listener({number: sample.identifier for number, sample in enumerate(samples, 1)}, options.listen)
    except (OSError, OverflowError) as error:
        raise ValueError(f"Nobody can call back at port {options.listen} ({error}): choose another.") from error
    print(f"Waiting for call-backs at {listener.url}JSON (or TSV, BIOC)", file=sys.stderr, flush=True)
    return listener


def target_of(options: Namespace, kinds: tuple[Kind, ...], method: str, listener: Listener | None) -> Target:
    return Target(
        url=options.url,
        protocol=options.protocol,
        method=method,
        send=options.send,
        kinds=kinds,
        time_limit=options.time_limit,
        networks=NETWORKS,
        key=options.key,
        wait_for_callback=listener.wait_for if listener else None,
    )


def check_all(target: Target, samples: Sequence[Sample]) -> Iterator[Check]:
    return (check(target, sample, number) for number, sample in enumerate(samples, 1))


def told(options: Namespace, checks: Iterator[Check]) -> list[Check]:
    """All checks; people are told of each as soon as it is there, programs of all together."""
    if options.json:
        done = list(checks)
        print(json.dumps(as_data(done), indent=2))
        return done
    done = []
    for each in checks:
        done.append(each)
        print(*lines_of(each), "", sep="\n", flush=True)
    print(*verdict(done), sep="\n")
    return done


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read the report has enough of it; Python must not try to write the rest as it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
