//! What a stop reason, or an error, of a harness means.
//!
//! Must stay true: only what is known to mean "finished" does.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/prompt-turn#stop-reasons>

use crate::api::Outcome;

/// The outcome of a turn that was answered with this stop reason. Letter case, `_` and `-` do not
/// matter: harnesses spell it in several ways.
pub(super) fn outcome(stop_reason: &str) -> Outcome {
    let plain: String = stop_reason
        .chars()
        .filter(|letter| !matches!(letter, '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect();
    match plain.as_str() {
        "endturn" => Outcome::Finished,
        "cancelled" | "canceled" => Outcome::Cancelled,
        _ if speaks_of_quota(&plain) => Outcome::QuotaLimit,
        _ if plain.contains("awaitinginput") || plain.contains("inputrequired") => {
            Outcome::InputRequired
        }
        _ => Outcome::Error,
    }
}

/// The outcome of a turn that was answered with an error.
pub(super) fn outcome_of_error(message: &str) -> Outcome {
    let plain: String = message
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    match speaks_of_quota(&plain) {
        true => Outcome::QuotaLimit,
        false => Outcome::Error,
    }
}

fn speaks_of_quota(plain: &str) -> bool {
    ["quota", "usagelimit", "ratelimit"]
        .iter()
        .any(|word| plain.contains(word))
}

#[cfg(test)]
mod tests {
    use super::{outcome, outcome_of_error};
    use crate::api::Outcome;

    #[test]
    fn only_the_end_of_the_turn_is_finished() {
        let table = [
            ("end_turn", Outcome::Finished),
            ("EndTurn", Outcome::Finished),
            ("end-turn", Outcome::Finished),
            ("cancelled", Outcome::Cancelled),
            ("canceled", Outcome::Cancelled),
            ("quota_exceeded", Outcome::QuotaLimit),
            ("usage-limit", Outcome::QuotaLimit),
            ("awaiting_input", Outcome::InputRequired),
            ("refusal", Outcome::Error),
            ("max_tokens", Outcome::Error),
            ("max_turn_requests", Outcome::Error),
            ("end_turn_maybe", Outcome::Error),
            ("finished", Outcome::Error),
            ("", Outcome::Error),
        ];
        for (reason, expected) in table {
            assert_eq!(outcome(reason), expected, "{reason}");
        }
    }

    #[test]
    fn an_error_about_quota_is_told_apart() {
        let table = [
            ("You have hit your usage limit.", Outcome::QuotaLimit),
            ("429: rate_limit_error", Outcome::QuotaLimit),
            ("the model is not there", Outcome::Error),
        ];
        for (message, expected) in table {
            assert_eq!(outcome_of_error(message), expected, "{message}");
        }
    }
}
