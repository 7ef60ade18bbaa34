"""The rules of files that define a challenge, R761 and R762, and of archives that become drafts, R763 to R765."""

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
    FileRule(
        "R763",
        "An archive from which a challenge is created is one that a site like this one made, complete and unchanged.",
        "Download it again from the site that made it.",
    ),
    FileRule(
        "R764",
        "The articles of an archive are public on this site, each once: archives have no texts.",
        "Upload the articles first, or have them imported.",
    ),
    FileRule(
        "R765",
        "The description, tasks, corpora and phases in an archive follow the rules of the forms to set up a challenge.",
        "Change this in the challenge, and create its archive again.",
    ),
)
