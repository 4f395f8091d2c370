// The colour of a PNG, from its first pixel: enough to say what a plain image shows.
//
// See the PNG specification, section 9: whatever the filter of the first row is, the first pixel has
// no neighbour and stands there as it is.

import { inflateSync } from "node:zlib";

/** The name of the colour of an 8-bit RGB PNG, given as base64. */
export function colourOf(base64) {
  const png = Buffer.from(base64, "base64");
  const data = [];
  for (let at = 8; at + 8 <= png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") data.push(png.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const [red, green, blue] = inflateSync(Buffer.concat(data)).subarray(1, 4);
  if (red > green && red > blue) return "red";
  if (green > red && green > blue) return "green";
  return blue > red ? "blue" : "grey";
}
