"""Interaction articles by one word: the baseline that any classifier must beat (ACT)."""

import re

from annotations.kinds import Finding, Kind
from servers.kit.articles import KitArticle

# What is said of an article without the word: rather sure, for most articles are not about interactions.
CONFIDENCE_OF_NONE = 0.8


class KeywordClassifier:
    """An article is relevant when one of its words begins with the given one ("interact": interacts, interaction)."""

    def __init__(self, word: str) -> None:
        if not word.isalpha():
            raise ValueError(f'The keyword must be made of letters, not "{word}".')
        self.pattern = re.compile(rf"\b{word}", re.IGNORECASE)

    def annotate(self, article: KitArticle) -> list[Finding]:
        """One classification. The confidence rises with the number of such words n as (n + 1) / (n + 2)."""
        count = len(self.pattern.findall(article.text))
        confidence = (count + 1) / (count + 2) if count else CONFIDENCE_OF_NONE
        return [Finding(Kind.CLASSIFICATION, confidence=confidence, relevant=count > 0)]
