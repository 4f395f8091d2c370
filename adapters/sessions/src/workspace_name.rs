//! From the name of a workspace to the workspace, or to the refusal that says what to do.
//!
//! Apart from the commands because the front does it twice, at its start and for each session, and
//! both refusals must say the same.

use std::fmt;

use crate::api::Workspace;

/// No workspace was named, or none has the name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct WorkspaceRefused {
    /// The name, trimmed; none if none was given.
    name: Option<String>,
    /// Each with how many sessions it has; none if they cannot be read.
    existing: Option<Vec<(String, usize)>>,
}

/// Finds a workspace by its name. Blanks around it and letter case do not matter.
///
/// # Errors
/// [`WorkspaceRefused`], which lists those that exist in the order in which they are given.
pub fn choose<'a>(
    name: Option<&str>,
    workspaces: &'a [Workspace],
) -> Result<&'a Workspace, WorkspaceRefused> {
    let name = name.map(str::trim).filter(|name| !name.is_empty());
    let key = name.map(str::to_lowercase);
    let found = workspaces
        .iter()
        .find(|workspace| key.as_ref() == Some(&workspace.name.trim().to_lowercase()));
    let known = |workspace: &Workspace| (workspace.name.clone(), workspace.session_count);
    found.ok_or_else(|| WorkspaceRefused {
        name: name.map(str::to_owned),
        existing: Some(workspaces.iter().map(known).collect()),
    })
}

/// No workspace was named, and those that exist cannot be read.
pub fn unnamed() -> WorkspaceRefused {
    WorkspaceRefused {
        name: None,
        existing: None,
    }
}

impl fmt::Display for WorkspaceRefused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(out, "unknown workspace {name:?}; ")?,
            None => out.write_str("a workspace must be named: --workspace NAME; ")?,
        }
        match self.existing.as_deref() {
            None => out.write_str("those that exist cannot be read")?,
            Some([]) => out.write_str("there is no workspace yet")?,
            Some(existing) => {
                out.write_str("there are: ")?;
                for (index, (name, sessions)) in existing.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    let plural = if *sessions == 1 { "" } else { "s" };
                    write!(out, "{comma}{name} ({sessions} session{plural})")?;
                }
            }
        }
        out.write_str("; make one with: acp-sessions workspaces create NAME")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace(name: &str, session_count: usize) -> Workspace {
        Workspace {
            id: format!("id of {name}"),
            name: name.to_owned(),
            session_count,
            opened_at: String::new(),
        }
    }

    #[test]
    fn case_06_blanks_and_letter_case_do_not_matter() {
        let all = [workspace("alpha", 0), workspace("Release", 2)];
        let table = [
            ("alpha", Some("alpha")),
            (" release ", Some("Release")),
            ("RELEASE", Some("Release")),
            ("rel", None),
            ("", None),
        ];
        for (name, expected) in table {
            let found = choose(Some(name), &all).map(|found| found.name.as_str());
            assert_eq!(found.ok(), expected, "{name:?}");
        }
    }

    #[test]
    fn a_refusal_says_what_there_is_and_how_to_make_one() {
        let all = [workspace("alpha", 0), workspace("beta", 1)];
        assert_eq!(
            choose(Some("nosuch"), &all).unwrap_err().to_string(),
            "unknown workspace \"nosuch\"; there are: alpha (0 sessions), beta (1 session); \
             make one with: acp-sessions workspaces create NAME"
        );
        assert_eq!(
            choose(None, &[]).unwrap_err().to_string(),
            "a workspace must be named: --workspace NAME; there is no workspace yet; \
             make one with: acp-sessions workspaces create NAME"
        );
    }
}
