"""Write the table of namespaces from the Bioregistry: `python tools/make_namespaces.py [FILE]`.

The table is annotations/identifiers/namespaces.tsv, which is checked in. Each row is a namespace: prefix, preferred
prefix, name, pattern of an identifier, URL with $1 for the identifier, what stands before identifiers in addition to
the prefix (its "banana": `CVCL_`), further spellings of the prefix, and further URLs without scheme and `www.`; the
last two are separated by spaces or `|`. Run it again when bioregistry in requirements-dev.txt changes.

Source: https://bioregistry.io; its data are in the public domain (CC0 1.0).
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

import bioregistry

TABLE = Path(__file__).resolve().parents[1] / "annotations" / "identifiers" / "namespaces.tsv"
COLUMNS = ("prefix", "preferred", "name", "pattern", "url", "banana", "spellings", "urls")
# The longest name of a database that annotations can have.
LONGEST_PREFIX = 32
# These patterns take cubic time with long identifiers.
SLOW_PATTERNS = {"gno", "mastodon", "ncbiprotein", "soybase", "tritrypdb"}
# Sites with a URL for every namespace; they are read without this table.
RESOLVERS = ("bioregistry.io/", "identifiers.org/", "n2t.net/", "bio2rdf.org/", "purl.obolibrary.org/obo/")
SEPARATORS = re.compile(r"[\s_-]+")
SCHEME = re.compile(r"https?://(?:www\.)?")


def fold_spelling(spelling):
    return SEPARATORS.sub("", spelling).lower()


def read_resources():
    """The namespaces of the registry by prefix; those in use come before deprecated ones."""
    resources = bioregistry.read_registry()
    prefixes = sorted(resources, key=lambda prefix: (resources[prefix].is_deprecated(), prefix))
    return {prefix: resources[prefix] for prefix in prefixes if len(prefix) <= LONGEST_PREFIX}


def list_spellings(prefix, resource):
    mapped = (resource.get_miriam_prefix(), resource.get_obofoundry_prefix(), resource.get_mapped_prefix("n2t"))
    return [prefix, resource.get_preferred_prefix() or prefix, *sorted(resource.get_synonyms()), *filter(None, mapped)]


def assign_spellings(resources):
    """{folded spelling: prefix}; each spelling belongs to one namespace, first of all to the one of that prefix."""
    owners = {fold_spelling(prefix): prefix for prefix in reversed(resources)}
    for prefix, resource in resources.items():
        for spelling in list_spellings(prefix, resource):
            owners.setdefault(fold_spelling(spelling), prefix)
    return owners


def assign_urls(resources):
    """{URL without scheme and www.: prefix} of the URLs without a query that belong to one namespace."""
    owners = defaultdict(set)
    for prefix, resource in resources.items():
        for url in resource.get_uri_formats():
            bare = SCHEME.sub("", url, count=1)
            if bare != url and bare.count("$1") == 1 and "?" not in bare and not bare.startswith(RESOLVERS):
                owners[bare].add(prefix)
    return {url: prefixes.pop() for url, prefixes in owners.items() if len(prefixes) == 1}


def find_web_url(resource):
    url = resource.get_default_format() or ""
    is_usable = SCHEME.match(url) and url.count("$1") == 1 and not resource.is_deprecated()
    return url if is_usable else ""


def format_rows(resources):
    spellings, urls = assign_spellings(resources), assign_urls(resources)
    spellings_by_prefix, urls_by_prefix = defaultdict(list), defaultdict(list)
    for spelling, prefix in sorted(spellings.items()):
        if spelling != fold_spelling(prefix):
            spellings_by_prefix[prefix].append(spelling)
    for url, prefix in sorted(urls.items()):
        urls_by_prefix[prefix].append(url)
    for prefix, resource in sorted(resources.items()):
        banana, web_url = resource.get_banana() or "", find_web_url(resource)
        other_urls = [url for url in urls_by_prefix[prefix] if url != SCHEME.sub("", web_url, count=1)]
        yield (
            prefix,
            resource.get_preferred_prefix() or prefix,
            resource.get_name() or prefix,
            "" if prefix in SLOW_PATTERNS else resource.get_pattern() or "",
            web_url,
            banana and banana + resource.get_banana_peel(),
            "|".join(spellings_by_prefix[prefix]),
            " ".join(other_urls),
        )


def main():
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else TABLE
    rows = [COLUMNS, *format_rows(read_resources())]
    lines = ["\t".join(" ".join(cell.split()) for cell in row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
