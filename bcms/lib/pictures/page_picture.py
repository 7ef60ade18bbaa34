"""A picture as pages show it, and why a file does not become one.

Without Pillow, which only the process that reads pictures loads: bcms/lib/pictures/sandbox.py.
"""

from dataclasses import dataclass

# Cameras of phones take 12 million. A reader needs some hundred MB for so many.
MOST_PIXELS = 20_000_000
LARGEST_WIDTH, LARGEST_HEIGHT = 1600, 3200


class PictureError(ValueError):
    """A picture that is not accepted. The message says to its sender why, and what to do."""


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A picture as pages show it. content: WebP; width, height: in pixels; is_animated: of it, only the first frame is
    left.
    """

    content: bytes
    width: int
    height: int
    is_animated: bool = False
