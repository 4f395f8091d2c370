//! The digest of a result: the same for the same content, whatever the white space and the order of
//! members are.
//!
//! It is no signature. It notices accidents and clumsy edits: a changed byte of a recording, of which no
//! judge would take notice. Who edits the file and computes the digest again is found only where the
//! verdict no longer follows from the recordings.

use std::io::{self, Write};

use serde_json::Value;

use crate::sha256::Hasher;

/// The member that holds the digest, and so is no part of what is digested.
const OWN_MEMBER: &str = "digest";

/// The digest of a result, as JSON.
#[must_use]
pub fn of(result: &Value) -> String {
    let mut hash = Hasher::default();
    // Writing to a hash cannot fail, and a JSON value is always JSON.
    let _written = write_canonical(result, true, &mut hash);
    hash.finish()
}

/// Members sorted by name, no white space, strings and numbers as `serde_json` writes them.
fn write_canonical(value: &Value, is_whole: bool, out: &mut impl Write) -> io::Result<()> {
    match value {
        Value::Object(members) => {
            let mut names: Vec<&String> = members.keys().collect();
            names.retain(|name| !(is_whole && *name == OWN_MEMBER));
            names.sort_unstable();
            let mut separator = "{";
            for name in &names {
                out.write_all(separator.as_bytes())?;
                serde_json::to_writer(&mut *out, name)?;
                out.write_all(b":")?;
                write_canonical(&members[*name], false, out)?;
                separator = ",";
            }
            out.write_all(if names.is_empty() { b"{}" } else { b"}" })
        }
        Value::Array(items) => {
            out.write_all(b"[")?;
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.write_all(b",")?;
                }
                write_canonical(item, false, out)?;
            }
            out.write_all(b"]")
        }
        plain => Ok(serde_json::to_writer(out, plain)?),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_of_members_and_the_digest_itself_do_not_count_and_all_else_does() {
        let one = json!({"a": 1, "b": [1, {"digest": "x"}], "digest": "one"});
        let same = json!({"digest": "two", "b": [1, {"digest": "x"}], "a": 1});
        assert_eq!(of(&one), of(&same));
        for other in [
            json!({"a": 1, "b": [1, {"digest": "y"}]}),
            json!({"a": "1", "b": [1, {"digest": "x"}]}),
            json!({"a": 1, "b": [{"digest": "x"}, 1]}),
            json!({"a": 1, "b": [1, {"digest": "x"}], "c": null}),
            json!({}),
            json!([]),
        ] {
            assert_ne!(of(&one), of(&other), "{other}");
        }
    }

    #[test]
    fn the_canonical_form() {
        let mut text = Vec::new();
        let value = json!({"b": [], "a": {"d": {}, "c": [1, "é\n"]}, "digest": 1});
        write_canonical(&value, true, &mut text).unwrap();
        let wanted = r#"{"a":{"c":[1,"é\n"],"d":{}},"b":[]}"#;
        assert_eq!(String::from_utf8(text).unwrap(), wanted);
    }
}
