//! `transcript`, `diff` and `search`: what was said and done.

use super::{
    CliError,
    arguments::{Diff, Search, Transcript},
    find, output,
};
use crate::{api::TranscriptQuery, client::Client};

/// As many items as a page has.
const PAGE: u64 = 1000;

pub(super) async fn transcript(client: &Client, flags: Transcript) -> Result<(), CliError> {
    let id = find::session(client, &flags.session).await?;
    let mut after_seq = flags.after;
    let mut items = Vec::new();
    loop {
        let query = TranscriptQuery {
            after_seq,
            limit: Some(PAGE),
            role: flags.role,
        };
        let page = client.transcript(&id, &query).await?;
        if flags.format.json {
            items.extend(page.items);
        } else {
            for item in page.items {
                let (seq, role) = (item.seq, item.role.as_str());
                output::print(&format!(
                    "[{seq}] {role}\n{}\n\n",
                    output::lines(&item.text)
                ))?;
            }
        }
        if !page.has_more {
            break;
        }
        after_seq = page.next_after_seq;
    }
    match flags.format.json {
        true => output::print_json(&items),
        false => Ok(()),
    }
}

pub(super) async fn diff(client: &Client, flags: Diff) -> Result<(), CliError> {
    let id = find::session(client, &flags.session).await?;
    let diff = client.diff(&id, flags.base.as_deref()).await?;
    if flags.format.json {
        return output::print_json(&diff);
    }
    if diff.base.is_some() && !diff.head_descends_from_base {
        output::complain(&format_args!(
            "the base {} is no ancestor of the head, so this also shows work of others",
            diff.base.as_deref().unwrap_or("(none)")
        ));
    }
    output::print(&diff.diff)
}

pub(super) async fn search(client: &Client, flags: Search) -> Result<(), CliError> {
    let found = client.search(&flags.words.join(" ")).await?;
    if flags.format.json {
        return output::print_json(&found.rows);
    }
    if found.rows.is_empty() {
        output::complain(&"nothing was found");
        return Ok(());
    }
    let rows = found.rows.into_iter().map(|row| {
        let gone = if row.exists { "" } else { " (destroyed)" };
        vec![format!("{}{gone}", row.session_id), row.title, row.snippet]
    });
    output::print_table(&["SESSION", "TITLE", "WORDS"], rows)
}
