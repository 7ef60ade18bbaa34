"""Files that were good once: with splinters in them, pieces lost or doubled, or their end."""

from hypothesis import strategies as st

# What is put somewhere into a file that is good else.
SPLINTERS = [
    *(b"\0", b"\xff", b"\xed\xa0\x80", b"&#0;", b"&#xD800;", b"&mine;", b"&#x202E;", "\u202e\u200f\ufeff".encode()),
    *(b"<", b">", b"</p>", b"<![CDATA[", b"<!--", b"<?x", b"]]>", b"<script>alert(1)</script>", b"<!DOCTYPE a [", b'"'),
    *(b"{", b"[", b"}", b"]", b",", b"null", b"true", b"-1", b"1e999", b"NaN", b"9" * 30, b"\\ud800", b"\\u0000"),
    *(b'"', b"\t", b"\n", b"\r\n", b"\n\n", b"|t|", b"12\t", b"\xef\xbb\xbf", b"\x1f\x8b", b"PK\x03\x04", b"%PDF-"),
    *(b'"offset": -5,', b'"text": 7,', b'"id": {},', b'"infons": [],', b'"passages": {},', b"<text/>", b"<offset/>"),
]


@st.composite
def damage_content(draw, content: bytes) -> bytes:
    """A good file with a few splinters in it, pieces lost or doubled, or its end."""
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.integers(0, 40)))
        splinter = draw(st.one_of(st.sampled_from(SPLINTERS), st.binary(max_size=4), st.just(content[start:end] * 2)))
        content = content[:start] + splinter + content[draw(st.sampled_from([start, end, len(content)])) :]
    return content
