"""Read a picture that somebody uploaded, and write it anew as WebP for pages.

What is written has nothing but pixels: metadata, such as where a photo was taken, is gone, the orientation of a camera
is applied, and colours are those of sRGB. Untrusted pictures are read in a process of their own: see
bcms/lib/pictures/sandbox.py. Sources: the WebP container of RFC 9649, orientations of EXIF 2.32 (tag 0x0112).
"""

import struct
import warnings
from io import BytesIO

from PIL import ExifTags, Image, ImageCms, MpoImagePlugin, TiffImagePlugin, WebPImagePlugin

from bcms.lib.pictures.page_picture import LARGEST_HEIGHT, LARGEST_WIDTH, MOST_PIXELS, PagePicture, PictureError

# Loaded here, as the process that reads a picture can load nothing more: what Pillow loads for each picture, and for
# files of these formats (TIFF is the form of EXIF).
Image.preinit()
_LOADED = (MpoImagePlugin, TiffImagePlugin, WebPImagePlugin)
FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
# The lossy one, which blurs the edges of drawings.
JPEG_FORMATS = ("JPEG", "MPO")
# A drawing without loss is smaller; pictures with more are photos or noise.
MOST_LOSSLESS_BYTES = 400_000
QUALITY = 85
# Each scan of a progressive JPEG is decoded over all pixels. Programs write about ten, and a small file can have
# hundreds, which take many seconds. Source: ITU-T T.81, B.1.1.3 (FF DA begins a scan; in their data, 00 follows FF).
MOST_SCANS = 200
JPEG_SIGNATURE, START_OF_SCAN = b"\xff\xd8", b"\xff\xda"
SIXTEEN_BIT_MODES = ("I", "I;16", "I;16L", "I;16B", "I;16N")
# The chunks of the WebP files that are written here: without loss, with loss, and that with transparency. Others have
# metadata, frames, or what no browser shows.
WRITTEN_CHUNKS = ([b"VP8L"], [b"VP8 "], [b"VP8X", b"ALPH", b"VP8 "])
# What Pillow raises for damaged files; not MemoryError, which says nothing about them.
DAMAGES = (
    *(OSError, SyntaxError, ValueError, TypeError, EOFError, LookupError, ArithmeticError, struct.error),
    Image.DecompressionBombError,
)
# By the orientation in EXIF; 1 is upright.
TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
NOT_OURS = "The picture is not as this site writes pictures."


def read_picture(content: bytes) -> PagePicture:
    """A PNG, JPEG, WebP or GIF file as a picture for pages, at most LARGEST_WIDTH by LARGEST_HEIGHT.

    PictureError for other files, for one with more than MOST_PIXELS, which is not decoded, and for a damaged one.
    """
    if content.startswith(JPEG_SIGNATURE) and content.count(START_OF_SCAN) > MOST_SCANS:
        raise PictureError(f"The JPEG file has more than {MOST_SCANS} scans. Save it as a baseline JPEG, or as PNG.")
    with _open_picture(content) as image:
        is_photo = image.format in JPEG_FORMATS
        try:
            is_animated = bool(getattr(image, "is_animated", False)) and not is_photo
            plain = _convert_to_plain_pixels(image)
        except DAMAGES:
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
    if _list_chunks(content) not in WRITTEN_CHUNKS:
        raise PictureError(NOT_OURS)
    with _open_picture(content) as image:
        if image.format != "WEBP" or image.width > LARGEST_WIDTH or image.height > LARGEST_HEIGHT:
            raise PictureError(NOT_OURS)
        try:
            image.load()
        except DAMAGES:
            raise _damaged_error() from None
        return PagePicture(content, image.width, image.height)


def _list_chunks(content: bytes) -> list[bytes]:
    """The names of the chunks of a RIFF file; the last can be cut."""
    names, place = [], 12
    while place < len(content):
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
        except DAMAGES:
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
    plain = _convert_to_srgb(_convert_to_eight_bits(_turn_upright(image)), profile)
    plain.thumbnail((LARGEST_WIDTH, LARGEST_HEIGHT), Image.Resampling.LANCZOS)
    return plain


def _turn_upright(image: Image.Image) -> Image.Image:
    """As the camera was held. Metadata that cannot be read turns nothing: the pixels are whole."""
    image.load()
    try:
        orientation = image.getexif().get(ExifTags.Base.Orientation)
    except DAMAGES:
        orientation = None
    turn = TURNS.get(orientation) if isinstance(orientation, int) else None
    return image if turn is None else image.transpose(turn)


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
