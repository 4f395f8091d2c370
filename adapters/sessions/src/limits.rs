//! How long things may take, and how often they are looked at.
//!
//! All in one place because they depend on each other: a client must wait longer than the daemon
//! holds a request. Each can be changed by an environment variable, so that a test of what happens
//! behind a limit need not wait for it: `ACP_SESSIONS_LIMIT_<NAME>_MS`, in milliseconds, where NAME
//! is the function's in capitals. They are for tests, so no help text names them.

use std::time::Duration;

/// The longest pause between two looks at a session that is starting: short beside what it takes
/// to start one. The pauses begin far shorter, so that a session that is quick is not kept waiting.
pub fn readiness_poll() -> Duration {
    limit("READINESS_POLL", Duration::from_millis(250))
}

/// How long `session/new` waits until a session is ready: images are pulled and repositories
/// cloned meanwhile.
pub fn readiness_limit() -> Duration {
    limit("READINESS_LIMIT", Duration::from_secs(600))
}

/// How long the request that makes a session may take.
pub fn create_timeout() -> Duration {
    limit("CREATE_TIMEOUT", Duration::from_secs(660))
}

/// How long any other request may take; longer than the daemon holds a prompt.
pub fn request_timeout() -> Duration {
    limit("REQUEST_TIMEOUT", Duration::from_secs(120))
}

/// How long a daemon may take to say that it is there.
pub fn probe_timeout() -> Duration {
    limit("PROBE_TIMEOUT", Duration::from_secs(5))
}

/// How much longer than the wait itself the answer to a wait may take.
pub fn wait_margin() -> Duration {
    limit("WAIT_MARGIN", Duration::from_secs(30))
}

/// How long the daemon waits for the end of a turn if the client does not say; a client then asks
/// again.
pub fn wait_default() -> Duration {
    limit("WAIT_DEFAULT", Duration::from_secs(600))
}

/// The first pause when the daemon is full.
pub fn full_first() -> Duration {
    limit("FULL_FIRST", Duration::from_secs(2))
}

/// The longest pause when the daemon is full.
pub fn full_longest() -> Duration {
    limit("FULL_LONGEST", Duration::from_secs(15))
}

/// For how long a request is repeated while the daemon is full.
pub fn full_limit() -> Duration {
    limit("FULL_LIMIT", Duration::from_secs(600))
}

/// The pause between two interrupts while the daemon has nothing to interrupt yet.
pub fn interrupt_retry() -> Duration {
    limit("INTERRUPT_RETRY", Duration::from_millis(250))
}

/// How long a turn that was interrupted may take to stop before that is called a failure.
pub fn turn_settle() -> Duration {
    limit("TURN_SETTLE", Duration::from_secs(60))
}

/// How long the end of a front waits for its turns before it goes on to the exit policy. Short,
/// because under `keep` nothing follows and a client waits for the process to end.
pub fn last_turns() -> Duration {
    limit("LAST_TURNS", Duration::from_secs(5))
}

/// The longest pause between two looks at a session that is being suspended or destroyed.
pub fn look_interval() -> Duration {
    limit("LOOK_INTERVAL", Duration::from_secs(1))
}

/// How long a suspension or a destruction may take before a client stops waiting for it.
pub fn operation_limit() -> Duration {
    limit("OPERATION_LIMIT", Duration::from_secs(300))
}

/// How long a daemon may take to start: it may have to migrate a large store.
pub fn start_limit() -> Duration {
    limit("START_LIMIT", Duration::from_secs(300))
}

/// After how long a client says that it waits for the daemon to start.
pub fn start_notice() -> Duration {
    limit("START_NOTICE", Duration::from_secs(8))
}

/// For how long a client looks for a daemon again after it lost one in the middle of something.
pub fn follow_limit() -> Duration {
    limit("FOLLOW_LIMIT", Duration::from_secs(60))
}

/// The longest wait for the end of a turn that a client may ask for.
pub fn wait_longest() -> Duration {
    limit("WAIT_LONGEST", Duration::from_secs(3_600))
}

/// How long the daemon holds a prompt for a session that is starting.
pub fn prompt_hold() -> Duration {
    limit("PROMPT_HOLD", Duration::from_secs(60))
}

/// How long an operation may take to stop for a destroy that preempts it.
pub fn preemption() -> Duration {
    limit("PREEMPTION", Duration::from_secs(8))
}

/// How long the remotes may take to say what is published.
pub fn publication_check() -> Duration {
    limit("PUBLICATION_CHECK", Duration::from_secs(30))
}

/// How long a harness may take for `initialize` and its session. Agents that fetch something at
/// their first start need tens of seconds.
pub fn handshake() -> Duration {
    limit("HANDSHAKE", Duration::from_secs(120))
}

/// How long an interrupted turn may go on before its harness is ended. Half of
/// [`turn_settle`], so that a client that interrupts sees the turn end.
pub fn interrupt_grace() -> Duration {
    limit("INTERRUPT_GRACE", Duration::from_secs(30))
}

/// How long the turns may take to stop when the daemon itself ends: a harness that heeds a cancel
/// does it at once, and whoever ends a daemon waits for it.
pub fn shutdown_turns() -> Duration {
    limit("SHUTDOWN_TURNS", Duration::from_secs(3))
}

/// How often an item that is being said is written to the store, at most.
pub fn item_flush() -> Duration {
    limit("ITEM_FLUSH", Duration::from_millis(250))
}

/// A harness that ends within this time of its start, and ran no turn, is not started again.
pub fn harness_min_life() -> Duration {
    limit("HARNESS_MIN_LIFE", Duration::from_secs(10))
}

/// How many sessions may be made, resumed, suspended or destroyed at once; beyond, the daemon is
/// full (429). Each holds processes and pipes, and its target works for it.
pub fn actions() -> usize {
    let set = std::env::var("ACP_SESSIONS_LIMIT_ACTIONS").ok();
    set.and_then(|text| text.parse().ok()).unwrap_or(32)
}

/// A limit, unless the environment says otherwise.
fn limit(name: &str, default: Duration) -> Duration {
    let set = std::env::var(format!("ACP_SESSIONS_LIMIT_{name}_MS")).ok();
    let millis = set.and_then(|text| text.parse().ok());
    millis.map_or(default, Duration::from_millis)
}
