"""The diseases and chemicals among the MeSH headings of citations, for gold standards."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from annotations.schema import AnnotationData, EntityId, make_entity
from servers.reference.mesh_dictionary import TREE_BY_TYPE, MeshDescriptor, iter_mesh_descriptors


class MeshHeadings:
    """The descriptors of headings, which citations name by their labels, or by labels that are synonyms today."""

    def __init__(self, descriptors: Sequence[MeshDescriptor]) -> None:
        self.by_heading = {name: descriptor for descriptor in descriptors for name in descriptor.synonyms}
        self.by_heading |= {descriptor.label: descriptor for descriptor in descriptors}

    def list_entities(self, headings: Iterable[str], entity_type: str) -> list[AnnotationData]:
        """The entities of a type, a key of TREE_BY_TYPE, in the order of the headings; others are ignored."""
        descriptors = dict.fromkeys(self.by_heading[heading] for heading in headings if heading in self.by_heading)
        return [
            make_entity(EntityId("mesh", descriptor.identifier), entity_type)
            for descriptor in descriptors
            if TREE_BY_TYPE[entity_type] in descriptor.trees
        ]


def read_mesh_headings(path: Path) -> MeshHeadings:
    with path.open(encoding="utf-8", newline="") as lines:
        return MeshHeadings(list(iter_mesh_descriptors(lines)))
