//! What is started for a stdio server: its command line and its environment, as the client gave
//! them.
//!
//! Must stay true: there is no shell between the client's `args` and the server's `argv`, and the
//! server gets the session's working directory, not the agent's.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#stdio-transport>

use std::{ffi::OsString, path::Path};

use super::failure::StartError;
use crate::{
    acp,
    proc::{Access, CommandSpec},
};

/// The command of a server.
pub(super) fn command(
    server: &acp::McpServerStdio,
    cwd: &Path,
    base: &[(OsString, OsString)],
) -> Result<CommandSpec, StartError> {
    Ok(CommandSpec {
        program: server.command.clone().into(),
        args: server.args.iter().map(OsString::from).collect(),
        cwd: cwd.to_owned(),
        env: environment(base, &server.env)?,
        access: Access::Full,
    })
}

/// The base with the server's own variables. Of one that is given twice the last value counts.
fn environment(
    base: &[(OsString, OsString)],
    own: &[acp::EnvVariable],
) -> Result<Vec<(OsString, OsString)>, StartError> {
    let mut environment = base.to_vec();
    for variable in own {
        // The value may be a secret; only the name is told.
        let wrong = |problem| StartError::Environment {
            name: variable.name.clone(),
            problem,
        };
        if variable.name.is_empty() || variable.name.contains(['=', '\0']) {
            return Err(wrong("a name must not be empty, nor hold `=` or NUL"));
        }
        if variable.value.contains('\0') {
            return Err(wrong("a value must not hold NUL"));
        }
        environment.retain(|(name, _)| *name != *variable.name);
        environment.push(((&variable.name).into(), (&variable.value).into()));
    }
    Ok(environment)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(own: &[(&str, &str)]) -> Result<Vec<(OsString, OsString)>, StartError> {
        let own: Vec<_> = own
            .iter()
            .map(|(n, v)| acp::EnvVariable::new(*n, *v))
            .collect();
        environment(&[("PATH".into(), "/bin".into())], &own)
    }

    #[test]
    fn the_last_value_counts_and_is_kept_as_it_is() {
        let got = merged(&[("A", "1=2"), ("B", ""), ("A", "3=4"), ("PATH", "/x")]).unwrap();
        let expected = [("B", ""), ("A", "3=4"), ("PATH", "/x")];
        let got: Vec<_> = got
            .iter()
            .map(|(n, v)| (n.to_str().unwrap(), v.to_str().unwrap()))
            .collect();
        assert_eq!(got, expected);
        assert_eq!(merged(&[]).unwrap().len(), 1);
    }

    #[test]
    fn what_no_environment_can_hold_is_named_without_its_value() {
        for (name, value) in [
            ("", "secret"),
            ("A=B", "secret"),
            ("A\0", "secret"),
            ("A", "secret\0"),
        ] {
            let text = merged(&[(name, value)]).unwrap_err().to_string();
            assert!(!text.contains("secret"), "{text}");
            assert!(text.contains(&format!("{name:?}")), "{text}");
        }
    }
}
