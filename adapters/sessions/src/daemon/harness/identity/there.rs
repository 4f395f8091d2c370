//! Looking at a program on another machine or in a container, with the tools that are there.

use std::path::Path;

use super::{Inspected, Unknown};
use crate::{
    config::ProfileConfig,
    target::{Place, TargetCommand},
};

/// Prints the platform, what kind of file a program is, and its digest. `$1` is the program.
const INSPECT: &str = r#"
uname -s -m || exit 1
program=$(command -v -- "$1") || { echo missing; exit 0; }
program=$(readlink -f -- "$program") && [ -f "$program" ] || { echo missing; exit 0; }
case "$(head -c 4 -- "$program" | od -An -tx1 | tr -d ' \n')" in
7f454c46) echo program ;;
*) echo script; exit 0 ;;
esac
sha256sum < "$program" | cut -d ' ' -f 1
"#;

pub(super) async fn inspect(place: &Place, profile: &ProfileConfig, cwd: &Path) -> Inspected {
    let program = profile.command.first().map_or("", String::as_str);
    let mut command = TargetCommand::new(["sh", "-c", INSPECT, "inspect", program]).cwd(cwd);
    if let Some(path) = profile.env.get("PATH") {
        command = command.env("PATH", path);
    }
    let why = match place.run(&command, b"").await {
        Ok(output) if output.is_success() => return read(&output.text()),
        Ok(output) => output.stderr.trim().to_owned(),
        Err(error) => error.to_string(),
    };
    Inspected {
        platform: "unknown".to_owned(),
        digest: Err(Unknown::Unreadable(why)),
    }
}

/// Reads what [`INSPECT`] prints.
pub(super) fn read(text: &str) -> Inspected {
    let mut lines = text.lines();
    let platform = lines.next().unwrap_or("unknown");
    let digest = match (lines.next(), lines.next()) {
        (Some("program"), Some(digest)) if digest.len() == 64 => Ok(digest.to_owned()),
        (Some("script"), _) => Err(Unknown::Script),
        (Some("missing"), _) => Err(Unknown::Missing),
        _ => Err(Unknown::Unreadable("it has no digest".to_owned())),
    };
    Inspected {
        platform: platform.to_lowercase().replace(' ', "-"),
        digest,
    }
}
