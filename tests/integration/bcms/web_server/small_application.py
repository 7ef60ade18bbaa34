"""A WSGI application for tests of the web worker: what it gets and how far it has come."""

import time

import django

django.setup()

PIECES = 1_000
PIECE = b"x" * 100_000
written = 0
began = 0


def application(environ, start_response):
    """/body: the length of the body. /long: many pieces. /written: how many of them were taken. /slow: after 0.5 s.
    /began: how many /slow there were. /unchanged: 304."""
    global began
    if environ["PATH_INFO"] == "/unchanged":
        start_response("304 Not Modified", [])
        return []
    start_response("200 OK", [("Content-Type", "text/plain")])
    match environ["PATH_INFO"]:
        case "/body":
            return [str(len(environ["wsgi.input"].read())).encode()]
        case "/long":
            return iterate_pieces()
        case "/written":
            return [str(written).encode()]
        case "/slow":
            began += 1
            time.sleep(0.5)
        case "/began":
            return [str(began).encode()]
    return [b"ok"]


def iterate_pieces():
    global written
    for number in range(1, PIECES + 1):
        written = number
        yield PIECE
