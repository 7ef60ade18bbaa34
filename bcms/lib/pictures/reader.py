"""Read a picture that somebody uploaded, and write it anew as WebP for pages.

What is written has nothing but pixels: metadata, such as where a photo was taken, is gone, the orientation of a camera
is applied, and colours are those of sRGB. Untrusted pictures are read in a process of their own: see
bcms/lib/pictures/sandbox.py. Sources: the WebP container of RFC 9649, orientations of EXIF 2.32 (tag 0x0112).
"""

import warnings
from io import BytesIO

from PIL import Image, ImageCms, ImageOps

from bcms.lib.pictures.page_picture import LARGEST_HEIGHT, LARGEST_WIDTH, MOST_PIXELS, PagePicture, PictureError

FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
# The lossy one, which blurs the edges of drawings.
JPEG_FORMATS = ("JPEG", "MPO")
# A drawing without loss is smaller; pictures with more are photos or noise.
MOST_LOSSLESS_BYTES = 400_000
QUALITY = 85
SIXTEEN_BIT_MODES = ("I", "I;16", "I;16L", "I;16B", "I;16N")
# Of a WebP file: the pixels, with or without loss, and their transparency. Others have metadata and frames.
PIXEL_CHUNKS = {b"VP8 ", b"VP8L", b"VP8X", b"ALPH"}
NOT_OURS = "The picture is not as this site writes pictures."


def read_picture(content: bytes) -> PagePicture:
    """A PNG, JPEG, WebP or GIF file as a picture for pages, at most LARGEST_WIDTH by LARGEST_HEIGHT.

    PictureError for other files, for one with more than MOST_PIXELS, which is not decoded, and for a damaged one.
    """
    with _open_picture(content) as image:
        is_animated = bool(getattr(image, "is_animated", False)) and image.format not in JPEG_FORMATS
        is_photo = image.format in JPEG_FORMATS
        try:
            plain = _convert_to_plain_pixels(image)
        except (OSError, SyntaxError, ValueError, EOFError):
            raise _damaged_error() from None
    written = _write_webp(plain, is_photo=is_photo)
    return PagePicture(written, plain.width, plain.height, is_animated)


def check_page_picture(content: bytes) -> PagePicture:
    """A picture that read_picture has written, such as one of an archive, unchanged.

    PictureError for what read_picture would not have written: another format, metadata, frames, anything behind the
    end, or a size that is too large.
    """
    if not content.startswith(b"RIFF") or int.from_bytes(content[4:8], "little") + 8 != len(content):
        raise PictureError(NOT_OURS)
    if set(_list_chunks(content)) - PIXEL_CHUNKS:
        raise PictureError(NOT_OURS)
    with _open_picture(content) as image:
        if image.format != "WEBP" or image.width > LARGEST_WIDTH or image.height > LARGEST_HEIGHT:
            raise PictureError(NOT_OURS)
        try:
            image.load()
        except (OSError, SyntaxError, ValueError, EOFError):
            raise _damaged_error() from None
        return PagePicture(content, image.width, image.height)


def _list_chunks(content: bytes) -> list[bytes]:
    """The names of the chunks of a RIFF file."""
    names, place = [], 12
    while place + 8 <= len(content):
        names.append(content[place : place + 4])
        size = int.from_bytes(content[place + 4 : place + 8], "little")
        place += 8 + size + size % 2
    return names


def _open_picture(content: bytes) -> Image.Image:
    """The picture, of which only the head is read; PictureError for another format or too many pixels."""
    with warnings.catch_warnings():
        # Our own limit is lower than that of the library.
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        try:
            image = Image.open(BytesIO(content), formats=FORMATS)
        except Image.DecompressionBombError:
            raise PictureError(_format_size_problem("more")) from None
        except (OSError, SyntaxError, ValueError, EOFError):
            raise PictureError(
                "The file is not a PNG, JPEG, WebP or GIF picture, or it is damaged. Save it as PNG or JPEG."
            ) from None
    if image.width * image.height > MOST_PIXELS:
        raise PictureError(_format_size_problem(f"{image.width:,} × {image.height:,} pixels, more"))
    return image


def _format_size_problem(number: str) -> str:
    return (
        f"The picture has {number} than {MOST_PIXELS // 1_000_000} million pixels. "
        f"Scale it down: pages show at most {LARGEST_WIDTH:,} pixels across."
    )


def _damaged_error() -> PictureError:
    return PictureError("The picture is damaged: it cannot be read to its end. Save or copy it again.")


def _convert_to_plain_pixels(image: Image.Image) -> Image.Image:
    """Upright, in sRGB as RGB or RGBA, and no larger than pages show."""
    if image.format in JPEG_FORMATS:
        # It is decoded at a half, a quarter or an eighth of its size where that is still large enough.
        image.draft("RGB", (LARGEST_HEIGHT, LARGEST_HEIGHT))
    profile = image.info.get("icc_profile")
    upright = ImageOps.exif_transpose(image)
    plain = _convert_to_srgb(_convert_to_eight_bits(upright), profile)
    plain.thumbnail((LARGEST_WIDTH, LARGEST_HEIGHT), Image.Resampling.LANCZOS)
    return plain


def _convert_to_eight_bits(image: Image.Image) -> Image.Image:
    """In one of the modes L, RGB, CMYK, RGBA; Pillow itself clips samples of 16 bits."""
    if image.mode in SIXTEEN_BIT_MODES:
        return image.convert("I").point(lambda sample: sample / 256).convert("L")
    if image.mode in ("PA", "LA", "La", "RGBa") or "transparency" in image.info:
        return image.convert("RGBA")
    if image.mode == "1":
        return image.convert("L")
    return image if image.mode in ("L", "RGB", "CMYK", "RGBA") else image.convert("RGB")


def _convert_to_srgb(image: Image.Image, profile: bytes | None) -> Image.Image:
    """RGB, or RGBA if anything is transparent. A profile that cannot be read or used is dropped."""
    opaque = image.convert("RGB") if image.mode == "RGBA" else image
    converted = _apply_profile(opaque, profile) if profile else opaque.convert("RGB")
    if image.mode == "RGBA" and image.getchannel("A").getextrema() != (255, 255):
        converted.putalpha(image.getchannel("A"))
    # A new image has none of the metadata of the file.
    plain = Image.new(converted.mode, converted.size)
    plain.paste(converted)
    return plain


def _apply_profile(image: Image.Image, profile: bytes) -> Image.Image:
    try:
        source = ImageCms.ImageCmsProfile(BytesIO(profile))
        converted = ImageCms.profileToProfile(image, source, ImageCms.createProfile("sRGB"), outputMode="RGB")
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        converted = None
    return image.convert("RGB") if converted is None else converted


def _write_webp(image: Image.Image, *, is_photo: bool) -> bytes:
    """Drawings without loss, and photos, as well as what would be large, with little loss."""
    if not is_photo:
        lossless = _save_webp(image, lossless=True)
        if len(lossless) <= MOST_LOSSLESS_BYTES:
            return lossless
    return _save_webp(image, lossless=False)


def _save_webp(image: Image.Image, *, lossless: bool) -> bytes:
    stream = BytesIO()
    # Of lossless pictures, the quality is how hard the writer tries, and method 4 of 6 takes half the time of 6.
    image.save(stream, "WEBP", lossless=lossless, quality=70 if lossless else QUALITY, method=4, exact=False)
    return stream.getvalue()
