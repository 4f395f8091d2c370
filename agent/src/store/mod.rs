//! The sessions on disk.
//!
//! A folder of files, one a session, each a list of lines that only ever grows. Apart from the
//! sessions in memory, because a session outlives the process; the two meet in [`Item`], of which
//! both the live turn and the replay are made.
//!
//! # The format
//!
//! `<state>/sessions/<session id>.jsonl`, UTF-8, one JSON object a line, each line ended by a
//! newline. Line 1 is the [`Header`], every further line one [`Item`]:
//!
//! ```json
//! {"format":1,"session_id":"sess_1","cwd":"/home/ann/app","created":"2026-01-31T09:00:00Z"}
//! {"item":"mode","id":"plan"}
//! {"item":"user_message","message_id":"m1","content":[{"type":"text","text":"What is in a.txt?"}],"at":"2026-01-31T09:00:05Z"}
//! {"item":"title","title":"What is in a.txt?"}
//! {"item":"tool_call","call":{"toolCallId":"t1","title":"Read a.txt","kind":"read","status":"completed","rawInput":{"path":"a.txt"}},"request":{"id":"c1","name":"read_file","arguments":{"path":"a.txt"}},"outcome":"completed","text":"hello"}
//! {"item":"agent_message","message_id":"m2","text":"It says hello."}
//! {"item":"turn_end","end":"end_turn","at":"2026-01-31T09:00:06Z"}
//! ```
//!
//! - Items are complete things in the order in which they came to be. A turn begins with a
//!   `user_message` and ends with a `turn_end`; a turn without its end was interrupted.
//! - Members that a reader does not know are ignored, so that a later version may add some.
//! - A *kind* of item that a reader does not know is an error. To skip it would be to guess that
//!   it does not matter, and the next kind may well be the one that takes a permission back. Who
//!   adds a kind therefore raises `format`, and a reader of an older format refuses the whole file
//!   with [`StoreError::NewerFormat`], before anything of it is believed.
//!
//! # What is durable when
//!
//! | after | it survives |
//! |---|---|
//! | [`SessionLog::append`] | the end of the process, also by SIGKILL |
//! | [`SessionLog::sync`] | a power cut; also the file's name, and the folders made for it |
//! | [`Store::delete`] | it stays deleted after a power cut |
//!
//! The agent syncs at the end of each turn, before it answers the prompt: what the client was told
//! is on the disk. A session that was made and never synced may be gone, or be an empty file.
//!
//! # What may be wrong with a file
//!
//! | the file | is |
//! |---|---|
//! | has no newline at the end | loaded without its torn last line, with a warning; the next append cuts it off first |
//! | has a last line that is no JSON (a power cut can leave zeros) | the same |
//! | has any other bad line | refused from there on with [`StoreError::Damaged`] and the line's number |
//! | has no whole header, or that of another session | the same, line 1 |
//! | has `\r\n` for newlines, after an editor | loaded |
//!
//! # What is never done
//!
//! - Nothing is rewritten: not to compact, not to index, not to mend. There is no second file that
//!   could disagree.
//! - No file is written by two processes: flock(2), held as long as the session is open. Copies on
//!   file systems that several machines share are as good as their flock is.
//! - No session that was removed is made again: a log whose file is gone says so.
//! - A failed write leaves no part of a line behind. A failed flush ends the log, as the kernel
//!   will not tell twice.
//! - Nobody but the user can read a session: the folder has mode 0700, the files 0600.
//!
//! ACP: <https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions>

mod cursor;
mod encoding;
mod error;
mod folder;
mod id;
mod item;
mod lines;
mod list;
mod lock;
mod log;
mod replay;

pub use error::StoreError;
pub use folder::Store;
pub use item::{FORMAT, Header, Item, TurnEnd};
pub use list::{Page, Summary};
pub use log::{SessionLog, Stopped};
pub use replay::{Opened, Replayed};
