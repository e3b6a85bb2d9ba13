"""What pictures say of their size, as the programs write them that people use."""

import io

import pytest

from lexprint.formats.image_size import count_pixels

WIDTH, HEIGHT = 320, 210


def picture(kind: str, mode: str = "RGB", **options: object) -> bytes:
    """Noise, so that there is much of everything that can be mistaken for a marker."""
    image_module = pytest.importorskip("PIL.Image", reason="Pillow draws the picture")
    image = image_module.effect_noise((WIDTH, HEIGHT), 90).convert(mode)
    target = io.BytesIO()
    if options.pop("pages", None):
        options |= {"save_all": True, "append_images": [image.resize((2 * WIDTH, HEIGHT))]}
    image.save(target, kind, **options)
    return target.getvalue()


@pytest.mark.parametrize(
    ("kind", "mode", "options"),
    [
        ("PNG", "RGB", {}),
        ("PNG", "1", {}),
        ("JPEG", "RGB", {"quality": 95}),
        ("JPEG", "L", {"progressive": True}),
        ("JPEG", "CMYK", {"optimize": True}),
        ("JPEG", "RGB", {"exif": b"Exif\0\0" + b"\xff\xc0\0\x11\x08\xff\xff\xff\xff" * 20}),
        ("TIFF", "RGB", {}),
        ("TIFF", "1", {"compression": "group4"}),
        ("TIFF", "RGB", {"compression": "jpeg"}),
    ],
)
def test_pictures_say_their_size(kind: str, mode: str, options: dict[str, object]) -> None:
    """In every way of writing them, and whatever else is in the file."""
    assert count_pixels(picture(kind, mode, **options)) == WIDTH * HEIGHT


def test_the_largest_page_counts() -> None:
    """Of a TIFF file with several."""
    assert count_pixels(picture("TIFF", pages=True)) == 2 * WIDTH * HEIGHT


def test_what_follows_a_picture_is_no_part_of_it() -> None:
    """Cameras append all kinds of things, and decoders do not read them."""
    assert count_pixels(picture("JPEG") + b"\xff\xc0\0\x11\x08\xff\xff\xff\xff") == WIDTH * HEIGHT


@pytest.mark.parametrize(
    "content", [b"", b"\x89PNG", b"\xff\xd8", b"\xff\xd8\xff\xc0\0", b"II*\0", b"MM\0*\0\0\0\x08\xff\xff", b"GIF89a"]
)
def test_others_say_nothing(content: bytes) -> None:
    """Damaged files, and what is none of the three."""
    assert count_pixels(content) is None
