"""Interaction articles by one keyword: the baseline that any classifier must beat (ACT)."""

import re

from annotations.schema import AnnotationData, Kind
from servers.kit.articles import KitArticle

# High, since most articles are not about interactions.
CONFIDENCE_WITHOUT_KEYWORD = 0.8


class KeywordClassifier:
    """An article is relevant when one of its words begins with the keyword ("interact": interacts, interaction)."""

    def __init__(self, keyword: str) -> None:
        if not keyword.isalpha():
            raise ValueError(f'The keyword may contain letters only, not "{keyword}".')
        self.pattern = re.compile(rf"\b{keyword}", re.IGNORECASE)

    def annotate(self, article: KitArticle) -> list[AnnotationData]:
        """One classification. With n > 0 such words its confidence is (n + 1) / (n + 2)."""
        count = len(self.pattern.findall(article.text))
        confidence = (count + 1) / (count + 2) if count else CONFIDENCE_WITHOUT_KEYWORD
        return [AnnotationData(Kind.CLASSIFICATION, confidence=confidence, relevant=count > 0)]
