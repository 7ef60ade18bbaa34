"""Pictures for tests, drawn by Pillow, each the same at every run."""

from io import BytesIO
from random import Random

from PIL import Image


def draw(size=(60, 40), color="teal", mode="RGB"):
    """One colour, with a red corner at the top left."""
    image = Image.new(mode, size, color)
    image.paste(Image.new(mode, (size[0] // 4, size[1] // 4), "red"), (0, 0))
    return image


def draw_noise(size, seed=1):
    """What cannot be compressed."""
    return Image.frombytes("RGB", size, Random(seed).randbytes(3 * size[0] * size[1]))


def save(image, form="PNG", **options):
    stream = BytesIO()
    image.save(stream, form, **options)
    return stream.getvalue()


def load(content):
    """The picture of a file, and its format."""
    image = Image.open(BytesIO(content))
    image.load()
    return image
