//! The floor's program, compiled where and when it is needed.
//!
//! It is written in C, because it stands for what the machine can do at best: no runtime that
//! starts, no allocator, no threads. The source is part of this program, so that a bench that was
//! copied elsewhere still has its floor.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::fault::Fault;

const SOURCE: &str = include_str!("../floor/floor.c");

/// The compiler when `CC` does not name one.
const COMPILER: &str = "cc";

/// Compiles the floor into `folder` and returns the program's path.
///
/// # Errors
/// There is no C compiler, or it does not take the source.
pub fn build(folder: &Path) -> Result<PathBuf, Fault> {
    let source = folder.join("floor.c");
    let program = folder.join("floor");
    fs::write(&source, SOURCE).map_err(Fault::machine("writing the floor's source"))?;
    let compiler = env::var("CC").unwrap_or_else(|_| COMPILER.to_owned());
    let output = compile(&compiler, &source, &program).map_err(|source| Fault::NoCompiler {
        compiler: compiler.clone(),
        source,
    })?;
    if output.status.success() {
        Ok(program)
    } else {
        Err(Fault::Compile {
            compiler,
            message: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }
}

fn compile(compiler: &str, source: &Path, program: &Path) -> io::Result<std::process::Output> {
    Command::new(compiler)
        .arg("-O2")
        .arg("-o")
        .args([program, source])
        .stdin(Stdio::null())
        .output()
}
