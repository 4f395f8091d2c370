//! An sshd on loopback, with keys, configuration and port of its own. It needs `sshd` (Debian:
//! `openssh-server`); `scripts/test-targets` installs it.

use std::{
    fs,
    net::TcpListener,
    os::unix::fs::DirBuilderExt as _,
    path::Path,
    process::{Child, Command, Stdio},
};

use acp_sessions::config::TargetConfig;

use crate::scene::{target_of, until};

/// A server with its keys.
pub struct Server {
    /// The server itself.
    pub child: Child,
    /// As it stands in a configuration.
    pub text: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    pub async fn start(folder: &Path) -> Self {
        let folder = folder.join("ssh");
        fs::DirBuilder::new().mode(0o700).create(&folder).unwrap();
        // Where it separates privileges; Debian's start script makes it.
        let _ = fs::create_dir("/run/sshd");
        fs::create_dir(folder.join("home")).unwrap();
        for name in ["host", "user"] {
            let status = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f", name])
                .current_dir(&folder)
                .status()
                .expect("ssh-keygen; it needs openssh-client");
            assert!(status.success());
        }
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let shown = folder.display();
        let config = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {shown}/host\nPidFile none\nUsePAM no\n\
             AuthorizedKeysFile {shown}/user.pub\nStrictModes no\nPasswordAuthentication no\n\
             SetEnv HOME={shown}/home\n"
        );
        fs::write(folder.join("config"), config).unwrap();
        let host = fs::read_to_string(folder.join("host.pub")).unwrap();
        fs::write(folder.join("known"), format!("[127.0.0.1]:{port} {host}")).unwrap();
        let child = Command::new("/usr/sbin/sshd")
            .args(["-D", "-e", "-f"])
            .arg(folder.join("config"))
            .stdin(Stdio::null())
            .stderr(fs::File::create(folder.join("log")).unwrap())
            .spawn()
            .expect("/usr/sbin/sshd; it needs openssh-server, see scripts/test-targets");
        until("sshd listens", || {
            std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()
        })
        .await;
        let options = format!(
            r#"["-F", "none", "-p", "{port}", "-i", "{shown}/user", "-o", "IdentitiesOnly=yes", "-o", "UserKnownHostsFile={shown}/known"]"#
        );
        let text = format!(
            "kind = \"ssh\"\ndestination = \"127.0.0.1\"\noptions = {options}\nfolder = \"{shown}/remote\"\n"
        );
        Self { child, text }
    }

    pub fn target(&self) -> TargetConfig {
        target_of(&self.text)
    }
}
