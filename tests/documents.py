"""Makes small Word and PDF files, so that tests have them in sight."""

from collections.abc import Sequence
from io import BytesIO

from docx import Document


def docx(*paragraphs: tuple[str, str]) -> bytes:
    """A document of Word of (style, text)."""
    document = Document()
    for style, text in paragraphs:
        document.add_paragraph(text, style)
    return save_to_bytes(document)


def save_to_bytes(document) -> bytes:
    stream = BytesIO()
    document.save(stream)
    return stream.getvalue()


def pdf(*pages: Sequence[str], title: str = "", end: bytes = b"") -> bytes:
    """A PDF of lines on pages, in ASCII; end: what else belongs into its trailer."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, lines in enumerate(pages):
        drawn = "BT /F1 12 Tf 14 TL 72 720 Td " + " ".join(f"({line}) Tj T*" for line in lines) + " ET"
        resources = "/Resources << /Font << /F1 3 0 R >> >> /MediaBox [0 0 612 792]"
        objects.append(f"<< /Type /Page /Parent 2 0 R {resources} /Contents {5 + 2 * number} 0 R >>".encode())
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream".encode())
    objects.append(f"<< /Title ({title}) >>".encode())
    return assemble_pdf(objects, end)


def assemble_pdf(objects: Sequence[bytes], end: bytes) -> bytes:
    content, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R %s >>\n" % (len(objects) + 1, len(objects), end)
    return content + head + trailer + b"startxref\n%d\n%%%%EOF\n" % len(content)
