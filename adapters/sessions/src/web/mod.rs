//! A page to watch the sessions in a browser. It only reads.
//!
//! Three static files, so nothing that anybody said is ever part of them: the page asks the API for
//! what it shows, as every other client, with the token that stands behind the `#` of its address.
//! A browser sends that part to nobody.
//!
//! Must stay true: the page runs no script but ours, talks to nobody but the daemon, and shows what
//! sessions say as text, never as markup.

use axum::{
    Router,
    http::{HeaderName, header},
    response::IntoResponse,
    routing::get,
};

const PAGE: &str = include_str!("page.html");
const SCRIPT: &str = include_str!("page.js");
const STYLE: &str = include_str!("page.css");

/// What the page may do, told to the browser: the second lock, should the first ever fail.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The files of the page. They need no token, because they tell nothing.
pub fn router<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new()
        .route("/", get(|| file("text/html; charset=utf-8", PAGE)))
        .route(
            "/page.js",
            get(|| file("text/javascript; charset=utf-8", SCRIPT)),
        )
        .route("/page.css", get(|| file("text/css; charset=utf-8", STYLE)))
}

async fn file(kind: &'static str, text: &'static str) -> impl IntoResponse {
    let headers: [(HeaderName, &str); 6] = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        // Another version of the program may answer at this address tomorrow.
        (header::CACHE_CONTROL, "no-store"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ];
    (headers, text)
}

#[cfg(test)]
mod tests {
    use super::{PAGE, SCRIPT};

    #[test]
    fn nothing_in_the_page_goes_around_the_policy() {
        for inline in [
            "<style", "style=", "onclick", "onload", "http://", "https://",
        ] {
            assert!(!PAGE.contains(inline), "{inline}");
        }
        assert_eq!(PAGE.matches("<script").count(), 1);
        for markup in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
        ] {
            assert!(!SCRIPT.contains(markup), "{markup}");
        }
    }
}
