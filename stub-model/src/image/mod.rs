//! What can be told of an image: its colour.

mod colour;
mod decode;
#[cfg(test)]
mod image_tests;

/// A sentence part on an image: its dominant colour, or why it cannot be told.
pub(crate) fn colour(data: &[u8]) -> Result<&'static str, String> {
    decode::pixels(data).map(|pixels| colour::dominant(&pixels))
}
