//! Commands that show something other than words.

use std::io::Write;

use super::call::{Call, say};
use crate::conversation::{Event, Part};

/// The side of the image, in pixels.
const SIDE: u32 = 64;

/// The colour of the image: red, green, blue.
const RED: [u8; 3] = [220, 20, 20];

pub(super) fn image(_: &Call<'_>) -> Vec<Event> {
    let Some(data) = square(RED, SIDE) else {
        return say("The image could not be drawn.");
    };
    let image = Part::Image {
        mime_type: "image/png".to_owned(),
        data,
    };
    let mut events = vec![Event::Show(image)];
    events.extend(say("This is a red square."));
    events
}

pub(super) fn resource(_: &Call<'_>) -> Vec<Event> {
    let text = Part::Resource {
        uri: "demo:///haiku.txt".to_owned(),
        text: "An old silent pipe...\nA line jumps into the pipe,\nsplash! Silence again.\n"
            .to_owned(),
    };
    let link = Part::ResourceLink {
        name: "The Agent Client Protocol".to_owned(),
        uri: "https://agentclientprotocol.com".to_owned(),
        path: None,
    };
    let mut events = vec![Event::Show(text), Event::Show(link)];
    events.extend(say("This is a text with its address, and a link."));
    events
}

/// A PNG of one colour (red, green, blue) with sides of that many pixels. It is drawn, so that it is
/// the same each time.
pub(crate) fn square(colour: [u8; 3], side: u32) -> Option<Vec<u8>> {
    let row = colour.repeat(side as usize);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, side, side);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().ok()?;
    let mut pixels = writer.stream_writer().ok()?;
    for _ in 0..side {
        pixels.write_all(&row).ok()?;
    }
    pixels.finish().ok()?;
    writer.finish().ok()?;
    Some(file)
}
