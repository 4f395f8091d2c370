//! Journey `image`: a prompt with the path of a text file and an image block.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/content#image-content>

use crate::{
    image_note::{self, ImageNote},
    permission::Rule,
    prompts,
    stage::Stage,
    trouble::Trouble,
};

/// One turn, with the file in place.
pub(super) fn drive(stage: &mut Stage<'_>, word: &str) -> Result<(), Trouble> {
    let _note = ImageNote::write(word)?;
    let image = image_note::red_png_base64()?;
    stage.with_session(|session, capabilities| {
        // A client must not send an image to an agent that does not take any.
        if capabilities["promptCapabilities"]["image"] != true {
            return Err(Trouble::NotAdvertised {
                what: "agentCapabilities.promptCapabilities.image".to_owned(),
            });
        }
        session.turn(&prompts::image(image_note::PATH, &image), Rule::AllowAll)
    })
}
