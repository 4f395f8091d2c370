//! Where a session stands in the list, and that place as the opaque cursor of `session/list`.
//!
//! Apart from the listing, because it is pure: an order, and its text form.
//!
//! Must stay true: a cursor is a place, not a page number and not a session, so it stays good when
//! sessions come and go, that one too.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-list#pagination>

use std::cmp::Ordering;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::{StoreError, id};

/// The place of a session in the list. A smaller place comes first: the latest session, and among
/// equals the one with the smaller id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The last activity, as time since 1970.
    updated: Duration,
    id: String,
}

impl Place {
    /// The place of a session that was last written to at `updated`.
    pub(super) fn new(updated: SystemTime, id: String) -> Place {
        // A file from before 1970 has a wrong date; any place will do, if it is always the same.
        let updated = updated.duration_since(UNIX_EPOCH).unwrap_or_default();
        Place { updated, id }
    }

    /// The session at this place.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// When it was last written to.
    pub(super) fn updated_at(&self) -> SystemTime {
        UNIX_EPOCH + self.updated
    }

    /// The cursor of the page that begins behind this place.
    pub(super) fn to_cursor(&self) -> String {
        let (seconds, nanos) = (self.updated.as_secs(), self.updated.subsec_nanos());
        URL_SAFE_NO_PAD.encode(format!("{seconds}.{nanos}.{}", self.id))
    }

    /// The place that a cursor stands for.
    pub(super) fn from_cursor(cursor: &str) -> Result<Place, StoreError> {
        Self::parse(cursor).ok_or(StoreError::InvalidCursor)
    }

    fn parse(cursor: &str) -> Option<Place> {
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
        let mut parts = text.splitn(3, '.');
        let seconds = parts.next()?.parse().ok()?;
        let nanos = parts.next()?.parse().ok()?;
        let id = parts.next().filter(|id| id::is_valid(id))?.to_owned();
        let updated = Duration::from_secs(seconds).checked_add(Duration::from_nanos(nanos))?;
        let place = Place { updated, id };
        // Only what we would write ourselves.
        (place.to_cursor() == cursor).then_some(place)
    }
}

impl Ord for Place {
    fn cmp(&self, other: &Place) -> Ordering {
        let latest_first = other.updated.cmp(&self.updated);
        latest_first.then_with(|| self.id.cmp(&other.id))
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Place) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(nanos: u64, id: &str) -> Place {
        Place::new(UNIX_EPOCH + Duration::from_nanos(nanos), id.to_owned())
    }

    #[test]
    fn the_latest_comes_first_and_then_the_smaller_id() {
        let sorted = [place(2, "b"), place(1, "a"), place(1, "b"), place(0, "a")];
        assert!(sorted.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn a_cursor_gives_its_place_back() {
        for place in [place(0, "a"), place(1_700_000_000_123_456_789, "sess_Z-9")] {
            assert_eq!(Place::from_cursor(&place.to_cursor()).unwrap(), place);
        }
        let before_1970 = Place::new(UNIX_EPOCH - Duration::from_secs(1), "a".to_owned());
        assert_eq!(before_1970, place(0, "a"));
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        let encode = |text: &str| URL_SAFE_NO_PAD.encode(text);
        let table = [
            String::new(),
            "garbage".to_owned(),
            "{}".to_owned(),
            encode(""),
            encode("1.2"),
            encode("1.2."),
            encode("1.2.../x"),
            encode("x.2.a"),
            encode("-1.2.a"),
            encode("01.2.a"),
            encode("1.1000000000.a"),
            encode("18446744073709551615.18446744073709551615.a"),
            place(1, "a").to_cursor() + "=",
        ];
        for cursor in table {
            let refused = Place::from_cursor(&cursor);
            assert!(
                matches!(refused, Err(StoreError::InvalidCursor)),
                "{cursor:?}"
            );
        }
    }
}
