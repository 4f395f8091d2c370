//! Values that may be written in short: a text alone, a number alone, or all members.
//!
//! Apart from the form of the file, because serde's own way for such values (`untagged`) forgets where
//! they stood and what was expected.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{self, DeserializeOwned, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer},
};
use serde_saphyr::{Location, Spanned};

use super::file::{Entry, Said, Text, Usage};

/// A value that has a short form, [`HasShort`].
#[derive(Debug)]
pub(super) struct Short<T>(pub(super) T);

/// What the short form of a value is.
pub(super) trait HasShort: DeserializeOwned {
    /// Both forms, in words.
    const FORMS: &str;

    fn of_text(_: &str) -> Option<Self> {
        None
    }

    fn of_number(_: u64) -> Option<Self> {
        None
    }
}

impl HasShort for Entry {
    const FORMS: &str = "a text, or an entry with `content`, `priority` and `status`";

    fn of_text(text: &str) -> Option<Self> {
        Some(placeless(text).into())
    }
}

impl HasShort for Usage {
    const FORMS: &str = "a number of tokens, or `used` and `size`";

    fn of_number(used: u64) -> Option<Self> {
        Some(used.into())
    }
}

impl<'de, T: HasShort> Deserialize<'de> for Short<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Either(PhantomData))
    }
}

struct Either<T>(PhantomData<T>);

impl<'de, T: HasShort> Visitor<'de> for Either<T> {
    type Value = Short<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::FORMS)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Short<T>, E> {
        let wrong = || E::invalid_type(de::Unexpected::Str(text), &T::FORMS);
        T::of_text(text).map(Short).ok_or_else(wrong)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Short<T>, E> {
        let wrong = || E::invalid_type(de::Unexpected::Unsigned(number), &T::FORMS);
        T::of_number(number).map(Short).ok_or_else(wrong)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Short<T>, E> {
        let wrong = || E::invalid_type(de::Unexpected::Signed(number), &T::FORMS);
        let number = u64::try_from(number).ok().and_then(T::of_number);
        number.map(Short).ok_or_else(wrong)
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Short<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(members)).map(Short)
    }
}

impl<'de> Deserialize<'de> for Said {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeOrPieces)
    }
}

struct WholeOrPieces;

impl<'de> Visitor<'de> for WholeOrPieces {
    type Value = Said;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, or a list of texts that are sent as they are")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Said, E> {
        Ok(Said::Whole(placeless(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Said, A::Error> {
        let mut pieces = Vec::new();
        while let Some(piece) = items.next_element()? {
            pieces.push(piece);
        }
        Ok(Said::Pieces(pieces))
    }
}

/// A text whose place is that of the step that it stands in.
fn placeless(text: &str) -> Text {
    Spanned::new(text.to_owned(), Location::UNKNOWN, Location::UNKNOWN)
}
