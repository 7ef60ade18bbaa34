"""Start one reference annotator as an annotation server: python -m servers.reference species --port 9101"""

import argparse
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias
from xmlrpc.client import Fault

import annotations
from annotations.schema import AnnotationData
from servers.kit.articles import KitArticle
from servers.kit.handlers import Annotate
from servers.kit.serving import serve
from servers.reference import word_shapes
from servers.reference.gene_dictionary import GeneDictionary, GeneNameTable
from servers.reference.keyword_classifier import KeywordClassifier
from servers.reference.mesh_dictionary import TREE_BY_TYPE, MeshDictionary, iter_mesh_descriptors
from servers.reference.mesh_labels import MeshLabelDictionary
from servers.reference.relation_triggers import TriggeredRelations
from servers.reference.species_dictionary import SpeciesDictionary, parse_species_table

LoadAnnotator = Callable[[argparse.Namespace], Annotate]
Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
LABELS_HELP = "MeSH table of identifiers, labels, synonyms and tree numbers"
SPECIES = Path(annotations.__file__).parent / "identifiers" / "tables" / "species.tsv"


def main(arguments: Sequence[str] | None = None) -> None:
    """Load the annotator's data and serve it. Exits with a message and status 1 when the data cannot be read."""
    options = build_parser().parse_args(arguments)
    try:
        annotate = options.load(options)
    except (OSError, ValueError) as error:
        sys.exit(f"The annotator {options.annotator} cannot start: {error}")
    serve(
        _wrap_with_text_check(_wrap_with_title_choice(annotate) if options.title_only else annotate),
        port=options.port,
        host=options.host,
        delay=options.delay,
        failure_rate=options.failure_rate,
        seed=options.seed,
    )


def build_parser() -> argparse.ArgumentParser:
    command = argparse.ArgumentParser(prog="python -m servers.reference", description=__doc__)
    annotators = command.add_subparsers(dest="annotator", required=True)
    _add_annotator_command(annotators, "species", _load_species_annotator, "organisms, by a dictionary (TX)")
    _add_annotator_command(
        annotators, "mentions", _load_mentions_annotator, "gene and protein mentions, by the shape of words (GM)"
    )
    genes = _add_annotator_command(
        annotators, "genes", _load_genes_annotator, "gene mentions, by a dictionary, normalized (GM, GN)"
    )
    genes.add_argument("--dictionary", type=Path, required=True, help="HGNC table of human genes")
    genes.add_argument("--mouse", type=Path, help="MGI table of mouse genes")
    genes.add_argument("--rat", type=Path, help="RGD table of rat genes")
    ppi = _add_annotator_command(annotators, "ppi", _load_bayes_annotator, "interaction articles, by naive Bayes (ACT)")
    ppi.add_argument("--training", type=Path, required=True, help="JSON lines with id, title, abstract and relevant")
    keyword = _add_annotator_command(
        annotators, "keyword", _load_keyword_annotator, "interaction articles, by one keyword (ACT)"
    )
    keyword.add_argument("--word", required=True, help="beginning of the words to look for, such as interact")
    mesh = _add_annotator_command(
        annotators, "mesh", _load_mesh_annotator, "diseases and chemicals, by a dictionary of MeSH"
    )
    mesh.add_argument("--labels", type=Path, required=True, help=LABELS_HELP)
    mesh.add_argument("--type", action="append", required=True, choices=list(TREE_BY_TYPE), help="may be repeated")
    relations = _add_annotator_command(
        annotators,
        "relations",
        _load_relations_annotator,
        "relations of chemicals and diseases, by a list of words that indicate them",
    )
    relations.add_argument("--labels", type=Path, required=True, help=LABELS_HELP)
    labels = _add_annotator_command(
        annotators,
        "mesh-labels",
        _load_mesh_labels_annotator,
        "diseases, chemicals and their relations, by MeSH labels without synonyms and by explained abbreviations",
    )
    labels.add_argument("--labels", type=Path, required=True, help=LABELS_HELP)
    return command


def _add_annotator_command(
    annotators: Subparsers, name: str, load: LoadAnnotator, purpose: str
) -> argparse.ArgumentParser:
    """Add the subcommand of one annotator, with the options that all annotators share."""
    command = annotators.add_parser(name, help=purpose, description=purpose)
    command.set_defaults(load=load)
    command.add_argument(
        "--port", type=int, required=True, help="port to listen on; 0 takes any free port and prints it"
    )
    command.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    command.add_argument("--title-only", action="store_true", help="annotate the titles of articles alone")
    command.add_argument("--delay", type=float, default=0.0, help="seconds to wait before each answer")
    command.add_argument(
        "--failure-rate", type=_parse_failure_rate, default=0.0, help="share of calls, 0 to 1, that fail on purpose"
    )
    command.add_argument("--seed", type=int, default=0, help="random seed that determines which calls fail, and how")
    return command


def _parse_failure_rate(text: str) -> float:
    """A number from 0 to 1. Raises ArgumentTypeError for anything else."""
    try:
        rate = float(text)
    except ValueError:
        rate = -1.0
    if not 0.0 <= rate <= 1.0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1.")
    return rate


def _wrap_with_text_check(annotate: Annotate) -> Annotate:
    """Wrap an annotator so that a call without text gets a Fault, since these annotators fetch no articles."""

    def annotate_text(article: KitArticle) -> list[AnnotationData]:
        if not article.text.strip():
            raise Fault(3, "This server needs the article's text: register it to be sent the struct or the text.")
        return list(annotate(article))

    return annotate_text


def _wrap_with_title_choice(annotate: Annotate) -> Annotate:
    """Wrap an annotator so that it gets only the title, which is where the text begins."""

    def annotate_title(article: KitArticle) -> Iterable[AnnotationData]:
        return annotate(replace(article, abstract="", text=article.title))

    return annotate_title


def _load_species_annotator(_: argparse.Namespace) -> Annotate:
    return read_species_dictionary().annotate


def read_species_dictionary() -> SpeciesDictionary:
    with SPECIES.open(encoding="utf-8", newline="") as lines:
        return SpeciesDictionary(parse_species_table(lines))


def _load_mentions_annotator(_: argparse.Namespace) -> Annotate:
    return word_shapes.annotate_gene_mentions_by_word_shape


def _load_genes_annotator(options: argparse.Namespace) -> Annotate:
    names = GeneNameTable()
    with options.dictionary.open(encoding="utf-8", newline="") as lines:
        names.read_human(lines)
    for path, prefix in ((options.mouse, "MGI:"), (options.rat, "RGD:")):
        if path:
            with path.open(encoding="utf-8", newline="") as lines:
                names.read_orthologs(lines, prefix)
    return GeneDictionary(names, read_species_dictionary()).annotate


def _load_bayes_annotator(options: argparse.Namespace) -> Annotate:
    # Imported here, so that only the process that needs numpy loads it.
    from servers.reference.naive_bayes import NaiveBayesClassifier, parse_training_examples_refusing_small_classes

    with options.training.open(encoding="utf-8") as lines:
        return NaiveBayesClassifier(parse_training_examples_refusing_small_classes(lines)).annotate


def _load_keyword_annotator(options: argparse.Namespace) -> Annotate:
    return KeywordClassifier(options.word).annotate


def _load_mesh_annotator(options: argparse.Namespace) -> Annotate:
    return read_mesh_dictionary(options.labels, options.type).annotate


def _load_relations_annotator(options: argparse.Namespace) -> Annotate:
    return TriggeredRelations(read_mesh_dictionary(options.labels, list(TREE_BY_TYPE))).annotate


def _load_mesh_labels_annotator(options: argparse.Namespace) -> Annotate:
    dictionary = read_mesh_dictionary(options.labels, list(TREE_BY_TYPE), MeshLabelDictionary)
    relations = TriggeredRelations(dictionary, between=True)
    return lambda article: [*dictionary.annotate(article), *relations.annotate(article)]


def read_mesh_dictionary(
    path: Path, entity_types: Collection[str], make_dictionary: type[MeshDictionary] = MeshDictionary
) -> MeshDictionary:
    with path.open(encoding="utf-8", newline="") as lines:
        return make_dictionary(iter_mesh_descriptors(lines), entity_types)


if __name__ == "__main__":
    main()
