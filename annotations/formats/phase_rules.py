"""The rules that a phase of a challenge has for uploaded runs and gold standards, R711 to R726."""

from annotations.formats.errors import FileRule

PHASE_FILE_RULES = (
    FileRule(
        "R711",
        "An uploaded run is in a format that supports its task.",
        "Use tab-separated values, which support every task.",
    ),
    FileRule(
        "R712",
        "An identifier of an uploaded run has the format of its database.",
        "Write NCBI Taxonomy, NCBI Gene and PSI-MI identifiers and UniProt accessions as their databases "
        "do; an entry name such as P53_HUMAN is no accession.",
    ),
    FileRule(
        "R713",
        "An uploaded run contains at least one article of the phase. Other articles are counted and listed.",
        "Use the article IDs of the phase's article file. In a blind phase, these are opaque IDs.",
    ),
    FileRule(
        "R714",
        "An article has no more results than the phase allows.",
        "Remove the results with the lowest confidence or the last ranks.",
    ),
    FileRule("R715", "No article of a run is given under two different IDs.", "Use one of them throughout."),
    FileRule(
        "R716",
        "A team has no more runs in a task and phase than the phase allows.",
        "Withdraw a run if the rules allow it.",
    ),
    FileRule(
        "R717",
        "A passage of an uploaded run is copied from its article. Only white space may differ.",
        "Copy whole sentences exactly from the phase's article file.",
    ),
    FileRule("R718", "A passage has at most three sentences.", "Remove the least informative sentences."),
    FileRule(
        "R719", "A pair has at most five passages in an article.", "Remove the passages with the lowest confidence."
    ),
    FileRule("R720", "A passage of a pair is given once, regardless of white space.", "Keep one of the lines."),
    FileRule(
        "R721",
        "A mention of an uploaded run or a gold standard lies within the text of its article.",
        "Count positions in the text of the phase's article file: title, one separator, abstract and so on.",
    ),
    FileRule(
        "R722",
        "The text of a mention matches its article at that position. White space may differ, and so may "
        "the text between the parts of a discontinuous mention. Up to a tenth of the mentions may differ "
        "otherwise, with a warning.",
        "Count characters, not bytes, in the text of the phase's article file.",
    ),
    FileRule(
        "R723",
        "The rank of a passage is at most five, as a pair has at most five passages.",
        "Number the passages of each pair 1, 2, 3 and so on.",
    ),
    FileRule(
        "R724",
        "A label is one of the set that the task declares, and an article has one unless the task allows several.",
        "Write the labels exactly as the task has them.",
    ),
    FileRule(
        "R725",
        "The arguments of a relation have roles that the task declares, if it declares any.",
        "Write the roles as the task has them; case and punctuation do not matter.",
    ),
    FileRule(
        "R726",
        "Where a file has a slightly different text than the article, the article has the words of each annotation. "
        "An annotation of a run whose words it does not have is left out, with a warning; a gold standard is refused.",
        "Write the text of the phase's article file, and count positions in it.",
    ),
)
