//! podman with settings and a store of its own, and an image made of this machine's busybox and
//! git. It needs `podman`, `runc` and `busybox`; `scripts/test-targets` installs them.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use acp_sessions::config::TargetConfig;

use crate::scene::{Scene, target_of};

/// podman as this test has it.
pub struct Podman {
    folder: PathBuf,
    /// podman with these settings.
    pub program: PathBuf,
    /// The target, as it stands in a configuration.
    pub text: String,
}

impl Drop for Podman {
    fn drop(&mut self) {
        let _ = Command::new(&self.program)
            .args(["rm", "--all", "--force", "--time", "0"])
            .output();
        let mounts = fs::read_to_string("/proc/mounts").unwrap_or_default();
        for mount in mounts.lines().filter_map(|line| line.split(' ').nth(1)) {
            if Path::new(mount).starts_with(&self.folder) {
                let _ = Command::new("umount").args(["-l", mount]).status();
            }
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}

impl Podman {
    /// With an image that holds a shell and git.
    pub fn new(scene: &Scene) -> Self {
        Self::with(scene, &[])
    }

    /// The same, and these programs of this machine.
    pub fn with(scene: &Scene, programs: &[&str]) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("acp-podman-")
            .tempdir()
            .unwrap()
            .keep();
        let shown = folder.display();
        // podman asks for more open files than a confined root may have.
        let (_, hard) =
            nix::sys::resource::getrlimit(nix::sys::resource::Resource::RLIMIT_NOFILE).unwrap();
        let containers = format!(
            "[containers]\ndefault_ulimits = [\"nofile={hard}:{hard}\", \"nproc=8192:8192\"]\n\
             [engine]\nruntime = \"runc\"\ncgroup_manager = \"cgroupfs\"\nevents_logger = \"none\"\n"
        );
        fs::write(folder.join("containers.conf"), containers).unwrap();
        let storage = format!(
            "[storage]\ndriver = \"overlay\"\ngraphroot = \"{shown}/store\"\nrunroot = \"{shown}/run\"\n"
        );
        fs::write(folder.join("storage.conf"), storage).unwrap();
        let program = folder.join("podman");
        let script = format!(
            "#!/bin/sh\nexport CONTAINERS_CONF={shown}/containers.conf CONTAINERS_STORAGE_CONF={shown}/storage.conf\nexec podman \"$@\"\n"
        );
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let image = folder.join("image.tar");
        image_of(&folder.join("image"), &image, programs);
        let words = [
            "import",
            "--quiet",
            image.to_str().unwrap(),
            "localhost/target",
        ];
        let output = Command::new(&program)
            .args(words)
            .output()
            .expect("podman; see scripts/test-targets");
        assert!(output.status.success(), "{output:?}");
        fs::remove_file(image).unwrap();
        let seen = scene.folder.path().display();
        let text = format!(
            "kind = \"container\"\nimage = \"localhost/target\"\nengine = \"{}\"\n\
             options = [\"--pull=never\", \"--network=none\", \"--volume={seen}:{seen}:ro\"]\n",
            program.display()
        );
        Self {
            folder,
            program,
            text,
        }
    }

    pub fn target(&self) -> TargetConfig {
        target_of(&self.text)
    }

    /// The containers there are, by the label with which a person looks for them.
    pub fn containers(&self) -> String {
        let words = ["ps", "--all", "--quiet", "--filter", "label=acp-sessions"];
        let output = Command::new(&self.program).args(words).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }
}

/// A root file system with a shell and git, as a tar file.
fn image_of(root: &Path, tar: &Path, programs: &[&str]) {
    for folder in ["bin", "tmp", "etc", "root"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    fs::write(root.join("etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n").unwrap();
    let find = |name: &str| {
        let output = Command::new("sh")
            .args(["-c", "command -v \"$0\"", name])
            .output()
            .unwrap();
        let path = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
        assert!(
            path.is_file(),
            "{name} is missing; see scripts/test-targets"
        );
        path
    };
    let mut libraries = BTreeSet::new();
    for program in ["busybox", "git"].iter().chain(programs) {
        let path = find(program);
        let output = Command::new("ldd").arg(&path).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        libraries.extend(
            text.split_whitespace()
                .filter(|word| word.starts_with('/'))
                .map(PathBuf::from),
        );
        fs::copy(&path, root.join("bin").join(path.file_name().unwrap())).unwrap();
    }
    for library in libraries {
        let copy = root.join(library.strip_prefix("/").unwrap());
        fs::create_dir_all(copy.parent().unwrap()).unwrap();
        fs::copy(library, copy).unwrap();
    }
    let applets = Command::new("busybox").arg("--list").output().unwrap();
    for applet in String::from_utf8(applets.stdout).unwrap().lines() {
        if applet != "busybox" {
            std::os::unix::fs::symlink("busybox", root.join("bin").join(applet)).unwrap();
        }
    }
    std::os::unix::fs::symlink("git", root.join("bin/git-upload-pack")).unwrap();
    let status = Command::new("tar")
        .arg("-C")
        .arg(root)
        .arg("-cf")
        .arg(tar)
        .arg(".")
        .status()
        .unwrap();
    assert!(status.success());
    fs::remove_dir_all(root).unwrap();
}
