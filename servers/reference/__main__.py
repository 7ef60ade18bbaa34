"""Start one reference annotator as an annotation server: python -m servers.reference species --port 9101"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias
from xmlrpc.client import Fault

import annotations
from annotations.kinds import Finding
from servers.kit.articles import KitArticle
from servers.kit.serving import Annotate, serve
from servers.reference import mentions
from servers.reference.genes import GeneDictionary, GeneNames
from servers.reference.keyword import KeywordClassifier
from servers.reference.species import SpeciesDictionary, read_species

Load = Callable[[argparse.Namespace], Annotate]
Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
SPECIES = Path(annotations.__file__).with_name("registry") / "species.tsv"


def main(arguments: Sequence[str] | None = None) -> None:
    """Load what the annotator needs and serve it. Data that cannot be read end it with a sentence and status 1."""
    options = parser().parse_args(arguments)
    try:
        annotate = options.load(options)
    except (OSError, ValueError) as error:
        sys.exit(f"The annotator {options.annotator} cannot start: {error}")
    serve(
        with_text(annotate),
        port=options.port,
        host=options.host,
        delay=options.delay,
        failure_rate=options.failure_rate,
        seed=options.seed,
    )


def parser() -> argparse.ArgumentParser:
    command = argparse.ArgumentParser(prog="python -m servers.reference", description=__doc__)
    annotators = command.add_subparsers(dest="annotator", required=True)
    add(annotators, "species", load_species, "organisms by a dictionary (TX)")
    add(annotators, "mentions", load_mentions, "gene and protein mentions by the shape of words (GM)")
    genes = add(annotators, "genes", load_genes, "gene mentions by a dictionary, normalized (GM, GN)")
    genes.add_argument("--dictionary", type=Path, required=True, help="HGNC's table of human genes")
    genes.add_argument("--mouse", type=Path, help="MGI's table of mouse genes")
    genes.add_argument("--rat", type=Path, help="RGD's table of rat genes")
    ppi = add(annotators, "ppi", load_bayes, "interaction articles by naive Bayes (ACT)")
    ppi.add_argument("--training", type=Path, required=True, help="JSON lines of id, title, abstract, relevant")
    keyword = add(annotators, "keyword", load_keyword, "interaction articles by one word (ACT)")
    keyword.add_argument("--word", required=True, help="how a word must begin, e.g. interact")
    return command


def add(annotators: Subparsers, name: str, load: Load, purpose: str) -> argparse.ArgumentParser:
    """One annotator's subcommand, with the options that all share."""
    command = annotators.add_parser(name, help=purpose, description=purpose)
    command.set_defaults(load=load)
    command.add_argument("--port", type=int, required=True, help="0 takes any free port and prints it")
    command.add_argument("--host", default="127.0.0.1")
    command.add_argument("--delay", type=float, default=0.0, help="seconds added to each answer")
    command.add_argument("--failure-rate", type=share, default=0.0, help="share of calls, 0 to 1, that fail on purpose")
    command.add_argument("--seed", type=int, default=0, help="which calls fail, and how")
    return command


def share(given: str) -> float:
    value = float(given)
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{given} is not between 0 and 1.")
    return value


def with_text(annotate: Annotate) -> Annotate:
    """These annotators fetch nothing: one who sends a PMID alone is told to send the text."""

    def annotate_text(article: KitArticle) -> list[Finding]:
        if not article.text.strip():
            raise Fault(3, "This server needs the article's text; register it to be sent a struct or the plain text.")
        return list(annotate(article))

    return annotate_text


def load_species(_: argparse.Namespace) -> Annotate:
    return species_dictionary().annotate


def species_dictionary() -> SpeciesDictionary:
    with SPECIES.open(encoding="utf-8", newline="") as lines:
        return SpeciesDictionary(read_species(lines))


def load_mentions(_: argparse.Namespace) -> Annotate:
    return mentions.annotate


def load_genes(options: argparse.Namespace) -> Annotate:
    names = GeneNames()
    with options.dictionary.open(encoding="utf-8", newline="") as lines:
        names.read_human(lines)
    for path, prefix in ((options.mouse, "MGI:"), (options.rat, "RGD:")):
        if path:
            with path.open(encoding="utf-8", newline="") as lines:
                names.read_orthologs(lines, prefix)
    return GeneDictionary(names, species_dictionary()).annotate


def load_bayes(options: argparse.Namespace) -> Annotate:
    from servers.reference.bayes import NaiveBayesClassifier, read_examples  # numpy, in the one process that needs it

    with options.training.open(encoding="utf-8") as lines:
        return NaiveBayesClassifier(read_examples(lines)).annotate


def load_keyword(options: argparse.Namespace) -> Annotate:
    return KeywordClassifier(options.word).annotate


if __name__ == "__main__":
    main()
