"""The contrast of two colours by WCAG 2.2: (L1 + 0.05) / (L2 + 0.05) of their relative luminances, the larger first."""


def compute_contrast(colour, other):
    """From 1 to 21, of two colours as #rrggbb."""
    bright, dark = sorted((_compute_luminance(colour), _compute_luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def _compute_luminance(colour):
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
