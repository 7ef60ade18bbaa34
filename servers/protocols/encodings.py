"""Which byte of an answer does not belong to its character encoding, and which encoding it may be from."""


def misfit(error: UnicodeDecodeError) -> str:
    """Such as `byte 79, 0xEF, cannot stand there in utf-8; in Latin-1 it is "ï"`, the bytes counted from 1."""
    byte = error.object[error.start : error.start + 1]
    found = f"byte {error.start + 1:,}, 0x{byte.hex().upper()}, cannot stand there in {error.encoding}"
    if byte >= b"\xa0":
        return f'{found}; in Latin-1 it is "{byte.decode("latin-1")}"'
    meant = byte.decode("cp1252", "ignore")
    return f'{found}; in Windows-1252 it is "{meant}"' if meant else found
