"""The rules of files that define a challenge, R761 and R762."""

from annotations.formats.errors import FileRule

DEFINITION_FILE_RULES = (
    FileRule(
        "R761",
        "The definition of a challenge is one YAML or JSON document of at most 256 KiB, without anchors, aliases and "
        "tags.",
        "Start from the definition of another challenge; organizers can download it.",
    ),
    FileRule(
        "R762",
        "What a definition says about the challenge, its tasks, corpora and phases follows the rules of the forms to "
        "set up a challenge, and nothing else is in it.",
        "Correct the value that the line has.",
    ),
)
