"""Messages for bytes that are invalid in a character encoding."""


def describe_first_undecodable_byte(error: UnicodeDecodeError) -> str:
    """The first invalid byte, counted from 1, such as `byte 79, 0xEF, is not valid utf-8; in Latin-1 it is "ï"`."""
    byte = error.object[error.start : error.start + 1]
    message = f"byte {error.start + 1:,}, 0x{byte.hex().upper()}, is not valid {error.encoding}"
    if byte >= b"\xa0":
        return f'{message}; in Latin-1 it is "{byte.decode("latin-1")}"'
    character = byte.decode("cp1252", "ignore")
    return f'{message}; in Windows-1252 it is "{character}"' if character else message
