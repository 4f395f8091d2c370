//! What is only looked at.

use axum::{Json, extract::State};

use super::{
    Shared,
    extract::{Asked, Named},
};
use crate::{
    api::{
        BundleOption, DaemonInfo, Options, ProfileOption, SearchAnswer, SearchQuery, Session,
        Sessions, SessionsQuery, TargetOption, TranscriptPage, TranscriptQuery, VERSION,
    },
    config::Config,
    daemon::refusal::Refusal,
    store::timestamp,
};

/// The items of a page that does not say how many, and of the largest one.
const PAGE: (u64, u64) = (200, 1_000);

/// The same for search.
const ROWS: (u64, u64) = (20, 100);

pub(super) async fn info(State(daemon): State<Shared>) -> Json<DaemonInfo> {
    Json(DaemonInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        api_version: VERSION.to_owned(),
        pid: std::process::id(),
        started_at: timestamp(daemon.started_at),
        session_count: daemon.session_count(),
    })
}

pub(super) async fn options(State(daemon): State<Shared>) -> Result<Json<Options>, Refusal> {
    let config = Config::load(&daemon.instance.config_file());
    let config = config.map_err(|error| Refusal::conflict(error.to_string()))?;
    let profiles = config.profiles.iter().map(|(id, profile)| ProfileOption {
        id: id.clone(),
        harness_kind: profile.harness_kind(),
        enabled: profile.enabled,
    });
    let targets = config.targets.values().map(|target| TargetOption {
        id: target.id.clone(),
        kind: target.kind_name().to_owned(),
        needs_bundle: target.needs_bundle(),
    });
    let bundles = config.bundles.values().map(|bundle| BundleOption {
        id: bundle.id.clone(),
        primary_repo: bundle.primary_repo.clone(),
        repositories: bundle
            .repositories
            .iter()
            .map(|repository| repository.id.clone())
            .collect(),
    });
    Ok(Json(Options {
        profiles: profiles.collect(),
        targets: targets.collect(),
        bundles: bundles.collect(),
        default_profile_id: config.default_profile.clone(),
        default_target_id: config.default_target.clone(),
    }))
}

pub(super) async fn sessions(
    State(daemon): State<Shared>,
    Asked(query): Asked<SessionsQuery>,
) -> Json<Sessions> {
    let is_wanted = |session: &crate::daemon::session::Known| {
        let asked = &session.row.asked;
        query
            .workspace_id
            .as_ref()
            .is_none_or(|id| *id == asked.workspace_id)
            && (query.request_id.is_none() || query.request_id == asked.request_id)
    };
    let mut lines = Vec::new();
    for session in daemon.sessions() {
        let known = session.lock();
        if is_wanted(&known) {
            lines.push(known.line());
        }
    }
    Json(Sessions { sessions: lines })
}

pub(super) async fn session(Named(session): Named) -> Json<Session> {
    Json(session.lock().view())
}

pub(super) async fn transcript(
    State(daemon): State<Shared>,
    Named(session): Named,
    Asked(query): Asked<TranscriptQuery>,
) -> Result<Json<TranscriptPage>, Refusal> {
    let limit = limit(query.limit, PAGE)?;
    let after = query.after_seq;
    // One more than asked for tells whether there is more.
    let items = daemon
        .store
        .items(session.id.clone(), after, limit + 1, query.role);
    let mut items = items.await?;
    let has_more = u64::try_from(items.len()).unwrap_or(u64::MAX) > limit;
    if has_more {
        items.pop();
    }
    let next_after_seq = items.last().map_or(after, |item| item.seq);
    Ok(Json(TranscriptPage {
        items,
        next_after_seq,
        has_more,
    }))
}

pub(super) async fn search(
    State(daemon): State<Shared>,
    Asked(query): Asked<SearchQuery>,
) -> Result<Json<SearchAnswer>, Refusal> {
    let limit = limit(query.limit, ROWS)?;
    if query.q.trim().is_empty() {
        return Err(Refusal::malformed(
            "q is blank; name the words to search for",
        ));
    }
    let rows = daemon.store.search(&query.q, limit).await?;
    Ok(Json(SearchAnswer { rows }))
}

fn limit(asked: Option<u64>, (usual, most): (u64, u64)) -> Result<u64, Refusal> {
    match asked {
        None => Ok(usual),
        Some(limit) if (1..=most).contains(&limit) => Ok(limit),
        Some(limit) => Err(Refusal::malformed(format!(
            "limit is {limit}; it must be 1 to {most}"
        ))),
    }
}
