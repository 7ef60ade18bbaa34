"""Pictures of any accepted format become WebP without metadata, upright, in sRGB, and not too large."""

import struct
import zlib

import pytest
from PIL import ExifTags, Image, ImageCms, PngImagePlugin

from bcms.lib.pictures import reader
from bcms.lib.pictures.page_picture import PictureError
from bcms.lib.pictures.reader import check_page_picture, read_picture
from tests.drawn_pictures import draw, draw_noise, load, save

RED, TEAL = (255, 0, 0), (0, 128, 128)
ORIENTATION, GPS = 0x0112, 0x8825


def is_near(color, expected, distance=12):
    """Lossy pictures differ a little."""
    return all(abs(each - other) <= distance for each, other in zip(color, expected, strict=True))


def make_exif(orientation):
    """How the camera was held, and a part of where."""
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    exif.get_ifd(GPS)[1] = "N"
    return exif


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF"])
def test_it_reads_each_format(form):
    picture = read_picture(save(draw(), form))
    image = load(picture.content)
    assert (image.format, image.mode, image.size) == ("WEBP", "RGB", (60, 40))
    assert (picture.width, picture.height, picture.is_animated) == (60, 40, False)
    assert is_near(image.getpixel((3, 3)), RED)
    assert is_near(image.getpixel((50, 30)), TEAL)


def test_it_keeps_drawings_without_loss_and_photos_with_little():
    drawing, photo = read_picture(save(draw())), read_picture(save(draw(), "JPEG"))
    assert load(drawing.content).tobytes() == draw().tobytes()
    assert (b"VP8L" in drawing.content, b"VP8L" in photo.content) == (True, False)


def test_it_writes_with_loss_what_would_be_large(monkeypatch):
    monkeypatch.setattr(reader, "MOST_LOSSLESS_BYTES", 1000)
    assert b"VP8L" not in read_picture(save(draw_noise((60, 40)))).content


@pytest.mark.parametrize(
    ("size", "expected"),
    [((1600, 40), (1600, 40)), ((3200, 100), (1600, 50)), ((100, 6400), (50, 3200)), ((1, 10_000), (1, 3200))],
)
def test_it_scales_down_what_is_large(size, expected):
    picture = read_picture(save(draw(size)))
    assert (picture.width, picture.height) == load(picture.content).size == expected


@pytest.mark.parametrize(
    ("orientation", "size", "place"),
    [(1, (60, 40), (3, 3)), (3, (60, 40), (57, 37)), (6, (40, 60), (37, 3)), (8, (40, 60), (3, 57))],
)
def test_it_turns_photos_upright_and_removes_where_they_were_taken(orientation, size, place):
    picture = read_picture(save(draw(), "JPEG", exif=make_exif(orientation), quality=95, comment=b"of Ada"))
    image = load(picture.content)
    assert image.size == (picture.width, picture.height) == size
    assert is_near(image.getpixel(place), RED, 60)
    assert not image.getexif()
    assert set(reader._list_chunks(picture.content)) == {b"VP8 "}


def test_it_removes_texts_of_png():
    texts = PngImagePlugin.PngInfo()
    texts.add_text("Author", "Ada")
    picture = read_picture(save(draw(), pnginfo=texts))
    assert b"Ada" not in picture.content
    assert set(reader._list_chunks(picture.content)) == {b"VP8L"}


def test_it_converts_cmyk():
    image = load(read_picture(save(draw().convert("CMYK"), "JPEG", quality=95)).content)
    assert (image.mode, image.size) == ("RGB", (60, 40))
    assert is_near(image.getpixel((50, 30)), TEAL, 20)


def test_it_scales_samples_of_16_bits():
    image = Image.new("I;16", (2, 1))
    image.putpixel((0, 0), 0x8000)
    image.putpixel((1, 0), 0xFFFF)
    shown = load(read_picture(save(image)).content)
    assert [shown.getpixel((place, 0)) for place in (0, 1)] == [(128, 128, 128), (255, 255, 255)]


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA"])
def test_it_reads_each_mode(mode):
    image = load(read_picture(save(draw(color="white").convert(mode))).content)
    assert (image.mode, image.getpixel((50, 30))) == ("RGB", (255, 255, 255))


def test_it_keeps_transparency():
    palette = draw().convert("P", palette=Image.Palette.ADAPTIVE, colors=2)
    palette.info["transparency"] = palette.getpixel((50, 30))
    for content in (save(palette, transparency=palette.info["transparency"]), save(palette, "GIF")):
        image = load(read_picture(content).content)
        assert (image.mode, image.getpixel((50, 30))[3], image.getpixel((3, 3))) == ("RGBA", 0, (*RED, 255))


def test_it_keeps_the_first_frame():
    for form in ("GIF", "WEBP", "PNG"):
        film = save(draw(), form, save_all=True, append_images=[draw(color="navy")], duration=100)
        picture = read_picture(film)
        assert picture.is_animated
        assert is_near(load(picture.content).getpixel((50, 30)), TEAL)
        assert not load(picture.content).is_animated


def test_it_applies_the_colour_profile():
    """In a profile whose red and green are swapped, the red corner is green."""
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    swapped = profile.replace(b"rXYZ", b"????", 1).replace(b"gXYZ", b"rXYZ", 1).replace(b"????", b"gXYZ", 1)
    picture = read_picture(save(draw(), icc_profile=swapped))
    assert is_near(load(picture.content).getpixel((3, 3)), (0, 255, 0), 40)
    assert set(reader._list_chunks(picture.content)) == {b"VP8L"}


def test_it_drops_a_profile_that_does_not_fit():
    lab = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()
    for profile in (lab, b"no profile"):
        picture = read_picture(save(draw(), icc_profile=profile))
        assert load(picture.content).getpixel((3, 3)) == RED
        assert set(reader._list_chunks(picture.content)) == {b"VP8L"}


def test_it_decodes_no_picture_with_too_many_pixels(monkeypatch):
    bombs = [save(Image.new("1", (6000, 4000))), make_gif_head(6000, 4000)]
    huge = make_png_head(60_000, 60_000)
    monkeypatch.setattr(Image.Image, "load", lambda self: pytest.fail("decoded"))
    for bomb in bombs:
        with pytest.raises(PictureError, match="6,000 × 4,000 pixels, more than 20 million pixels"):
            read_picture(bomb)
    with pytest.raises(PictureError, match="The picture has more than 20 million pixels"):
        read_picture(huge)


def make_png_head(width, height):
    """A small picture whose head says that it is large."""
    content = bytearray(save(draw()))
    content[16:24] = struct.pack(">II", width, height)
    content[29:33] = struct.pack(">I", zlib.crc32(bytes(content[12:29])))
    return bytes(content)


def make_gif_head(width, height):
    content = bytearray(save(draw(), "GIF"))
    content[6:10] = struct.pack("<HH", width, height)
    return bytes(content)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP", "GIF"])
def test_it_refuses_damaged_pictures(form):
    whole = save(draw_noise((200, 200)), form)
    for part in (whole[: len(whole) // 2], whole[:20]):
        with pytest.raises(PictureError, match="damaged"):
            read_picture(part)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"text",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"%PDF-1.7",
        save(draw(), "TIFF"),
        save(draw(), "BMP"),
        save(draw(), "PPM"),
        save(draw(), "ICO"),
    ],
)
def test_it_refuses_other_formats(content):
    with pytest.raises(PictureError, match="not a PNG, JPEG, WebP or GIF picture"):
        read_picture(content)


def test_it_takes_its_own_pictures_as_they_are():
    for picture in (read_picture(save(draw())), read_picture(save(draw(), "JPEG"))):
        assert check_page_picture(picture.content) == picture


@pytest.mark.parametrize(
    "content",
    [
        save(draw()),
        save(draw(), "WEBP", exif=make_exif(1)),
        save(draw(), "WEBP", icc_profile=b"profile"),
        save(draw(), "WEBP", save_all=True, append_images=[draw(color="navy")]),
        save(draw((1700, 10)), "WEBP"),
        save(draw(), "WEBP")[:-8],
        save(draw(), "WEBP") + b"<script>alert()</script>",
    ],
)
def test_it_takes_nothing_else_as_its_own(content):
    with pytest.raises(PictureError):
        check_page_picture(content)


def test_it_leaves_out_what_is_behind_the_end_of_a_picture():
    assert b"<script>" not in read_picture(save(draw()) + b"<script>").content


def make_film_that_ends_in_a_frame():
    """The second frame has lost its last bytes."""
    film = save(draw(), "GIF", save_all=True, append_images=[draw(color="navy")])
    return film[: film.rindex(b"\x21\xf9") + 3]


def test_it_refuses_a_film_whose_second_frame_is_damaged():
    with pytest.raises(PictureError, match="damaged"):
        read_picture(make_film_that_ends_in_a_frame())


def test_it_turns_a_photo_whose_metadata_is_damaged():
    """The name of the camera became its width, which is a number."""
    exif = Image.Exif()
    exif[ORIENTATION], exif[ExifTags.Base.Make] = 6, "Maker"
    camera, width = (struct.pack(">HH", tag, 2) for tag in (ExifTags.Base.Make, ExifTags.Base.ImageWidth))
    damaged = exif.tobytes().replace(camera, width)
    assert damaged != exif.tobytes()
    picture = read_picture(save(draw(), "JPEG", exif=damaged))
    assert (picture.width, picture.height) == (40, 60)


def make_jpeg_of_many_scans(number):
    """A progressive JPEG whose last scan comes so often."""
    content = save(draw(), "JPEG", progressive=True)
    last = content[content.rindex(b"\xff\xda") : -2]
    return content[:-2] + last * number + content[-2:]


def test_it_decodes_no_jpeg_of_hundreds_of_scans(monkeypatch):
    assert read_picture(make_jpeg_of_many_scans(50)).width == 60
    monkeypatch.setattr(Image, "open", lambda *args, **options: pytest.fail("opened"))
    with pytest.raises(PictureError, match=r"has more than 200 scans\. Save it as a baseline JPEG"):
        read_picture(make_jpeg_of_many_scans(200))


def pack_webp(*chunks):
    """A WebP file; chunks have an even number of bytes."""
    padded = (name + struct.pack("<I", len(data)) + data + bytes(len(data) % 2) for name, data in chunks)
    body = b"WEBP" + b"".join(padded)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def test_it_takes_nothing_hidden_in_its_own_pictures():
    """In chunks that no browser shows, or behind the last one."""
    content = read_picture(save(draw())).content
    pixels = (b"VP8L", content[20 : 20 + int.from_bytes(content[16:20], "little")])
    assert pack_webp(pixels) == content
    hidden = [pack_webp(pixels, (b"VP8L", b"<script>")), pack_webp(pixels, (b"VP8 ", b"hidden")), content + b"PK\3\4"]
    hidden[-1] = hidden[-1][:4] + struct.pack("<I", len(hidden[-1]) - 8) + hidden[-1][8:]
    for changed in hidden:
        with pytest.raises(PictureError, match="not as this site writes pictures"):
            check_page_picture(changed)


def test_it_takes_its_own_transparent_pictures(monkeypatch):
    clear = draw(mode="RGBA")
    clear.putalpha(100)
    picture = read_picture(save(clear))
    assert check_page_picture(picture.content) == picture
    monkeypatch.setattr(reader, "MOST_LOSSLESS_BYTES", 0)
    lossy = read_picture(save(clear))
    assert reader._list_chunks(lossy.content) == [b"VP8X", b"ALPH", b"VP8 "]
    assert check_page_picture(lossy.content) == lossy
