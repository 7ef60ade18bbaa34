"""Read the body of a reply, decompressed, up to a limit of bytes."""

import http.client
import zlib

from bcms.lib.http.errors import HttpError, HttpFault
from bcms.lib.http.exchange import KEPT_BYTES, Exchange

PIECE = 64 * 1024
GZIP_OR_ZLIB = zlib.MAX_WBITS | 32


def read_decompressed_body_or_raise_above_limit(
    response: http.client.HTTPResponse, max_bytes: int, exchange: Exchange
) -> bytes:
    decompressor = _BodyDecompressor(response.headers.get("Content-Encoding", "identity"))
    body = bytearray()
    while piece := response.read1(PIECE):
        body += decompressor.decompress_piece(piece, max_bytes - len(body))
        exchange.received = bytes(body[:KEPT_BYTES]) if len(exchange.received) < KEPT_BYTES else exchange.received
        if len(body) > max_bytes:
            raise make_too_large_error(max_bytes, " when it is decompressed" if decompressor.has_begun else "")
    if response.length or decompressor.is_unfinished:
        raise HttpError(HttpFault.CUT_OFF, "The connection ended in the middle of the answer")
    return bytes(body)


def make_too_large_error(max_bytes: int, how: str = "") -> HttpError:
    return HttpError(HttpFault.TOO_LARGE, f"The answer is larger than {max_bytes:,} bytes{how}")


class _BodyDecompressor:
    """Decompresses the bodies that some servers compress unasked, within a limit of bytes."""

    def __init__(self, encoding: str) -> None:
        name = encoding.strip().lower()
        if name not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise HttpError(HttpFault.NOT_HTTP, "The answer has an unsupported compression", encoding.strip())
        self.stream = None if name in ("", "identity") else zlib.decompressobj(GZIP_OR_ZLIB)
        self.has_begun = False

    def decompress_piece(self, piece: bytes, room: int) -> bytes:
        """The decompressed piece, cut to at most room + 1 bytes."""
        if self.stream is None:
            return piece
        self.has_begun = True
        try:
            return self.stream.decompress(piece, room + 1)
        except zlib.error as error:
            raise HttpError(HttpFault.CUT_OFF, "The compressed answer is damaged") from error

    @property
    def is_unfinished(self) -> bool:
        return self.stream is not None and self.has_begun and not self.stream.eof
