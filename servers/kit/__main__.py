"""`python -m servers.kit check URL`: try an annotation server as the meta-server would, without the site.

Exit status: 0 when every rule holds; 1 when not; 2 for wrong usage.
"""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from annotations.kinds import Kind
from servers.kit.checking import Check, Target, check
from servers.kit.listening import Listener
from servers.kit.report import as_data, lines, write_results
from servers.kit.samples import SAMPLES, Sample, SampleError, read_samples

METHODS = {"bcms": "Annotator.getAnnotation", "rest": "POST", "pubannotation": "POST", "becalm": "getAnnotations"}
# Whoever runs the check decides what is asked, so that a server on the same machine or network is allowed.
NETWORKS = ("127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")


def parser() -> ArgumentParser:
    outer = ArgumentParser(prog="python -m servers.kit", description="For authors of annotation servers.")
    commands = outer.add_subparsers(dest="command", required=True, metavar="COMMAND")
    inner = commands.add_parser("check", help="ask a server for a few articles and judge its answers by every rule")
    add = inner.add_argument
    add("url", help="where the server answers")
    add("--protocol", choices=tuple(METHODS), default="bcms", help="what it speaks (default: bcms, XML-RPC)")
    add("--method", metavar="NAME", help="method of XML-RPC, or GET or POST of pubannotation (default: the usual one)")
    add("--send", choices=("pmid", "text", "struct"), default="struct", help="what is sent of an article")
    add("--articles", metavar="FILE", help="articles of your own, one JSON object a line (default: three samples)")
    add("--kinds", metavar="KIND,...", help=f"what it returns, of {', '.join(Kind)} (default: all)")
    add("--time-limit", type=float, default=600.0, metavar="S", help="seconds for an article (default: 600)")
    add("--key", default="", help="the key that becalm servers expect")
    add("--listen", type=int, default=0, metavar="PORT", help="where becalm servers call back (default: any free port)")
    add("--results", metavar="FOLDER", help="write the answers as result files for python -m evaluation")
    add("--json", action="store_true", help="write the report as JSON")
    return outer


def main(arguments: Sequence[str] | None = None) -> int:
    """Check a server; the exit status. SystemExit for wrong usage."""
    outer = parser()
    options = outer.parse_args(arguments)
    try:
        samples, kinds = samples_of(options), kinds_of(options)
    except (OSError, ValueError) as error:
        outer.error(str(error))
    checks = run(options, samples, kinds)
    print(json.dumps(as_data(checks), indent=2) if options.json else "\n".join(lines(checks)))
    if options.results:
        for path in write_results(checks, Path(options.results)):
            print(f"written: {path}", file=sys.stderr)
    return 0 if all(each.passed for each in checks) else 1


def samples_of(options: Namespace) -> Sequence[Sample]:
    if options.articles is None:
        return SAMPLES
    with Path(options.articles).open(encoding="utf-8") as stream:
        samples = read_samples(stream)
    if not samples:
        raise SampleError(f"{options.articles} has no article: write one JSON object a line.")
    return samples


def kinds_of(options: Namespace) -> tuple[Kind, ...]:
    """The kinds named, all when none is. ValueError for a word that is none."""
    if options.kinds is None:
        return tuple(Kind)
    words = [word.strip() for word in options.kinds.split(",")]
    if strange := [word for word in words if word not in set(Kind)]:
        raise ValueError(f"There is no kind {strange[0]!r}; the kinds are {', '.join(Kind)}.")
    return tuple(Kind(word) for word in words)


def run(options: Namespace, samples: Sequence[Sample], kinds: tuple[Kind, ...]) -> list[Check]:
    with ExitStack() as stack:
        listener = stack.enter_context(Listener(options.listen)) if options.protocol == "becalm" else None
        if listener is not None:
            print(f"Waiting for call-backs at {listener.url}JSON (or TSV, BIOC)", file=sys.stderr, flush=True)
        target = Target(
            url=options.url,
            protocol=options.protocol,
            method=options.method or METHODS[options.protocol],
            send=options.send,
            kinds=kinds,
            time_limit=options.time_limit,
            networks=NETWORKS,
            key=options.key,
            wait_for_callback=listener.wait_for if listener else None,
        )
        return [check(target, sample, number) for number, sample in enumerate(samples, 1)]


if __name__ == "__main__":
    sys.exit(main())
