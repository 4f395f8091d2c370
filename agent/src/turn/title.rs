//! The title of a session: made once, from its first prompt, after the first exchange.
//!
//! A title is for lists of sessions. It is kept as an item like everything else, so that
//! `session/list` finds it, and told with the time, by which clients sort.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-list#updating-session-metadata>

use super::{Halt, Turn};
use crate::{
    acp,
    clock::timestamp,
    model::{Message, Part},
    store::{Item, TurnEnd},
    tools::headline,
};

/// The longest title, in characters: one line of a list.
const LONGEST: usize = 60;

impl Turn {
    /// Gives the session its title, unless it has one or the exchange came to nothing.
    pub(super) async fn entitle(&mut self, ended: &Result<TurnEnd, Halt>) {
        let exchanged = matches!(
            ended,
            Ok(TurnEnd::EndTurn | TurnEnd::MaxTokens | TurnEnd::MaxTurnRequests)
        );
        if self.memory.titled || !exchanged {
            return;
        }
        let Some(title) = title(&self.memory.messages) else {
            return;
        };
        self.keep(Item::Title {
            title: title.clone(),
        });
        let info = acp::SessionInfoUpdate::new()
            .title(title)
            .updated_at(timestamp());
        tokio::select! {
            biased;
            () = self.stop.turn.cancelled() => {}
            // A client that is gone will not miss it.
            _ = self.updates.send(acp::SessionUpdate::SessionInfoUpdate(info)) => {}
        }
    }
}

/// The first words that the user said, or the name of the first thing that came without words.
fn title(messages: &[Message]) -> Option<String> {
    let parts = messages.iter().find_map(|message| match message {
        Message::User(parts) => Some(parts),
        _ => None,
    })?;
    let words = parts.iter().find_map(|part| match part {
        Part::Text(text) if !text.trim().is_empty() => Some(text.as_str()),
        _ => None,
    });
    let name = || {
        parts.iter().find_map(|part| match part {
            Part::ResourceLink { name, .. } => Some(name.as_str()),
            Part::Resource { uri, .. } => Some(uri.as_str()),
            Part::Image { .. } => Some("An image"),
            Part::Text(_) => None,
        })
    };
    // A prompt may be many megabytes; its beginning is enough.
    let start: String = words
        .or_else(name)?
        .trim_start()
        .chars()
        .take(2 * LONGEST)
        .collect();
    let title = headline(&start, LONGEST);
    Some(title.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles() {
        let text = |text: &str| Part::Text(text.to_owned());
        let image = || Part::Image {
            mime_type: "image/png".into(),
            data: vec![1],
        };
        let long = "x".repeat(100);
        let rows = [
            (
                vec![text("Say\nhello  twice")],
                Some("Say hello twice".to_owned()),
            ),
            (vec![text(" "), image()], Some("An image".to_owned())),
            (
                vec![image(), text("What is it?")],
                Some("What is it?".to_owned()),
            ),
            (vec![text(&long)], Some(format!("{}…", "x".repeat(LONGEST)))),
            (vec![], None),
        ];
        for (parts, expected) in rows {
            let shown = format!("{parts:?}");
            assert_eq!(title(&[Message::User(parts)]), expected, "{shown}");
        }
    }
}
