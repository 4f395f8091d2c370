//! Names the colour that most of an image has.
//!
//! Apart from decoding, because it is a table of names and nothing else.

use super::decode::Pixel;

/// Names and the shades that they stand for; the first name of the nearest one wins.
const NAMES: &[&str] = &[
    "red",
    "dark red",
    "orange",
    "brown",
    "yellow",
    "olive green",
    "green",
    "dark green",
    "light green",
    "cyan",
    "teal (a dark cyan)",
    "light blue",
    "blue",
    "dark blue",
    "purple",
    "dark purple",
    "magenta",
    "pink",
    "black",
    "white",
    "grey",
    "transparent",
    "light red (pink)",
];

/// The name of the colour that most of the pixels have. Pixels that cannot be seen do not count.
pub(super) fn dominant(pixels: &[Pixel]) -> &'static str {
    let mut counts = [0_usize; NAMES.len()];
    for pixel in pixels.iter().filter(|pixel| pixel[3] >= 32) {
        let name = name(*pixel);
        if let Some(count) = NAMES
            .iter()
            .position(|known| *known == name)
            .and_then(|at| counts.get_mut(at))
        {
            *count += 1;
        }
    }
    let most = counts
        .iter()
        .enumerate()
        .max_by_key(|(at, count)| (**count, usize::MAX - at));
    match most {
        Some((at, count)) if *count > 0 => NAMES.get(at).copied().unwrap_or("transparent"),
        _ => "transparent",
    }
}

/// The name of one colour, by hue, saturation and lightness.
fn name([red, green, blue, _]: Pixel) -> &'static str {
    let (red, green, blue) = (i32::from(red), i32::from(green), i32::from(blue));
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    let (chroma, lightness) = (most - least, (most + least) / 2);
    if most < 40 {
        return "black";
    }
    if chroma * 100 < 14 * most || chroma < 20 {
        return match lightness {
            230.. => "white",
            0..=39 => "black",
            _ => "grey",
        };
    }
    let hue = if most == red {
        (green - blue) * 60 / chroma
    } else if most == green {
        120 + (blue - red) * 60 / chroma
    } else {
        240 + (red - green) * 60 / chroma
    };
    let hue = hue.rem_euclid(360);
    let pale = lightness > 185;
    match hue {
        15..45 if most < 190 && lightness < 110 => "brown",
        0..15 | 346..360 if pale => "pink",
        0..15 | 346..360 if most < 150 => "dark red",
        0..15 | 346..360 => "red",
        15..45 => "orange",
        45..70 if most < 150 => "olive green",
        45..70 => "yellow",
        70..165 if most < 120 => "dark green",
        70..165 if pale => "light green",
        70..165 => "green",
        165..200 if most < 150 => "teal (a dark cyan)",
        165..200 => "cyan",
        200..260 if most < 150 => "dark blue",
        200..260 if pale => "light blue",
        200..260 => "blue",
        260..290 if most < 110 => "dark purple",
        260..290 => "purple",
        290..325 if most < 170 => "purple",
        290..325 if pale => "pink",
        290..325 => "magenta",
        _ if most < 140 => "dark red",
        _ => "pink",
    }
}
