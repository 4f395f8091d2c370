//! `Describe the picture`, `look at the image`: what can be told of images is their colour.
//!
//! Apart from reading files, because images come with the prompt and need no tool.

use super::Reader;
use crate::text::Range;

const IMAGE: &str = "image images picture pictures photo photos screenshot png pic drawing \
    square attachment icon";

/// Reads a clause about the images of the prompt.
pub(super) fn read(reader: &mut Reader<'_>, start: usize) -> Option<usize> {
    let words = reader.words;
    let clause = Range::new(start, words.clause_end(start));
    let looks = words.verb_is(
        start,
        "look see describe view inspect examine check analyse analyze open identify determine \
            name study",
    );
    if !looks || !(is_about_images(reader, clause)) {
        return None;
    }
    reader.ask(clause);
    Some(clause.to)
}

/// Whether a range is about the colour of an image, or about images where there are some.
pub(super) fn is_about_images(reader: &Reader<'_>, range: Range) -> bool {
    let colour = reader.words.has(
        range,
        "colour color colours colors coloured colored hue shade",
    );
    let image = reader.words.has(range, IMAGE);
    let some = !reader.prompt.images.is_empty();
    let code = reader.words.has_phrase(range, "colour code")
        || reader.words.has_phrase(range, "color code");
    (image && (some || colour)) || colour && some && !code
}
