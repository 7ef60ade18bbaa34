"""Diseases and chemicals by the preferred labels of MeSH alone, and by abbreviations that the article explains.

It finds less than the dictionary with synonyms, but also short forms that only this article uses: "PE" after "pulmonary
embolism (PE)".
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from annotations.schema import AnnotationData, Span, make_mention
from servers.reference.abbreviations import extract_long_form_by_abbreviation
from servers.reference.mesh_dictionary import MeshDescriptor, MeshDictionary


class MeshLabelDictionary(MeshDictionary):
    """A dictionary without synonyms that also finds explained abbreviations of labels."""

    def __init__(self, descriptors: Iterable[MeshDescriptor], entity_types: Collection[str]) -> None:
        """entity_types: keys of TREE_BY_TYPE."""
        super().__init__((replace(descriptor, synonyms=()) for descriptor in descriptors), entity_types)

    def iter_mentions(self, text: str) -> Iterator[AnnotationData]:
        """The mentions of labels and of their abbreviations in order of appearance, which do not overlap."""
        labels = list(super().iter_mentions(text))
        taken = {position for mention in labels for position in range(mention.parts[0].start, mention.parts[0].end)}
        short_forms = self.iter_abbreviations(text)
        free = [mention for mention in short_forms if taken.isdisjoint(range(*mention.parts[0]))]
        yield from sorted([*labels, *free], key=lambda mention: mention.parts[0])

    def iter_abbreviations(self, text: str) -> Iterator[AnnotationData]:
        """Every place of an abbreviation whose long form is one label, in this spelling."""
        for short, long_form in extract_long_form_by_abbreviation(text).items():
            named = list(super().iter_mentions(long_form))
            if len(named) == 1 and named[0].text == long_form:
                for place in re.finditer(rf"(?<![\w/-]){re.escape(short)}(?![\w/-])", text):
                    yield make_mention([Span(*place.span())], short, named[0].type, named[0].identifiers)
