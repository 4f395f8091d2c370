//! The colour of an image: decoded, averaged, named.

use std::io::Cursor;

use base64::{Engine as _, prelude::BASE64_STANDARD};

/// The name of the colour of a base64 PNG: "red", "green", "blue", "white", "black", or "unknown"
/// for what is no RGB or RGBA image of eight bits a channel.
#[must_use]
pub fn of_png(base64: &str) -> &'static str {
    average(base64).map_or("unknown", name)
}

fn average(base64: &str) -> Option<[u64; 3]> {
    let bytes = BASE64_STANDARD.decode(base64).ok()?;
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let frame = reader.next_frame(&mut pixels).ok()?;
    let samples = frame.color_type.samples();
    if samples < 3 {
        return None;
    }
    let mut sum = [0; 3];
    let mut count = 0;
    for pixel in pixels[..frame.buffer_size()].chunks_exact(samples) {
        for (total, channel) in sum.iter_mut().zip(pixel) {
            *total += u64::from(*channel);
        }
        count += 1;
    }
    Some(sum.map(|total| total / count.max(1)))
}

/// A channel counts as lit from half of its range on.
fn name(rgb: [u64; 3]) -> &'static str {
    match rgb.map(|channel| channel >= 128) {
        [true, false, false] => "red",
        [false, true, false] => "green",
        [false, false, true] => "blue",
        [true, true, true] => "white",
        [false, false, false] => "black",
        _ => "mixed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(rgb: [u8; 3]) -> String {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 2);
        encoder.set_color(png::ColorType::Rgb);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&rgb.repeat(4)).unwrap();
        writer.finish().unwrap();
        BASE64_STANDARD.encode(bytes)
    }

    #[test]
    fn colours() {
        let table = [
            ([255, 0, 0], "red"),
            ([220, 20, 30], "red"),
            ([0, 255, 0], "green"),
            ([0, 0, 255], "blue"),
            ([255, 255, 255], "white"),
            ([0, 0, 0], "black"),
            ([255, 255, 0], "mixed"),
        ];
        for (rgb, expected) in table {
            assert_eq!(of_png(&image(rgb)), expected, "{rgb:?}");
        }
        assert_eq!(of_png("no image"), "unknown");
    }
}
