//! One reply of the model, while it is being said.
//!
//! Pieces go to the client at once; what is kept is whole messages. A piece of another kind ends
//! the message before it, so that the order of what was said is the order of what is kept.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#message-ids>

use super::show;
use crate::{
    acp,
    model::{Part, PlanEntry},
    replay,
    session::memory::Ids,
    store::Item,
    updates::text_chunk,
};

/// What was said so far. The last item grows while pieces of its kind come.
#[derive(Default)]
pub(super) struct Reply {
    items: Vec<Item>,
}

impl Reply {
    /// A piece of a message.
    pub(super) fn text(&mut self, piece: String, ids: &mut Ids) -> acp::SessionUpdate {
        if !matches!(self.items.last(), Some(Item::AgentMessage { .. })) {
            self.items.push(Item::AgentMessage {
                message_id: ids.next("msg"),
                text: String::new(),
            });
        }
        acp::SessionUpdate::AgentMessageChunk(self.grow(piece))
    }

    /// A piece of reasoning.
    pub(super) fn thought(&mut self, piece: String, ids: &mut Ids) -> acp::SessionUpdate {
        if !matches!(self.items.last(), Some(Item::AgentThought { .. })) {
            self.items.push(Item::AgentThought {
                message_id: ids.next("msg"),
                text: String::new(),
            });
        }
        acp::SessionUpdate::AgentThoughtChunk(self.grow(piece))
    }

    /// The whole plan.
    pub(super) fn plan(&mut self, entries: Vec<PlanEntry>) -> acp::SessionUpdate {
        let update = replay::plan(&entries);
        self.items.push(Item::Plan { entries });
        update
    }

    /// Something to look at.
    pub(super) fn show(&mut self, part: &Part, ids: &mut Ids) -> acp::SessionUpdate {
        let (item, update) = show::show(part, ids);
        self.items.push(item);
        update
    }

    /// What is to be kept.
    pub(super) fn into_items(self) -> Vec<Item> {
        self.items
    }

    fn grow(&mut self, piece: String) -> acp::ContentChunk {
        match self.items.last_mut() {
            Some(
                Item::AgentMessage { message_id, text } | Item::AgentThought { message_id, text },
            ) => {
                text.push_str(&piece);
                text_chunk(message_id, piece)
            }
            // The callers have just seen to it that there is a message.
            _ => acp::ContentChunk::new(acp::ContentBlock::from(piece)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_become_messages_in_their_order() {
        let (mut reply, mut ids) = (Reply::default(), Ids::default());
        let mut sent = vec![
            reply.text("He".into(), &mut ids),
            reply.text("llo".into(), &mut ids),
            reply.thought("hm".into(), &mut ids),
            reply.text("!".into(), &mut ids),
        ];
        sent.push(reply.plan(Vec::new()));
        let ids: Vec<_> = sent
            .iter()
            .map(|update| serde_json::to_value(update).unwrap()["messageId"].clone())
            .collect();
        assert_eq!(
            ids,
            ["msg_1", "msg_1", "msg_2", "msg_3"]
                .map(serde_json::Value::from)
                .into_iter()
                .chain([serde_json::Value::Null])
                .collect::<Vec<_>>()
        );
        let items = reply.into_items();
        assert_eq!(items.len(), 4);
        assert!(matches!(&items[0], Item::AgentMessage { text, .. } if text == "Hello"));
        assert!(matches!(&items[1], Item::AgentThought { text, .. } if text == "hm"));
    }
}
