"""bcms export."""

from argparse import Namespace

from bcms_client.client import Client
from bcms_client.commands.arguments import Verbs, add_filters, add_noun, add_verb, read_filters
from bcms_client.commands.output import print_rows, print_written_file

FORMATS = {
    "FORMAT": lambda each: each.slug,
    "NAME": lambda each: each.name,
    "LOSES": lambda each: each.loses,
}
CORPORA = {
    "CORPUS": lambda corpus: corpus.slug,
    "NAME": lambda corpus: corpus.name,
    "ARTICLES": lambda corpus: corpus.number_of_articles,
}


def add_export_commands(nouns: Verbs) -> None:
    verbs = add_noun(nouns, "export", "articles with their annotations as files")
    add_verb(verbs, "formats", _list_formats, "list the formats")
    add_verb(verbs, "corpora", _list_corpora, "list the corpora")
    add_verb(verbs, "article", _export_article, "write one article", "article", "format", "target")
    corpus = add_verb(verbs, "corpus", _export_corpus, "write the articles of a corpus", "corpus", "format", "target")
    search = add_verb(verbs, "search", _export_search, "write the articles that a search finds", "format", "target")
    for parser in (corpus, search):
        add_filters(parser)


def _list_formats(client: Client, options: Namespace) -> None:
    print_rows(options, client.list_export_formats(), FORMATS)


def _list_corpora(client: Client, options: Namespace) -> None:
    print_rows(options, client.list_corpora(), CORPORA)


def _export_article(client: Client, options: Namespace) -> None:
    target = client.export_article(options.article, options.format, options.target)
    print_written_file(options, target)


def _export_corpus(client: Client, options: Namespace) -> None:
    filters = {**read_filters(options), "corpus": options.corpus}
    target = client.export_articles(options.format, options.target, **filters)
    print_written_file(options, target)


def _export_search(client: Client, options: Namespace) -> None:
    target = client.export_articles(options.format, options.target, **read_filters(options))
    print_written_file(options, target)
