//! What a TLS connection trusts: the certificates of the system.
//!
//! Given to the HTTP client ready made, so that it takes no process-wide default.

use std::sync::Arc;

use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier, crypto::ring};
use rustls_platform_verifier::BuilderVerifierExt;

/// The certificates of the system. Reading them takes some milliseconds.
pub(crate) fn of_the_system() -> Result<ClientConfig, rustls::Error> {
    Ok(builder()?.with_platform_verifier()?.with_no_client_auth())
}

/// No certificates: for a client that is never to speak TLS.
pub(crate) fn none() -> Result<ClientConfig, rustls::Error> {
    Ok(builder()?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth())
}

fn builder() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()
}
