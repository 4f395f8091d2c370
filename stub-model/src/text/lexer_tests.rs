//! Texts and their tokens.

use super::words::{Kind, Words};

fn tokens(text: &str) -> Vec<String> {
    let words = Words::new(text);
    (0..words.len())
        .map(|at| match words.kind(at) {
            Kind::Word => words.inner(at).into_owned(),
            Kind::Quoted => format!("q<{}>", words.inner(at)),
            Kind::Code => format!("c<{}>", words.inner(at)),
            Kind::Fence => format!("f<{}>", words.inner(at)),
            Kind::Mark(mark) => format!("m{mark}"),
            Kind::Bullet => "*".to_owned(),
            Kind::End => "end".to_owned(),
        })
        .collect()
}

#[test]
fn table() {
    for (text, wanted) in [
        ("Run ls -la.", vec!["Run", "ls", "-la", "m."]),
        (
            "say \"a b\", then `c d`.",
            vec!["say", "q<a b>", "m,", "then", "c<c d>", "m."],
        ),
        ("don't 'do it'", vec!["don't", "q<do it>"]),
        ("it's the dog's bone", vec!["it's", "the", "dog's", "bone"]),
        ("“curly” ‘one’", vec!["q<curly>", "q<one>"]),
        ("1. a\n2) b\n- c", vec!["*", "a", "*", "b", "*", "c"]),
        ("do: 1. a 2. b", vec!["do", "m:", "*", "a", "*", "b"]),
        (
            "reply 1. Then stop",
            vec!["reply", "1", "m.", "Then", "stop"],
        ),
        ("```sh\nls\npwd\n```", vec!["f<ls\npwd>"]),
        ("```ls```", vec!["f<ls>"]),
        ("```\nopen", vec!["f<open>"]),
        ("`open", vec!["`open"]),
        (
            "title:Foo path=\"a b\"",
            vec!["title", "m:", "Foo", "path", "m=", "q<a b>"],
        ),
        ("see https://a.b/c.", vec!["see", "https://a.b/c", "m."]),
        ("(note.txt)", vec!["m(", "note.txt", "m)"]),
        ("cd .. now", vec!["cd", "..", "now"]),
        ("say \"a \\\"b\\\" c\"", vec!["say", "q<a \"b\" c>"]),
        ("**Bold** word", vec!["Bold", "word"]),
        ("src/**/*.rs", vec!["src/**/*.rs"]),
        ("", vec![]),
    ] {
        assert_eq!(tokens(text), wanted, "{text}");
    }
}

#[test]
fn hostile_texts_take_linear_time() {
    for piece in [
        "'",
        "\"",
        "`",
        "``",
        "“",
        "(",
        ")",
        "'a ",
        "\"a ",
        "`a ",
        "''''\n\n",
        "x'y ",
        "and ",
        ", run ",
        "{\"a\":",
        "1. ",
        "$",
        "\u{feff}",
        "é",
        "😀 ",
        "then then ",
        "```\n",
    ] {
        let text = piece.repeat(30_000 / piece.len());
        let words = Words::new(&text);
        assert!(words.len() <= text.len(), "{piece}");
    }
}
