//! Whether a reply that failed is asked for again, and when. Pure policy.
//!
//! Must stay true: a reply of which anything was passed on is never asked for again, because the
//! user would read its beginning twice; and no pause is longer than the patience allows.

use std::time::Duration;

use reqwest::StatusCode;

use super::{failure::Failure, limits::Patience};

/// How long to wait before the next try; nothing when there is none.
///
/// `tried` counts the tries so far; `spread`, from 0 to 1, keeps many agents that failed together
/// from coming back together.
pub(super) fn pause(
    failure: &Failure,
    tried: u32,
    said: bool,
    patience: &Patience,
    spread: f64,
) -> Option<Duration> {
    if said || tried >= patience.tries || !passes(failure) {
        return None;
    }
    if let Failure::Status {
        retry_after: Some(wanted),
        ..
    } = failure
    {
        return (*wanted <= patience.longest_pause).then_some(*wanted);
    }
    let doubled = 2_u32.saturating_pow(tried.saturating_sub(1));
    let full = patience.pause.saturating_mul(doubled);
    let full = full.min(patience.longest_pause);
    Some(full.mul_f64(0.5 + 0.5 * spread.clamp(0.0, 1.0)))
}

/// Whether it may go better the next time. Waiting was long enough already, so a server that was
/// late is not waited for again.
fn passes(failure: &Failure) -> bool {
    match failure {
        Failure::Unreachable(_) | Failure::Broken(_) => true,
        Failure::Status {
            status, lasting, ..
        } => {
            let passing = matches!(
                *status,
                StatusCode::REQUEST_TIMEOUT | StatusCode::CONFLICT | StatusCode::TOO_MANY_REQUESTS
            );
            !lasting && (passing || status.is_server_error())
        }
        Failure::Reported { passing, .. } => *passing,
        Failure::Late { .. }
        | Failure::Garbage(_)
        | Failure::TooMuch { .. }
        | Failure::UnknownStop(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Patience = Patience {
        connect: Duration::ZERO,
        answer: Duration::ZERO,
        piece: Duration::ZERO,
        whole: Duration::ZERO,
        tries: 4,
        pause: Duration::from_secs(1),
        longest_pause: Duration::from_secs(3),
    };

    fn status(status: u16, retry_after: Option<u64>, lasting: bool) -> Failure {
        Failure::Status {
            status: StatusCode::from_u16(status).unwrap(),
            words: String::new(),
            retry_after: retry_after.map(Duration::from_secs),
            lasting,
        }
    }

    fn reported(passing: bool) -> Failure {
        let words = String::new();
        Failure::Reported { words, passing }
    }

    #[test]
    fn what_is_tried_again() {
        let late = Failure::Late {
            what: "did not answer",
            waited: Duration::ZERO,
        };
        for (failure, again) in [
            (Failure::Unreachable(String::new()), true),
            (Failure::Broken(String::new()), true),
            (late, false),
            (Failure::Garbage(String::new()), false),
            (reported(true), true),
            (reported(false), false),
            (status(429, None, false), true),
            // A quota that is used up.
            (status(429, None, true), false),
            (status(408, None, false), true),
            (status(500, None, false), true),
            (status(529, None, false), true),
            (status(400, None, false), false),
            (status(401, None, false), false),
            (status(302, None, false), false),
        ] {
            let pause = pause(&failure, 1, false, &PATIENCE, 1.0);
            assert_eq!(pause.is_some(), again, "{failure:?}");
        }
    }

    #[test]
    fn how_long_the_pause_is() {
        let failed = || status(503, None, false);
        let seconds = |pause: Option<Duration>| pause.map(|pause| pause.as_secs_f64());
        for (failure, tried, said, spread, expected) in [
            (failed(), 1, false, 1.0, Some(1.0)),
            (failed(), 1, false, 0.0, Some(0.5)),
            (failed(), 2, false, 1.0, Some(2.0)),
            // Four seconds would be too long.
            (failed(), 3, false, 1.0, Some(3.0)),
            (failed(), 4, false, 1.0, None),
            (failed(), 1, true, 1.0, None),
            (status(429, Some(2), false), 1, false, 0.0, Some(2.0)),
            (status(429, Some(0), false), 1, false, 1.0, Some(0.0)),
            (status(429, Some(4), false), 1, false, 1.0, None),
        ] {
            let pause = pause(&failure, tried, said, &PATIENCE, spread);
            assert_eq!(seconds(pause), expected, "{failure:?} {tried}");
        }
    }
}
