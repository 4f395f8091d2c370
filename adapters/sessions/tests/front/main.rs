//! The front, as a client meets it: the built program over stdio, and behind it a daemon that is
//! scripted and records what it is asked.
//!
//! The tests are numbered as the cases of the specification that they are for.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

mod a_start;
mod b_new;
mod c_prompt;
mod d_cancel;
mod e_exit;
mod f_retire;
mod g_back_end;
mod h_people;
mod i_page;
mod j_docs;
mod support;
