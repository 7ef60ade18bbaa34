"""The questionnaire of experiments and authors: nine questions with a scale, and one answered in words. Pure."""

from dataclasses import dataclass

from annotations.curation.states import CurationArm

# From 1.
SCALE = ("strongly disagree", "disagree", "neither", "agree", "strongly agree")
LONGEST_COMMENT = 2000
FREE_QUESTION = "What was hard, and what should be changed?"


@dataclass(frozen=True, slots=True)
class ScaledQuestion:
    """A statement to agree with. name: in REST and files. without_help: what those are asked who had no proposals."""

    name: str
    statement: str
    without_help: str = ""

    def choose_statement(self, arm: str) -> str:
        return self.without_help if self.without_help and arm == CurationArm.WITHOUT_HELP else self.statement


SCALED_QUESTIONS = (
    ScaledQuestion("ease", "Curating this article was easy."),
    ScaledQuestion("time", "The time it took was worth it."),
    ScaledQuestion("identifiers", "I found the right identifiers without difficulty."),
    ScaledQuestion("terms", "I found the right interaction types and methods without difficulty."),
    ScaledQuestion("usefulness", "What was proposed was useful.", "Proposals would have been useful."),
    ScaledQuestion("trust", "I trusted what was proposed.", "I would have trusted proposals."),
    ScaledQuestion("guideline", "The guideline answered my questions."),
    ScaledQuestion("completeness", "My record has everything that the article reports."),
    ScaledQuestion("again", "I would curate another article in the same way."),
)
