//! Decodes PNG images into plain RGBA pixels.
//!
//! Apart from naming colours, because it faces bytes from anywhere: broken files, other formats,
//! and small files that unpack to gigabytes.
//!
//! Must stay true: nothing is unpacked before its size is known to be within the bounds.

use std::io::Cursor;

use png::{ColorType, Decoder, DecodingError, Limits, Transformations};

/// The most pixels that are decoded: 64 megapixels of one byte to four are at most 256 MiB, and no
/// screenshot is larger.
const MAX_PIXELS: u64 = 64 * 1024 * 1024;

/// The most bytes that the decoder may use beside the pixels.
const MAX_DECODER_BYTES: usize = 64 * 1024 * 1024;

/// How many pixels are looked at; a regular sample of a larger image tells its colour as well.
const SAMPLE: usize = 100_000;

/// One pixel: red, green, blue and opacity.
pub(super) type Pixel = [u8; 4];

/// A regular sample of the pixels of a PNG image, or a sentence on why there are none.
pub(super) fn pixels(data: &[u8]) -> Result<Vec<Pixel>, String> {
    if data.is_empty() {
        return Err("the image holds no data".to_owned());
    }
    if !data.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Err(match other_format(data) {
            Some(name) => format!("it is a {name} image, and I can decode PNG images only"),
            None => "it is no PNG image that I can decode".to_owned(),
        });
    }
    let mut decoder = Decoder::new_with_limits(
        Cursor::new(data),
        Limits {
            bytes: MAX_DECODER_BYTES,
        },
    );
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let broken = |error: DecodingError| format!("the PNG image is broken ({error})");
    let header = decoder.read_header_info().map_err(broken)?;
    let count = u64::from(header.width) * u64::from(header.height);
    if count > MAX_PIXELS {
        return Err(format!(
            "the image has {count} pixels, and I decode at most {MAX_PIXELS}"
        ));
    }
    let mut reader = decoder.read_info().map_err(broken)?;
    let size = reader
        .output_buffer_size()
        .ok_or("the PNG image is too large for this machine")?;
    let mut buffer = vec![0; size];
    let frame = reader.next_frame(&mut buffer).map_err(broken)?;
    let width = frame.color_type.samples();
    let pixels = buffer
        .get(..frame.buffer_size())
        .unwrap_or(&buffer)
        .chunks_exact(width);
    let every = (pixels.len() / SAMPLE).max(1);
    Ok(pixels
        .step_by(every)
        .map(|pixel| rgba(frame.color_type, pixel))
        .collect())
}

fn rgba(colour: ColorType, pixel: &[u8]) -> Pixel {
    match (colour, pixel) {
        (ColorType::Rgba, [red, green, blue, alpha]) => [*red, *green, *blue, *alpha],
        (ColorType::GrayscaleAlpha, [grey, alpha]) => [*grey, *grey, *grey, *alpha],
        (_, [red, green, blue]) => [*red, *green, *blue, 255],
        (_, [grey, ..]) => [*grey, *grey, *grey, 255],
        (_, []) => [0, 0, 0, 0],
    }
}

/// The name of another image format, by its first bytes.
fn other_format(data: &[u8]) -> Option<&'static str> {
    let box_type = data.get(4..12).unwrap_or(&[]);
    match data {
        [0xff, 0xd8, 0xff, ..] => Some("JPEG"),
        [b'G', b'I', b'F', b'8', ..] => Some("GIF"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("WebP"),
        [b'B', b'M', ..] => Some("BMP"),
        [b'I', b'I', 42, 0, ..] | [b'M', b'M', 0, 42, ..] => Some("TIFF"),
        [b'<', b's', b'v', b'g', ..] | [b'<', b'?', b'x', b'm', b'l', ..] => Some("SVG"),
        _ if box_type.starts_with(b"ftypavif") => Some("AVIF"),
        _ if box_type.starts_with(b"ftyphei") || box_type.starts_with(b"ftypmif1") => Some("HEIC"),
        _ => None,
    }
}
