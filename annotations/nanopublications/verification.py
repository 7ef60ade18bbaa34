"""Verifies nanopublications in TriG: that their content is what their address says, and that their key signed it.

The signature is checked here, because `nanopub` 2.0.1 accepts any: its `has_valid_signature` ignores what the check of
the cryptographic library returns, and hashes the signature together with what is signed. Nothing uses the network.
"""

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from annotations.nanopublications.errors import NanopublicationError
from bcms.lib.sealing import parse_optional_public_key

if TYPE_CHECKING:
    from rdflib.term import Node

NP, NPX = "http://www.nanopub.org/nschema#", "http://purl.org/nanopub/x/"
PART_PREDICATES = (f"{NP}hasAssertion", f"{NP}hasProvenance", f"{NP}hasPublicationInfo")
SIGNATURE_PREDICATE = f"{NPX}hasSignature"
# In place of its hash, what is hashed has a space.
HASH_PLACE = " "
# (graph, subject, predicate, object)
Quad = tuple["Node", "Node", "Node", "Node"]


@dataclass(frozen=True, slots=True)
class VerifiedNanopublication:
    """address: its trusty URI; public_key: of its signature, in one line of Base64."""

    address: str
    public_key: str


def verify_nanopublications(trig: str) -> list[VerifiedNanopublication]:
    """The nanopublications of a document. NanopublicationError for the first that is not valid, or if there is none."""
    quads = _parse_trig(trig)
    verified = [_verify(str(address), _list_quads(quads, head, address)) for head, address in _iter_addresses(quads)]
    if not verified:
        raise NanopublicationError("The document has no nanopublication.")
    return verified


def _parse_trig(trig: str) -> list[Quad]:
    from rdflib import Dataset
    from rdflib.plugins.parsers.notation3 import BadSyntax

    document = Dataset()
    try:
        document.parse(data=trig, format="trig")
    except BadSyntax as error:
        raise NanopublicationError(f"The document is not TriG: line {error.lines + 1} cannot be read.") from None
    except IndexError:
        # The parser of rdflib reads on behind the end of a document that breaks off in certain places.
        raise NanopublicationError("The document is not TriG: it breaks off before its end.") from None
    return [(graph, subject, predicate, value) for subject, predicate, value, graph in document.quads() if graph]


def _iter_addresses(quads: list[Quad]) -> Iterator[tuple["Node", "Node"]]:
    """The head graph and the address of each nanopublication."""
    from rdflib import RDF

    for graph, subject, predicate, value in quads:
        if predicate == RDF.type and str(value) == f"{NP}Nanopublication":
            yield graph, subject


def _list_quads(quads: list[Quad], head: "Node", address: "Node") -> list[Quad]:
    """The quads in the four graphs of a nanopublication. NanopublicationError without exactly one of each."""
    graphs = [head]
    for name in PART_PREDICATES:
        parts = [value for graph, subject, link, value in quads if (graph, subject, str(link)) == (head, address, name)]
        if len(parts) != 1:
            raise NanopublicationError(f"{address} has {len(parts)} graphs that it names with {name}, not one.")
        graphs += parts
    return [quad for quad in quads if quad[0] in graphs]


def _verify(address: str, quads: list[Quad]) -> VerifiedNanopublication:
    from nanopub.trustyuri.rdf import RdfHasher

    base = f"{address}#"
    if RdfHasher.make_hash(list(quads), HASH_PLACE, base) != address.rpartition("/")[2]:
        raise NanopublicationError(f"The content of {address} is not what its address was made from.")
    signature, encoded_key = (
        _find_only_value(address, quads, name) for name in (SIGNATURE_PREDICATE, f"{NPX}hasPublicKey")
    )
    unsigned = [quad for quad in quads if str(quad[2]) != SIGNATURE_PREDICATE]
    signed = RdfHasher.normalize_quads(unsigned, HASH_PLACE, base)  # type: ignore[no-untyped-call]
    try:
        key = parse_optional_public_key(encoded_key, f"The key of {address}", "make_nanopub_key")
        if key is None:
            raise NanopublicationError(f"{address} has no key.")
        key.verify(base64.b64decode(signature, validate=True), signed.encode(), padding.PKCS1v15(), hashes.SHA256())
    except (ValueError, binascii.Error, InvalidSignature):
        raise NanopublicationError(f"{address} was not signed with the key that it has.") from None
    return VerifiedNanopublication(address, encoded_key)


def _find_only_value(address: str, quads: list[Quad], predicate: str) -> str:
    values = [str(value) for _, _, name, value in quads if str(name) == predicate]
    if len(values) != 1:
        raise NanopublicationError(f"{address} has {len(values)} values of {predicate}, not one.")
    return values[0]
