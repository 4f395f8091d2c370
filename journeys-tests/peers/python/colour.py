"""The colour of a PNG, from its first pixel: enough to say what a plain image shows.

See the PNG specification, section 9: whatever the filter of the first row is, the first pixel has no
neighbour and stands there as it is.
"""

import base64
import zlib


def colour_of(text):
    """The name of the colour of an 8-bit RGB PNG, given as base64."""
    png = base64.b64decode(text)
    data, at = b"", 8
    while at + 8 <= len(png):
        length = int.from_bytes(png[at : at + 4], "big")
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + length]
        at += 12 + length
    red, green, blue = zlib.decompress(data)[1:4]
    if red == green == blue:
        return "grey"
    return max((red, "red"), (green, "green"), (blue, "blue"))[1]
