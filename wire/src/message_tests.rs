//! The shape rules of JSON-RPC as one table: a line, and what it is.

use super::*;

/// A message or a refusal as one short text.
fn read(line: impl AsRef<[u8]>) -> String {
    let raw = |params: Option<&RawValue>| params.map_or(String::new(), |raw| format!(" {raw}"));
    match parse(line.as_ref()) {
        Ok(Message::Request { id, method, params }) => {
            format!("request {id} {method}{}", raw(params))
        }
        Ok(Message::Notification { method, params }) => {
            format!("notification {method}{}", raw(params))
        }
        Ok(Message::Response { id, answer }) => {
            let id = id.map_or("nobody", RawValue::get);
            match answer {
                Answer::Result(raw) => format!("response {id} result {raw}"),
                Answer::Error(raw) => format!("response {id} error {raw}"),
                Answer::Malformed(why) => format!("response {id} malformed: {why}"),
            }
        }
        Ok(Message::Nothing) => "nothing".to_owned(),
        Ok(Message::Bare(refusal)) => format!("bare, else {}", refused(refusal)),
        Err(refusal) => refused(refusal),
    }
}

fn refused(Refusal { id, error }: Refusal) -> String {
    assert_eq!(error.data, None);
    format!("{} {id} {}", error.code, error.message)
}

fn check(table: &[(&str, &str)]) {
    for (line, expected) in table {
        assert_eq!(read(line), *expected, "{line}");
        // Space around a message, and the other kind of line end, change nothing.
        let spaced = format!(" \t{line} \r");
        if !expected.starts_with("-32700") {
            assert_eq!(read(spaced), *expected, "{line} with space around");
        }
    }
}

#[test]
fn what_is_a_message() {
    check(&[
        ("", "nothing"),
        ("  \t", "nothing"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#, "request 1 m"),
        (r#"{"method":"m","id":1,"jsonrpc":"2.0"}"#, "request 1 m"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[1]}}"#,
            r#"request 1 m {"a":[1]}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"m","params":[ 1 ]}"#,
            "request 1 m [ 1 ]",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"m","params":null}"#,
            "request 1 m",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"m","more":{"id":2}}"#,
            "request 1 m",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"m","more":1,"more":2}"#,
            "request 1 m",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":""}"#, "request 1 "),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"m","result":2}"#,
            "request 1 m",
        ),
        (r#"{"jsonrpc":"2.0","method":"m"}"#, "notification m"),
        (
            r#"{"jsonrpc":"2.0","method":"m","params":{}}"#,
            "notification m {}",
        ),
        // A notification that cannot be read has nobody to be told.
        (r#"{"jsonrpc":"2.0","method":"m","params":7}"#, "nothing"),
        // Escapes are read wherever a text has a meaning.
        (
            r#"{"json\u0072pc":"2\u002e0","\u0069d":1,"method":"\u006d"}"#,
            "request 1 m",
        ),
    ]);
}

#[test]
fn ids_come_through_byte_for_byte() {
    for id in [
        "0",
        "-1",
        "-0",
        "1.0",
        "1.50",
        "1e3",
        "9007199254740993",
        "18446744073709551616",
        "1000000000000000000000000000000",
        "null",
        r#""""#,
        r#""a b""#,
        r#""\u0061\/é""#,
    ] {
        let line = format!(r#"{{"jsonrpc":"2.0","id": {id} ,"method":"m"}}"#);
        assert_eq!(read(line), format!("request {id} m"));
    }
}

#[test]
fn what_is_json_but_no_request() {
    let batch = "-32600 null Invalid request: batches are not supported, send one message a line";
    let scalar = "-32600 null Invalid request: a message is an object";
    let method = "Invalid request: \"method\" must be a string";
    let version = "Invalid request: \"jsonrpc\" must be \"2.0\"";
    let id = "-32600 null Invalid request: the id must be a string, a number or null";
    let twice = "Invalid request: a member is there twice";
    let (method_1, method_null) = (
        &format!("-32600 1 {method}"),
        &format!("-32600 null {method}"),
    );
    let bare_1 = &format!("bare, else {method_1}");
    let (version_1, version_null) = (
        &format!("-32600 1 {version}"),
        &format!("-32600 null {version}"),
    );
    let (twice_1, twice_null) = (
        &format!("-32600 1 {twice}"),
        &format!("-32600 null {twice}"),
    );
    check(&[
        ("[]", batch),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"m"}]"#, batch),
        ("1", scalar),
        ("1e999", scalar),
        ("null", scalar),
        ("true", scalar),
        (r#""text""#, scalar),
        ("{}", version_null),
        (r#"{"jsonrpc":"2.0"}"#, method_null),
        // An answer, should the id be one of ours.
        (r#"{"jsonrpc":"2.0","id":1}"#, bare_1),
        (r#"{"jsonrpc":"2.0","id":1,"params":{}}"#, bare_1),
        (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, method_1),
        (r#"{"jsonrpc":"2.0","id":1,"method":null}"#, method_1),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":null,"result":1}"#,
            method_1,
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#, method_1),
        (r#"{"id":1,"method":"m"}"#, version_1),
        (r#"{"jsonrpc":"1.0","id":1,"method":"m"}"#, version_1),
        (r#"{"jsonrpc":2.0,"id":1,"method":"m"}"#, version_1),
        (
            r#"{"jsonrpc":null,"id":"1","method":"m"}"#,
            &format!("-32600 \"1\" {version}"),
        ),
        (r#"{"method":"m"}"#, version_null),
        (r#"{"jsonrpc":"2.0","id":{},"method":"m"}"#, id),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"m"}"#, id),
        (r#"{"jsonrpc":"2.0","id":true,"method":"m"}"#, id),
        (
            r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"m"}"#,
            twice_null,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"m"}"#,
            twice_null,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"m","method":"m"}"#,
            twice_1,
        ),
        (
            r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"m"}"#,
            twice_1,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{},"params":{}}"#,
            twice_1,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"m","params":7}"#,
            "-32602 1 Invalid params: params must be an object or an array",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"m","params":"SECRET"}"#,
            "-32602 1 Invalid params: params must be an object or an array",
        ),
    ]);
}

#[test]
fn what_is_not_json() {
    for (line, why) in [
        ("SECRET", "expected value (at byte 1)"),
        ("{", "EOF while parsing an object (at byte 1)"),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"#,
            "EOF while parsing a value (at byte 33)",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"method":"m"} SECRET"#,
            "trailing characters (at byte 39)",
        ),
        (
            r#"{"jsonrpc":"2.0","id":5,"id":5,"method":"m"]"#,
            "expected `,` or `}` (at byte 44)",
        ),
        ("[1,]", "expected value (at byte 4)"),
        ("[1", "EOF while parsing a list (at byte 2)"),
        ("01", "invalid number (at byte 2)"),
        ("{'id':1}", "key must be a string (at byte 2)"),
        ("\u{feff}{}", "expected value (at byte 1)"),
        ("\u{0}", "expected value (at byte 1)"),
    ] {
        assert_eq!(
            read(line),
            format!("-32700 null Parse error: {why}"),
            "{line}"
        );
    }
    let mut line = br#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":"?"}}"#.to_vec();
    line[52] = 0xff;
    assert_eq!(
        read(line),
        "-32700 null Parse error: invalid UTF-8 at byte 52"
    );
}

#[test]
fn what_is_a_response() {
    check(&[
        (
            r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
            "response 1 result null",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#,
            r#"response 1 error {"code":1}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":2,"error":null}"#,
            "response 1 result 2",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":null,"error":{}}"#,
            "response 1 error {}",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":2,"error":{}}"#,
            "response 1 malformed: it has a result and an error",
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":2,"result":3}"#,
            "response 1 malformed: a member is there twice",
        ),
        (
            r#"{"id":1,"result":2}"#,
            "response 1 malformed: \"jsonrpc\" must be \"2.0\"",
        ),
        // These name no request of ours, and must not be answered either.
        (
            r#"{"jsonrpc":"2.0","id":null,"error":{}}"#,
            "response null error {}",
        ),
        (
            r#"{"jsonrpc":"2.0","id":{},"result":1}"#,
            "response {} result 1",
        ),
        (
            r#"{"jsonrpc":"2.0","result":1}"#,
            "response nobody result 1",
        ),
    ]);
}

#[test]
fn depth_costs_no_stack() {
    let levels = 100_000;
    let (open, close) = ("[".repeat(levels), "]".repeat(levels));
    assert!(read(format!("{open}{close}")).starts_with("-32600 null"));
    assert!(read(&open).starts_with("-32700 null"));
    let request = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","params":{open}{close}}}"#);
    assert!(read(request).starts_with("request 1 m [[["));
    let elsewhere = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"m","more":{open}{close}}}"#);
    assert_eq!(read(elsewhere), "request 1 m");
    let (open, close) = ("{\"a\":".repeat(levels), "}".repeat(levels));
    assert!(read(format!("{open}1{close}")).starts_with("-32600 null"));
    let id = format!(r#"{{"jsonrpc":"2.0","id":{open}1{close},"method":"m"}}"#);
    assert!(read(id).starts_with("-32600 null"));
}
