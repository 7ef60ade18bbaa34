"""A passkey as a device and a browser make it (WebAuthn, ES256, no attestation), without a device."""

import hashlib
import json

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import Aaguid, AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


class Passkey:
    """verified: whether the device asks for a fingerprint or PIN. counts: whether it signs higher numbers."""

    def __init__(self, origin="https://testserver", host="testserver", verified=True, counts=True):
        self.origin, self.host, self.verified, self.counts = origin, host, verified, counts
        self.counter = 0
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.credential_id = hashlib.sha256(host.encode()).digest()
        self.handle = None

    def _sign_in_data(self, flags, attested=b""):
        flags |= PRESENT | (VERIFIED if self.verified else 0)
        self.counter += self.counts
        return AuthenticatorData.create(
            hashlib.sha256(self.host.encode()).digest(), AuthenticatorData.FLAG(flags), self.counter, attested
        )

    def _client_data(self, kind, options):
        challenge = options["challenge"]
        challenge = challenge if isinstance(challenge, str) else websafe_encode(challenge)
        text = json.dumps({"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False})
        return CollectedClientData(text.encode())

    def _answer(self, **response):
        name = websafe_encode(self.credential_id)
        return {"id": name, "rawId": name, "type": "public-key", "response": response}

    def create(self, options):
        """The answer to the options of a registration."""
        self.handle = options["user"]["id"]
        public = ES256.from_cryptography_key(self.key.public_key())
        attested = AttestedCredentialData.create(Aaguid.NONE, self.credential_id, public)
        attestation = AttestationObject.create("none", self._sign_in_data(ATTESTED, attested), {})
        said = self._answer(
            clientDataJSON=websafe_encode(self._client_data("webauthn.create", options)),
            attestationObject=websafe_encode(attestation),
        )
        return said | {"clientExtensionResults": {"credProps": {"rk": True}}}

    def get(self, options):
        """The answer to the options of a log-in."""
        client = self._client_data("webauthn.get", options)
        data = self._sign_in_data(0)
        signature = self.key.sign(bytes(data) + client.hash, ec.ECDSA(hashes.SHA256()))
        said = self._answer(
            clientDataJSON=websafe_encode(client),
            authenticatorData=websafe_encode(data),
            signature=websafe_encode(signature),
            userHandle=self.handle,
        )
        return said | {"clientExtensionResults": {}}
