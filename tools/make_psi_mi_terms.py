"""Write the table of PSI-MI terms from the ontology: `python tools/make_psi_mi_terms.py PSI-MI.OBO [FILE]`.

The table is annotations/identifiers/psi_mi_terms.tsv, which is checked in. Each row is a term that is not obsolete and
is, or is below, a root in BRANCHES: its id, name, synonyms and parents (is_a), the last two separated by `|`. A parent
outside the branches is left out. Run it again with a newer psi-mi.obo, plain or gzipped.

Source: https://github.com/HUPO-PSI/psi-mi-CV (CC BY 4.0).
"""

import gzip
import re
import sys
from pathlib import Path

TABLE = Path(__file__).resolve().parents[1] / "annotations" / "identifiers" / "psi_mi_terms.tsv"
COLUMNS = ("id", "name", "synonyms", "parents")
# Detection methods, interaction types, interactor types, experimental roles and biological roles.
BRANCHES = ("MI:0001", "MI:0190", "MI:0313", "MI:0495", "MI:0500")
TAG = re.compile(r"(\w+): ?(.*)")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
ESCAPED = re.compile(r"\\(.)")


def read_terms(path):
    """{id: {tag: [values]}} of the terms that are not obsolete."""
    content = path.read_bytes()
    text = (gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content).decode("utf-8")
    terms = {}
    for stanza in text.split("\n[Term]\n")[1:]:
        values = {}
        for line in stanza.split("\n[", 1)[0].splitlines():
            if match := TAG.match(line):
                values.setdefault(match[1], []).append(match[2])
        if "true" not in values.get("is_obsolete", ()):
            terms[values["id"][0]] = values
    return terms


def list_parents(values):
    return [value.split(" !", 1)[0].strip() for value in values.get("is_a", ())]


def is_in_branches(term, terms):
    return term in BRANCHES or any(is_in_branches(each, terms) for each in list_parents(terms[term]) if each in terms)


def format_rows(terms):
    chosen = {term for term in terms if is_in_branches(term, terms)}
    for term in sorted(chosen):
        name = ESCAPED.sub(r"\1", terms[term]["name"][0]).strip()
        quoted = (QUOTED.match(value) for value in terms[term].get("synonym", ()))
        synonyms = dict.fromkeys(" ".join(ESCAPED.sub(r"\1", match[1]).split()) for match in quoted if match)
        parents = (each for each in list_parents(terms[term]) if each in chosen)
        yield term, name, "|".join(each for each in synonyms if each not in (name, "")), "|".join(parents)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    path = Path(sys.argv[2]) if len(sys.argv) > 2 else TABLE
    lines = ["\t".join(" ".join(cell.split()) for cell in row) for row in format_rows(read_terms(Path(sys.argv[1])))]
    path.write_text("\n".join(["\t".join(COLUMNS), *lines]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
