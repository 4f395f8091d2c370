//! What the tool servers over HTTP and the models of others share: events of strangers with a bound,
//! and what a TLS connection trusts.

pub(crate) mod sse;
pub(crate) mod tls;
