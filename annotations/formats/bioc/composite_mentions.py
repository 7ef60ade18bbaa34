"""Composite mentions, such as “renal and hepatic dysfunction”, and the mentions that are a part of them."""

from annotations.schema import Span

# The infon of composite mentions and of their parts, as in the corpora of NCBI diseases and BioCreative V CDR.
COMPOSITE_ROLE_KEY, COMPOSITE_ROLE, INDIVIDUAL_ROLE = "compositerole", "CompositeMention", "IndividualMention"


class CompositeMentions:
    """The composite mentions of a document, and their parts, {place among the mentions of the file: span}."""

    def __init__(self) -> None:
        self.composites: list[Span] = []
        self.parts: dict[int, Span] = {}

    def add(self, role: str, place: int, span: Span) -> None:
        """Note a mention if it is one of both. role: the value of its infon."""
        if role == COMPOSITE_ROLE:
            self.composites.append(span)
        elif role == INDIVIDUAL_ROLE:
            self.parts[place] = span

    def find_covered_parts(self) -> set[int]:
        """The places of the parts that lie within a composite mention."""
        return {
            place
            for place, part in self.parts.items()
            if any(whole.start <= part.start and part.end <= whole.end for whole in self.composites)
        }
