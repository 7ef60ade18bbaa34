"""All rules that imported and uploaded files must follow, in the order of their codes, as the manual lists them."""

from annotations.formats.article_rules import ARTICLE_FILE_RULES
from annotations.formats.definition_rules import DEFINITION_FILE_RULES
from annotations.formats.interaction_rules import INTERACTION_FILE_RULES
from annotations.formats.phase_rules import PHASE_FILE_RULES
from annotations.formats.result_rules import RESULT_FILE_RULES

FILE_RULES = (
    *ARTICLE_FILE_RULES,
    *RESULT_FILE_RULES,
    *PHASE_FILE_RULES,
    *INTERACTION_FILE_RULES,
    *DEFINITION_FILE_RULES,
)
