"""A provider of OpenID Connect on loopback: real HTTP, real signatures, and whatever else it is asked to do wrong."""

import base64
import json
import threading
import time
from functools import cache
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote_plus, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

from bcms.accounts.providers.configuration import LoginProvider

CLIENT_ID, SECRET = "bcms-client", "secret of: the site"
PAGE = "<!doctype html><title>Stand-in</title><h1>Stand-in</h1><a href='{yes}'>Yes, it is me</a> <a href='{no}'>No</a>"


@cache
def make_key(bits=2048, number=0):
    """Made once for all tests: that takes long. number: to tell apart keys of the same size."""
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


def describe_key(key, **more):
    return {**json.loads(RSAAlgorithm.to_jwk(key.public_key())), "kid": "1", "use": "sig", "alg": "RS256", **more}


class IdentityProvider:
    """Logs in whom claims describe.

    claims and header are added to those of tokens, None leaves one out; metadata to what it says about itself; sends:
    {path: (status, headers, body)} is sent instead of an answer. came: the requests, as (path, form).
    """

    def __init__(self, subject="subject-1", **claims):
        self.claims = {"sub": subject, **claims}
        self.header, self.metadata, self.sends, self.came = {}, {}, {}, []
        self.key, self.algorithm = make_key(), "RS256"
        self.keys = [describe_key(self.key)]
        self.codes = {}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), make_provider_handler(self))
        self.issuer = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def configure(self, provider_id="stand-in", name="Stand-in"):
        """This provider as the settings of the site name it."""
        return LoginProvider(provider_id, name, self.issuer, CLIENT_ID, SECRET)

    def describe(self):
        found = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
        }
        return found | self.metadata

    def authorize(self, url):
        """What the browser of the person brings back, as the query of the site's address: {"code", "state"}."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        code = f"code-{len(self.codes)}"
        self.codes[code] = asked
        return {"code": code, "state": asked["state"]}

    def show_page(self, url):
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        back = asked["redirect_uri"]
        no = urlencode({"error": "access_denied", "state": asked["state"]})
        return PAGE.format(yes=f"{back}?{urlencode(self.authorize(url))}", no=f"{back}?{no}").encode()

    def issue(self, form, login):
        """The answer to a code, and its status; each code is good once."""
        asked = self.codes.pop(form.get("code"), None)
        proof = base64.urlsafe_b64encode(sha256(form.get("code_verifier", "").encode()).digest()).rstrip(b"=").decode()
        if asked is None or login != f"{CLIENT_ID}:{SECRET}":
            return 400, {"error": "invalid_grant"}
        if proof != asked["code_challenge"] or form["redirect_uri"] != asked["redirect_uri"]:
            return 400, {"error": "invalid_grant"}
        return 200, {"access_token": "unused", "token_type": "Bearer", "id_token": self.sign(asked["nonce"])}

    def sign(self, nonce):
        now = int(time.time())
        said = {"iss": self.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 300, "auth_time": now, "nonce": nonce}
        claims = {name: value for name, value in (said | self.claims).items() if value is not None}
        headers = {name: value for name, value in ({"kid": "1"} | self.header).items() if value is not None}
        return jwt.encode(claims, self.key, algorithm=self.algorithm, headers=headers)


def read_login(form, header):
    """The log-in of the site, from the form or the header: "id:secret"."""
    if not header:
        return f"{form.get('client_id')}:{form.get('client_secret')}"
    return ":".join(unquote_plus(part) for part in base64.b64decode(header.split()[1]).decode().split(":"))


def make_provider_handler(provider):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            path = urlsplit(self.path).path
            provider.came.append((path, {}))
            if path == "/.well-known/openid-configuration":
                self.say(path, 200, json.dumps(provider.describe()).encode())
            elif path == "/keys":
                self.say(path, 200, json.dumps({"keys": provider.keys}).encode())
            elif path == "/authorize":
                self.say(path, 200, provider.show_page(self.path), "text/html")
            else:
                self.say(path, 404, b"")

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            provider.came.append((self.path, form))
            status, answer = provider.issue(form, read_login(form, self.headers["Authorization"]))
            self.say(self.path, status, json.dumps(answer).encode())

        def say(self, path, status, body, content_type="application/json"):
            headers = {"Content-Type": content_type}
            status, more, body = provider.sends.get(path, (status, {}, body))
            self.send_response(status)
            for name, value in (headers | {"Content-Length": str(len(body))} | more).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler
