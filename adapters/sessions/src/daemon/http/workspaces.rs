//! `/workspaces`.

use axum::{Json, extract::State};

use super::{Shared, extract::Body};
use crate::{
    api::{NewWorkspace, Workspace, Workspaces},
    daemon::refusal::Refusal,
};

/// The longest name, in characters.
const LONGEST: usize = 64;

pub(super) async fn list(State(daemon): State<Shared>) -> Result<Json<Workspaces>, Refusal> {
    let workspaces = daemon.store.workspaces().await?;
    Ok(Json(Workspaces { workspaces }))
}

pub(super) async fn create(
    State(daemon): State<Shared>,
    Body(new): Body<NewWorkspace>,
) -> Result<Json<Workspace>, Refusal> {
    let name = checked(&new.name)?;
    Ok(Json(daemon.store.create_workspace(name).await?))
}

fn checked(name: &str) -> Result<String, Refusal> {
    let name = name.trim();
    let length = name.chars().count();
    if (1..=LONGEST).contains(&length) && !name.chars().any(char::is_control) {
        return Ok(name.to_owned());
    }
    Err(Refusal::malformed(format!(
        "the name must have 1 to {LONGEST} characters, none of them a control character"
    )))
}

#[cfg(test)]
mod tests {
    use super::checked;

    #[test]
    fn names_are_trimmed_and_checked() {
        let long = "é".repeat(65);
        let table = [
            (" Release ", Some("Release")),
            ("a b", Some("a b")),
            (&long[..128], Some(&long[..128])),
            (&long, None),
            ("  ", None),
            ("a\tb", None),
        ];
        for (name, expected) in table {
            assert_eq!(checked(name).ok().as_deref(), expected, "{name:?}");
        }
    }
}
