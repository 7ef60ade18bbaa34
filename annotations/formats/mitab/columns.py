"""The columns of PSI-MITAB. Source: https://psicquic.github.io/MITAB27Format.html"""

MITAB_COLUMNS = (
    *("ID(s) interactor A", "ID(s) interactor B", "Alt. ID(s) interactor A", "Alt. ID(s) interactor B"),
    *("Alias(es) interactor A", "Alias(es) interactor B", "Interaction detection method(s)"),
    *("Publication 1st author(s)", "Publication Identifier(s)", "Taxid interactor A", "Taxid interactor B"),
    *("Interaction type(s)", "Source database(s)", "Interaction identifier(s)", "Confidence value(s)"),
    *("Expansion method(s)", "Biological role(s) interactor A", "Biological role(s) interactor B"),
    *("Experimental role(s) interactor A", "Experimental role(s) interactor B", "Type(s) interactor A"),
    *("Type(s) interactor B", "Xref(s) interactor A", "Xref(s) interactor B", "Interaction Xref(s)"),
    *("Annotation(s) interactor A", "Annotation(s) interactor B", "Interaction annotation(s)", "Host organism(s)"),
    *("Interaction parameter(s)", "Creation date", "Update date", "Checksum(s) interactor A"),
    *("Checksum(s) interactor B", "Interaction Checksum(s)", "Negative", "Feature(s) interactor A"),
    *("Feature(s) interactor B", "Stoichiometry(s) interactor A", "Stoichiometry(s) interactor B"),
    *("Identification method participant A", "Identification method participant B"),
)
MITAB_EMPTY = "-"
# The number of columns of each version.
MITAB_WIDTHS = {15: "2.5", 36: "2.6", 42: "2.7"}
# Names of databases in PSI-MITAB that differ from those in PSI-MI XML.
PSI_MI_DATABASE_NAMES = {"uniprot": "uniprotkb", "ncbigene": "entrez gene/locuslink"}


def format_header_line() -> str:
    """The line of column names, with its end."""
    return "#" + "\t".join(MITAB_COLUMNS) + "\n"


def format_row_line(fields: dict[str, str]) -> str:
    """A line of {column: field}, with its end; other columns are empty."""
    return "\t".join(fields.get(column, MITAB_EMPTY) or MITAB_EMPTY for column in MITAB_COLUMNS) + "\n"
