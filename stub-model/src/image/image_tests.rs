//! Every kind of PNG, and what is no PNG at all.

use png::{BitDepth, ColorType, Encoder};

use super::colour;

/// A square image of one colour.
fn image(
    colour: ColorType,
    depth: BitDepth,
    row: &[u8],
    side: u32,
    palette: Option<(&[u8], &[u8])>,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, side, side);
    encoder.set_color(colour);
    encoder.set_depth(depth);
    if let Some((palette, transparency)) = palette {
        encoder.set_palette(palette.to_vec());
        encoder.set_trns(transparency.to_vec());
    }
    let mut writer = encoder.write_header().unwrap();
    let data: Vec<u8> = row
        .iter()
        .copied()
        .cycle()
        .take(row.len() * side as usize)
        .collect();
    writer.write_image_data(&data).unwrap();
    drop(writer);
    bytes
}

/// Colour type, depth, one row of bytes, palette with transparency, and the name.
type Row = (
    ColorType,
    BitDepth,
    Vec<u8>,
    Option<(&'static [u8], &'static [u8])>,
    &'static str,
);

#[test]
fn every_colour_type_and_depth() {
    let red_palette: (&'static [u8], &'static [u8]) = (&[0, 0, 255, 255, 0, 0], &[0, 255]);
    let rows: Vec<Row> = vec![
        (
            ColorType::Rgb,
            BitDepth::Eight,
            [255, 0, 0].repeat(8),
            None,
            "red",
        ),
        (
            ColorType::Rgb,
            BitDepth::Sixteen,
            [255, 255, 0, 0, 0, 0].repeat(8),
            None,
            "red",
        ),
        (
            ColorType::Rgba,
            BitDepth::Eight,
            [0, 0, 255, 255].repeat(8),
            None,
            "blue",
        ),
        (
            ColorType::Rgba,
            BitDepth::Sixteen,
            [0, 0, 255, 255, 0, 0, 255, 255].repeat(8),
            None,
            "green",
        ),
        (
            ColorType::Rgba,
            BitDepth::Eight,
            [255, 0, 0, 0].repeat(8),
            None,
            "transparent",
        ),
        (
            ColorType::Rgba,
            BitDepth::Eight,
            [[255, 0, 0, 255], [0, 0, 255, 0]].concat().repeat(4),
            None,
            "red",
        ),
        (
            ColorType::Grayscale,
            BitDepth::One,
            vec![0xff],
            None,
            "white",
        ),
        (
            ColorType::Grayscale,
            BitDepth::Two,
            vec![0x55, 0x55],
            None,
            "grey",
        ),
        (
            ColorType::Grayscale,
            BitDepth::Four,
            vec![0; 4],
            None,
            "black",
        ),
        (
            ColorType::Grayscale,
            BitDepth::Eight,
            vec![128; 8],
            None,
            "grey",
        ),
        (
            ColorType::Grayscale,
            BitDepth::Sixteen,
            vec![255; 16],
            None,
            "white",
        ),
        (
            ColorType::GrayscaleAlpha,
            BitDepth::Eight,
            [200, 255].repeat(8),
            None,
            "grey",
        ),
        (
            ColorType::GrayscaleAlpha,
            BitDepth::Sixteen,
            [0, 0, 255, 255].repeat(8),
            None,
            "black",
        ),
        (
            ColorType::Indexed,
            BitDepth::One,
            vec![0b1000_0000],
            Some(red_palette),
            "red",
        ),
        (
            ColorType::Indexed,
            BitDepth::Two,
            vec![0x55, 0x55],
            Some(red_palette),
            "red",
        ),
        (
            ColorType::Indexed,
            BitDepth::Four,
            vec![0x11; 4],
            Some(red_palette),
            "red",
        ),
        (
            ColorType::Indexed,
            BitDepth::Eight,
            vec![1; 8],
            Some(red_palette),
            "red",
        ),
    ];
    for (kind, depth, row, palette, wanted) in rows {
        let bytes = image(kind, depth, &row, 8, palette);
        assert_eq!(colour(&bytes), Ok(wanted), "{kind:?} {depth:?}");
    }
}

/// Eight by eight pixels in the seven passes of Adam7, which the encoder cannot write.
fn interlaced(pixel: [u8; 3]) -> Vec<u8> {
    let plain = image(ColorType::Rgb, BitDepth::Eight, &pixel.repeat(8), 8, None);
    let passes = [(1, 1), (1, 1), (2, 1), (2, 2), (4, 2), (4, 4), (8, 4)];
    let mut scanlines = Vec::new();
    for (width, height) in passes {
        for _ in 0..height {
            scanlines.push(0);
            scanlines.extend(pixel.repeat(width));
        }
    }
    // One stored block of deflate needs no compressor.
    let length = u16::try_from(scanlines.len()).unwrap();
    let mut data = vec![0x78, 0x01, 1];
    data.extend(length.to_le_bytes());
    data.extend((!length).to_le_bytes());
    data.extend(&scanlines);
    data.extend(adler32(&scanlines).to_be_bytes());
    let mut bytes = plain[..8].to_vec();
    let mut header = plain[16..29].to_vec();
    header[12] = 1;
    for (name, body) in [(b"IHDR", header), (b"IDAT", data), (b"IEND", Vec::new())] {
        bytes.extend(u32::try_from(body.len()).unwrap().to_be_bytes());
        let named = [name.as_slice(), &body].concat();
        bytes.extend(&named);
        bytes.extend(crc32(&named).to_be_bytes());
    }
    bytes
}

fn adler32(data: &[u8]) -> u32 {
    let (a, b) = data.iter().fold((1_u32, 0_u32), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65_521;
        (a, (b + a) % 65_521)
    });
    b << 16 | a
}

fn crc32(data: &[u8]) -> u32 {
    !data.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 {
                crc >> 1 ^ 0xedb8_8320
            } else {
                crc >> 1
            }
        })
    })
}

#[test]
fn interlaced_images() {
    assert_eq!(colour(&interlaced([255, 0, 0])), Ok("red"));
    assert_eq!(colour(&interlaced([0, 128, 0])), Ok("green"));
}

#[test]
fn names_hold_the_plain_colour() {
    for (pixel, wanted) in [
        ([255, 0, 0], "red"),
        ([139, 0, 0], "red"),
        ([220, 20, 60], "red"),
        ([255, 165, 0], "orange"),
        ([139, 69, 19], "brown"),
        ([255, 255, 0], "yellow"),
        ([0, 128, 0], "green"),
        ([0, 255, 0], "green"),
        ([144, 238, 144], "green"),
        ([0, 255, 255], "cyan"),
        ([0, 0, 255], "blue"),
        ([0, 0, 128], "blue"),
        ([30, 144, 255], "blue"),
        ([128, 0, 128], "purple"),
        ([255, 0, 255], "magenta"),
        ([255, 192, 203], "pink"),
        ([255, 105, 180], "pink"),
        ([0, 0, 0], "black"),
        ([255, 255, 255], "white"),
        ([128, 128, 128], "grey"),
        ([211, 211, 211], "grey"),
        ([0, 128, 128], "teal"),
        ([75, 0, 130], "purple"),
        ([255, 215, 0], "yellow"),
        ([240, 230, 140], "yellow"),
        ([165, 42, 42], "red"),
        ([210, 105, 30], "orange"),
    ] {
        let bytes = image(ColorType::Rgb, BitDepth::Eight, &pixel.repeat(4), 4, None);
        let name = colour(&bytes).unwrap();
        assert!(name.contains(wanted), "{pixel:?} is {name}, not {wanted}");
    }
}

#[test]
fn what_is_no_png_is_told() {
    let good = image(
        ColorType::Rgb,
        BitDepth::Eight,
        &[255, 0, 0].repeat(64),
        64,
        None,
    );
    let mut bomb = good.clone();
    bomb[16..24].copy_from_slice(&[0, 1, 0, 0, 0, 1, 0, 0]);
    let crc = crc32(&bomb[12..29]).to_be_bytes();
    bomb[29..33].copy_from_slice(&crc);
    for (data, wanted) in [
        (&b""[..], "no data"),
        (b"hello", "no PNG"),
        (b"\xff\xd8\xff\xe0JFIF", "JPEG"),
        (b"GIF89a...", "GIF"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "WebP"),
        (b"\0\0\0\x18ftypheic", "HEIC"),
        (b"\x89PNG\r\n\x1a\n", "broken"),
        (&good[..20], "broken"),
        (&good[..good.len() / 2], "broken"),
        (&bomb, "at most"),
    ] {
        let reason = colour(data).unwrap_err();
        assert!(reason.contains(wanted), "{reason} does not hold {wanted}");
    }
}

#[test]
fn every_cut_and_every_flipped_byte_is_survived() {
    let good = interlaced([1, 200, 3]);
    for end in 0..good.len() {
        let _ = colour(&good[..end]);
        let mut bad = good.clone();
        bad[end] ^= 0x41;
        let _ = colour(&bad);
    }
}
