//! Answers of a client that say nothing.

use acp_agent::model::Stub;
use serde_json::json;

use crate::support::client::{Client, text};

/// The case "an answer that says nothing": neither a result nor an error is no permission, and no
/// reason to wait for ever.
#[tokio::test]
async fn a_permission_answer_with_neither_result_nor_error_is_a_refusal() {
    let mut client = Client::start(Stub);
    client.initialize().await;
    let session = client.session().await;
    for nothing in [
        json!({}),
        json!({"result": null}),
        json!({"result": {}}),
        json!({"result": {"outcome": {}}}),
        json!({"error": null}),
        json!({"_meta": {}}),
    ] {
        let id = client.prompt(&session, "/permission").await;
        let request = client.permission().await;
        let mut answer = json!({"jsonrpc": "2.0", "id": request["id"]});
        let members = nothing.as_object().unwrap().clone();
        answer.as_object_mut().unwrap().extend(members);
        client.send(answer).await;
        assert_eq!(
            client.answer(id).await["result"]["stopReason"],
            "end_turn",
            "{nothing}"
        );
        let said = text(&client.updates());
        assert!(said.contains("It was not allowed"), "{nothing}: {said}");
    }
}
