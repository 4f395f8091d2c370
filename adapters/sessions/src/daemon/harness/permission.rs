//! The answer to a permission request: the profile's policy, since a program cannot be asked.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission>

use serde_json::{Value, json};

use crate::config::Permissions;

/// Chooses an option of a request. "Once" comes before "always", so that a policy of today grants
/// nothing for tomorrow. Without a fitting option the request is answered as cancelled.
pub(super) fn answer(request: &Value, policy: Permissions) -> Value {
    let kinds = match policy {
        Permissions::Allow => ["allow_once", "allow_always"],
        Permissions::Reject => ["reject_once", "reject_always"],
    };
    let options = request["options"].as_array().map_or(&[][..], Vec::as_slice);
    let chosen = kinds.iter().find_map(|kind| {
        let option = options.iter().find(|option| option["kind"] == *kind)?;
        option["optionId"].as_str()
    });
    match chosen {
        Some(id) => json!({"outcome": {"outcome": "selected", "optionId": id}}),
        None => cancelled(),
    }
}

/// The answer to what cannot be answered any more.
pub(super) fn cancelled() -> Value {
    json!({"outcome": {"outcome": "cancelled"}})
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{answer, cancelled};
    use crate::config::Permissions::{Allow, Reject};

    #[test]
    fn the_policy_chooses_once_before_always() {
        let all = ["allow_always", "allow_once", "reject_always", "reject_once"];
        //  offered                    policy  chosen
        let table = [
            (&all[..], Allow, Some("allow_once")),
            (&all[..], Reject, Some("reject_once")),
            (&all[..1], Allow, Some("allow_always")),
            (&all[..2], Reject, None),
            (&all[2..], Allow, None),
            (&[][..], Allow, None),
        ];
        for (offered, policy, chosen) in table {
            let options: Vec<_> = offered
                .iter()
                .map(|kind| json!({"kind": kind, "optionId": kind, "name": kind}))
                .collect();
            let expected = chosen.map_or_else(
                cancelled,
                |id| json!({"outcome": {"outcome": "selected", "optionId": id}}),
            );
            let request = json!({"options": options});
            assert_eq!(answer(&request, policy), expected, "{offered:?} {policy:?}");
        }
        assert_eq!(answer(&json!({}), Allow), cancelled());
    }
}
