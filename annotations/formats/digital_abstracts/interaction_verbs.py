"""The verbs with which sentences state interactions, by their PSI-MI type.

Source of the types: https://github.com/HUPO-PSI/psi-mi-CV (CC BY 4.0).
"""

from collections.abc import Mapping
from typing import NamedTuple


class InteractionVerb(NamedTuple):
    """A verb. plural: of "A and B do" without an object; preposition: before the object, "" for a direct one.

    is_action: one participant does something to the others, as in an enzymatic reaction.
    """

    base: str
    preposition: str = ""
    plural: str = ""
    is_action: bool = False

    @property
    def third_person(self) -> str:
        return f"{self.base}s"


def _make_action(base: str) -> InteractionVerb:
    return InteractionVerb(base, is_action=True)


# Interactions of which nothing but the participants is known.
BINDING = InteractionVerb("bind", "to", "form a complex")
# Types without a verb of their own: these are named beside it.
OTHER_INTERACTION = InteractionVerb("interact", "with", "interact")
INTERACTION_VERBS: Mapping[str, InteractionVerb] = {
    "": BINDING,
    "MI:0914": InteractionVerb("associate", "with", "form a complex"),
    "MI:0915": InteractionVerb("physically interact", "with", "form a complex"),
    "MI:0407": InteractionVerb("directly interact", "with", "interact directly"),
    "MI:0195": InteractionVerb("bind", "covalently to", "bind covalently to each other"),
    "MI:0403": InteractionVerb("colocalize", "with", "colocalize"),
    "MI:2232": InteractionVerb("associate", "with", "associate"),
    "MI:2286": InteractionVerb("functionally associate", "with", "associate functionally"),
    "MI:2402": InteractionVerb("genetically interact", "with", "interact genetically"),
    "MI:0208": InteractionVerb("genetically interact", "with", "interact genetically"),
    "MI:1126": InteractionVerb("interact", "with", "interact"),
    "MI:1127": InteractionVerb("interact", "with", "interact"),
    "MI:0192": _make_action("acetylate"),
    "MI:0193": _make_action("amidate"),
    "MI:0194": _make_action("cleave"),
    "MI:0197": _make_action("deacetylate"),
    "MI:0203": _make_action("dephosphorylate"),
    "MI:0204": _make_action("deubiquitinate"),
    "MI:0206": _make_action("farnesylate"),
    "MI:0209": _make_action("geranylgeranylate"),
    "MI:0210": _make_action("hydroxylate"),
    "MI:0213": _make_action("methylate"),
    "MI:0214": _make_action("myristoylate"),
    "MI:0216": _make_action("palmitoylate"),
    "MI:0217": _make_action("phosphorylate"),
    "MI:0220": _make_action("ubiquitinate"),
    "MI:0557": _make_action("ADP-ribosylate"),
    "MI:0558": _make_action("deglycosylate"),
    "MI:0559": _make_action("glycosylate"),
    "MI:0566": _make_action("sumoylate"),
    "MI:0567": _make_action("neddylate"),
    "MI:0568": _make_action("desumoylate"),
    "MI:0569": _make_action("deneddylate"),
    "MI:0570": _make_action("cleave"),
    "MI:0571": _make_action("cleave"),
    "MI:0572": _make_action("cleave"),
    "MI:0871": _make_action("demethylate"),
    "MI:0902": _make_action("cleave"),
    "MI:0910": _make_action("cleave"),
    "MI:2263": _make_action("S-nitrosylate"),
}
