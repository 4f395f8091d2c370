//! `api-info` and `web`: where the daemon is.

use serde_json::json;

use super::{CliError, arguments::Format, output};
use crate::{
    api,
    client::{Client, StartError},
    instance::Instance,
    limits,
};

pub(super) async fn api_info(
    client: &Client,
    instance: &Instance,
    format: Format,
) -> Result<(), CliError> {
    let info = client.info(limits::probe_timeout()).await?;
    let url = format!("http://{}{}", client.address(), api::BASE);
    let token = instance.token_file();
    if format.json {
        return output::print_json(&json!({ "url": url, "token_file": token, "daemon": info }));
    }
    output::print_line(&format!(
        "url          {url}\ntoken file   {}\nversion      {}\nprocess      {}\n\
         started      {}\nsessions     {}\nlog          {}",
        token.display(),
        info.version,
        info.pid,
        info.started_at,
        info.session_count,
        instance.daemon_log().display(),
    ))
}

/// The token stands behind the `#`, which a browser keeps to itself.
pub(super) fn web(client: &Client, instance: &Instance) -> Result<(), CliError> {
    let path = instance.token_file();
    let token = std::fs::read_to_string(&path)
        .map_err(|source| StartError::File { path, source })
        .map_err(crate::client::ClientError::from)?;
    output::print_line(&format!(
        "http://{}/#token={}",
        client.address(),
        token.trim()
    ))
}
