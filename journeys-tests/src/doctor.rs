//! The look at the agent's command before a run: can it start at all?
//!
//! Apart from the journeys, because what it finds is no fault of an agent: the system would refuse to
//! start the program and say no more than "No such file or directory" or "Exec format error". The
//! doctor says which file is meant and what to do.
//!
//! What must stay true: it refuses only what cannot start. What it cannot judge it lets pass.
//!
//! See execve(2).

use std::path::{Path, PathBuf};

use crate::executable::{self, Format};

/// An interpreter may be a script itself; the kernel follows so many.
const MAX_INTERPRETERS: usize = 4;

/// Why a command cannot start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Ailment {
    /// It is nowhere on PATH.
    #[error("{program:?} is not on PATH; give its path, or add its folder to PATH")]
    NotOnPath {
        /// The name.
        program: String,
    },
    /// There is nothing at the path.
    #[error("{} does not exist{}", path.display(), hint(path))]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// It is a folder or something else.
    #[error("{} is not a file; name the program in it", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// It may not be executed.
    #[error("{0} is not executable; run: chmod +x {0}", path.display())]
    NotExecutable {
        /// The path.
        path: PathBuf,
    },
    /// It is a program for other processors.
    #[error(
        "{} is a program for {found}, and this machine is {}; build it for this machine",
        path.display(), std::env::consts::ARCH
    )]
    OtherArchitecture {
        /// The path.
        path: PathBuf,
        /// The architecture of the file.
        found: String,
    },
    /// The interpreter of a script, or the loader of a program, is not there.
    #[error(
        "{} needs {needs}, which is not on this machine; install it, or build a static program",
        path.display()
    )]
    NoInterpreter {
        /// The script or program.
        path: PathBuf,
        /// What it needs.
        needs: String,
    },
}

/// Looks at a program and returns the file that would be executed.
///
/// # Errors
/// The first reason for which it cannot start.
pub fn examine(program: &str) -> Result<PathBuf, Ailment> {
    let path = executable::find(program).ok_or_else(|| Ailment::NotOnPath {
        program: program.to_owned(),
    })?;
    examine_file(&path, MAX_INTERPRETERS)?;
    Ok(path)
}

fn examine_file(path: &Path, depth: usize) -> Result<(), Ailment> {
    let owned = || path.to_owned();
    let Ok(metadata) = path.metadata() else {
        return Err(Ailment::Missing { path: owned() });
    };
    if !metadata.is_file() {
        return Err(Ailment::NotAFile { path: owned() });
    }
    if !executable::is_executable(path) {
        return Err(Ailment::NotExecutable { path: owned() });
    }
    // A program may be executable and not readable: then there is nothing to judge.
    match executable::format(path).unwrap_or(Format::Other) {
        Format::Elf { machine, loader } => examine_elf(path, machine, loader),
        Format::Script {
            interpreter,
            argument,
        } if depth > 0 => examine_script(path, &interpreter, &argument, depth),
        Format::Script { .. } | Format::Other => Ok(()),
    }
}

fn examine_elf(path: &Path, machine: u16, loader: Option<String>) -> Result<(), Ailment> {
    let own = own_machines();
    if !own.is_empty() && !own.contains(&machine) {
        return Err(Ailment::OtherArchitecture {
            path: path.to_owned(),
            found: machine_name(machine),
        });
    }
    match loader {
        Some(loader) if !Path::new(&loader).exists() => Err(Ailment::NoInterpreter {
            path: path.to_owned(),
            needs: format!("the dynamic loader {loader}"),
        }),
        _ => Ok(()),
    }
}

fn examine_script(
    path: &Path,
    interpreter: &str,
    argument: &str,
    depth: usize,
) -> Result<(), Ailment> {
    let missing = |needs: &str| Ailment::NoInterpreter {
        path: path.to_owned(),
        needs: format!("the interpreter {needs}"),
    };
    // A line that ends with CR names an interpreter that nobody has; it is a common slip.
    if interpreter.ends_with('\r') || argument.ends_with('\r') {
        return Err(missing(&format!(
            "{:?} (the line ends with a carriage return)",
            interpreter
        )));
    }
    if !Path::new(interpreter).exists() {
        return Err(missing(interpreter));
    }
    examine_file(Path::new(interpreter), depth - 1)?;
    if interpreter.ends_with("/env")
        && let Some(name) = env_program(argument)
        && executable::find(name).is_none()
    {
        return Err(missing(name));
    }
    Ok(())
}

/// `env node`, `env -S node --flag`: the program that env looks up. None if that cannot be told.
fn env_program(argument: &str) -> Option<&str> {
    let rest = argument.strip_prefix("-S").unwrap_or(argument);
    let name = rest.split_whitespace().next()?;
    (!name.starts_with('-') && !name.contains('=')).then_some(name)
}

/// The machine types that this processor runs; none where nothing is known of it.
fn own_machines() -> &'static [u16] {
    use elf::abi::{EM_386, EM_AARCH64, EM_ARM, EM_RISCV, EM_X86_64};
    match std::env::consts::ARCH {
        "x86_64" => &[EM_X86_64, EM_386],
        "aarch64" => &[EM_AARCH64, EM_ARM],
        "riscv64" => &[EM_RISCV],
        _ => &[],
    }
}

fn machine_name(machine: u16) -> String {
    use elf::abi::{EM_386, EM_AARCH64, EM_ARM, EM_RISCV, EM_X86_64};
    match machine {
        EM_X86_64 => "x86_64".to_owned(),
        EM_386 => "x86 (32 bit)".to_owned(),
        EM_AARCH64 => "aarch64".to_owned(),
        EM_ARM => "arm (32 bit)".to_owned(),
        EM_RISCV => "riscv".to_owned(),
        other => format!("another machine (ELF number {other})"),
    }
}

/// A link that points nowhere looks as if it were there.
fn hint(path: &Path) -> &'static str {
    if path.symlink_metadata().is_ok() {
        ": it is a link to a file that is not there"
    } else {
        "; check the path, and that it is mounted here"
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs::{self, Permissions},
        os::unix::fs::{PermissionsExt as _, symlink},
    };

    use super::*;

    /// An ELF header and nothing else: 64 bit, little endian, of this machine type.
    fn elf(machine: u16) -> Vec<u8> {
        let mut header = vec![0_u8; 64];
        header[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        header[16] = 2;
        header[18..20].copy_from_slice(&machine.to_le_bytes());
        header[20] = 1;
        header[52] = 64;
        header[54] = 56;
        header[58] = 64;
        header
    }

    #[test]
    fn each_ailment_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let put = |name: &str, content: &[u8], mode: u32| {
            fs::write(at(name), content).unwrap();
            fs::set_permissions(at(name), Permissions::from_mode(mode)).unwrap();
        };
        put("plain", b"#!/bin/sh\n", 0o644);
        put("fine", b"#!/bin/sh\n", 0o755);
        put("env", b"#!/usr/bin/env sh\n", 0o755);
        put("env-split", b"#!/usr/bin/env -S sh -e\n", 0o755);
        put("no-node", b"#!/usr/bin/env no-such-node\n", 0o755);
        put("no-python", b"#!/opt/no/python3\n", 0o755);
        put("crlf", b"#!/bin/sh\r\n", 0o755);
        put("no-shebang", b"echo\n", 0o755);
        put("arm", &elf(elf::abi::EM_PPC64), 0o755);
        symlink("nowhere", at("link")).unwrap();
        symlink("fine", at("good-link")).unwrap();
        #[rustfmt::skip]
        let table = [
            ("fine", None), ("env", None), ("env-split", None), ("no-shebang", None), ("good-link", None),
            ("plain", Some("is not executable; run: chmod +x ")),
            ("missing", Some("does not exist; check the path")),
            ("link", Some("it is a link to a file that is not there")),
            (".", Some("is not a file")),
            ("no-node", Some("needs the interpreter no-such-node")),
            ("no-python", Some("needs the interpreter /opt/no/python3")),
            ("crlf", Some("carriage return")),
            ("arm", Some("is a program for another machine (ELF number 21)")),
        ];
        for (name, wanted) in table {
            let found = examine(at(name).to_str().unwrap());
            match wanted {
                None => assert_eq!(found, Ok(at(name))),
                Some(part) => {
                    let words = found.unwrap_err().to_string();
                    assert!(words.contains(part), "{name}: {words}");
                }
            }
        }
        let words = examine("no-such-agent").unwrap_err().to_string();
        assert!(
            words.contains("\"no-such-agent\" is not on PATH"),
            "{words}"
        );
        let own = std::env::current_exe().unwrap();
        assert_eq!(examine(own.to_str().unwrap()), Ok(own));
    }
}
