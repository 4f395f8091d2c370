//! Another machine, by OpenSSH.
//!
//! The connection of the guard is the master of all others (ssh_config(5), `ControlMaster`), so a
//! command costs one round trip and no login. The control socket lies in the daemon's own folder and
//! is named relative to it, because the path of a socket may hold only about a hundred bytes.
//!
//! What must stay true: nobody is asked anything, nothing is forwarded, and a connection that is
//! gone is noticed on this side too.

use std::{ffi::OsString, fs, path::Path};

use super::{
    channel::Load,
    shell::{LAUNCHER, quote},
};
use crate::{config::SshConfig, target::Locator};

/// What holds for every connection; the user's own options come first, and the first one counts.
const OPTIONS: [&str; 8] = [
    "BatchMode=yes",
    "ConnectTimeout=20",
    "ServerAliveInterval=15",
    "ServerAliveCountMax=3",
    "ClearAllForwardings=yes",
    "ForwardAgent=no",
    "PermitLocalCommand=no",
    "EscapeChar=none",
];

/// How a machine is reached.
#[derive(Debug)]
pub(super) struct Ssh {
    destination: String,
    options: Vec<String>,
    session: String,
}

impl Ssh {
    pub(super) fn new(config: &SshConfig, locator: &Locator) -> Self {
        Self {
            destination: config.destination.clone(),
            options: config.options.clone(),
            session: locator.session.to_string(),
        }
    }

    pub(super) fn told(&self) -> String {
        format!("ssh {}", self.destination)
    }

    /// Removes the control sockets of guards that were killed. They lie in this folder.
    pub(super) fn tidy(&self, folder: &Path) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries {
            if entry
                .file_name()
                .as_encoded_bytes()
                .starts_with(self.socket("").as_bytes())
            {
                // One that stays is only a file that nobody uses.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// The name of a control socket. A part of the session's id is enough to tell it from others,
    /// and keeps the name short.
    fn socket(&self, generation: &str) -> String {
        format!("{}-{generation}", &self.session[..12])
    }

    /// The words of a client.
    pub(super) fn words(&self, load: Load, generation: &str) -> Vec<OsString> {
        let mut words: Vec<String> = vec!["ssh".into(), "-T".into()];
        words.extend(self.options.iter().cloned());
        for option in OPTIONS {
            words.extend(["-o".into(), option.into()]);
        }
        let socket = format!("ControlPath=./{}", self.socket(generation));
        let master = match load {
            Load::Guard => "ControlMaster=yes",
            Load::Command => "ControlMaster=no",
        };
        for option in [&socket, master, "ControlPersist=no"] {
            words.extend(["-o".into(), option.into()]);
        }
        words.extend(["--".into(), self.destination.clone(), remote_string()]);
        words.into_iter().map(OsString::from).collect()
    }
}

/// What the user's login shell on the other machine gets, whichever it is: one string.
fn remote_string() -> String {
    let launcher = String::from_utf8_lossy(&quote(LAUNCHER.as_bytes())).into_owned();
    format!("exec sh -c {launcher}")
}

#[cfg(test)]
mod tests {
    use super::remote_string;

    #[test]
    fn every_login_shell_understands_the_string() {
        let string = remote_string();
        assert_eq!(string.matches('\'').count(), 2, "{string}");
        assert!(!string.contains(['\n', '!', '`']), "{string}");
    }
}
