"""Signs the interactions of digital abstracts as nanopublications in TriG. Nothing uses the network.

`nanopub` makes the address of a nanopublication from its content (a trusty URI) and signs it with RSA; the same
content, date and key give the same address and signature. It and rdflib are imported when the first one is made,
because that takes a third of a second. The functions of `nanopub` that publish and fetch are not used.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.asymmetric import rsa

from annotations.formats.digital_abstracts.exported_abstract import ExportedAbstract
from annotations.nanopublications.errors import NanopublicationError
from bcms.lib.sealing import encode_private_key, encode_public_key

if TYPE_CHECKING:
    from nanopub.nanopub_conf import NanopubConf

    from annotations.formats.nanopublications.graphs import NanopublicationGraphs

CC_BY_4 = "https://creativecommons.org/licenses/by/4.0/"
SIGNER_NAME = "BioCreative Meta-Server"


def write_signed_nanopublications(
    exported: ExportedAbstract,
    sentences: Sequence[str],
    created: datetime,
    key: rsa.RSAPrivateKey,
    license_url: str = CC_BY_4,
) -> Iterator[str]:
    """A document of TriG for each interaction; joined, they are one document, too.

    sentences: one for each interaction, in their order. created: when the record was published, with a time zone.
    NanopublicationError for an interaction that is too large.
    """
    from annotations.formats.nanopublications.graphs import build_nanopublication_graphs

    conf = _build_configuration(key)
    for interaction, sentence in zip(exported.abstract.interactions, sentences, strict=True):
        yield _sign(build_nanopublication_graphs(exported, interaction, sentence, created, license_url), conf)


def _build_configuration(key: rsa.RSAPrivateKey) -> "NanopubConf":
    from nanopub.nanopub_conf import NanopubConf
    from nanopub.profile import Profile

    private, public = encode_private_key(key), encode_public_key(key.public_key())
    return NanopubConf(profile=Profile(orcid_id="", name=SIGNER_NAME, private_key=private, public_key=public))


def _sign(graphs: "NanopublicationGraphs", conf: "NanopubConf") -> str:
    from nanopub.nanopub import Nanopub

    nanopublication = Nanopub(
        assertion=graphs.assertion, provenance=graphs.provenance, pubinfo=graphs.information, conf=conf
    )
    try:
        nanopublication.sign()
    except ValueError as error:
        message = f"The interaction cannot be signed as a nanopublication: {error}. Shorten its evidence."
        raise NanopublicationError(message) from None
    return str(nanopublication.rdf.serialize(format="trig"))
