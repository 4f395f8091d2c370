//! `/openapi.json`: the contract as an OpenAPI 3.1 document, made from the table and the types.

use axum::Json;
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::table::{Entry, table};
use crate::api::{BASE, ErrorBody, VERSION, VERSION_HEADER};

/// What every request may get: malformed, no token, a fault, shutting down.
const ALWAYS: [u16; 4] = [400, 401, 500, 503];

pub(super) async fn document() -> Json<Value> {
    Json(build())
}

fn build() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut schemas = settings.into_generator();
    let mut paths = Map::new();
    for entry in table() {
        let operation = operation(&entry, &mut schemas);
        let path = paths.entry(entry.path).or_insert_with(|| json!({}));
        path[entry.method] = operation;
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "acp-sessions",
            "summary": "Durable coding sessions of one user, on the loopback address.",
            "version": VERSION,
        },
        "servers": [{"url": BASE}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "headers": {"version": {
                "description": "The version of this contract; on every answer.",
                "schema": {"const": VERSION},
            }},
            "schemas": schemas.take_definitions(true),
        },
    })
}

fn operation(entry: &Entry, schemas: &mut SchemaGenerator) -> Value {
    let mut responses = Map::new();
    let answer = (entry.answer)(schemas);
    responses.insert(
        entry.status.to_string(),
        response("Done or begun.", &answer),
    );
    let refusal = schemas.subschema_for::<ErrorBody>();
    for status in ALWAYS.iter().chain(entry.refusals) {
        responses.insert(status.to_string(), response("Refused.", &refusal));
    }
    let mut parameters = Vec::new();
    if entry.path.contains("{id}") {
        parameters.push(json!({"name": "id", "in": "path", "required": true,
            "schema": schemas.subschema_for::<crate::api::SessionId>()}));
    }
    if let Some(query) = entry.query {
        parameters.extend(members(&query(schemas)));
    }
    let mut operation = json!({
        "summary": entry.summary,
        "parameters": parameters,
        "responses": responses,
    });
    if let Some(body) = entry.body {
        let schema = body(schemas);
        operation["requestBody"] = json!({"content": {"application/json": {"schema": schema}}});
    }
    operation
}

fn response(description: &str, schema: &Schema) -> Value {
    json!({
        "description": description,
        "headers": {VERSION_HEADER: {"$ref": "#/components/headers/version"}},
        "content": {"application/json": {"schema": schema}},
    })
}

/// The members of a query as parameters.
fn members(query: &Schema) -> Vec<Value> {
    let query = query.as_value();
    let required = query["required"].as_array().cloned().unwrap_or_default();
    let members = query["properties"].as_object().cloned().unwrap_or_default();
    let parameter = |(name, schema): (String, Value)| {
        let is_required = required.contains(&Value::from(name.as_str()));
        json!({"name": name, "in": "query", "required": is_required, "schema": schema})
    };
    members.into_iter().map(parameter).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::build;

    /// Every `$ref` below a value.
    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    match (name.as_str(), value) {
                        ("$ref", Value::String(to)) => found.push(to),
                        _ => references(value, found),
                    }
                }
            }
            Value::Array(values) => values.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let document = build();
        let mut found = Vec::new();
        references(&document, &mut found);
        assert!(found.len() > 40, "{}", found.len());
        for reference in found {
            let pointer = reference.strip_prefix('#').unwrap();
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
    }

    #[test]
    fn requests_take_nothing_that_is_not_listed() {
        let document = build();
        let schemas = &document["components"]["schemas"];
        for name in [
            "CreateSession",
            "Prompt",
            "Wait",
            "Interrupt",
            "Suspend",
            "Destroy",
            "Export",
        ] {
            assert_eq!(schemas[name]["additionalProperties"], false, "{name}");
        }
        let query = document
            .pointer("/paths/~1wiki~1search/get/parameters/0")
            .unwrap();
        assert_eq!(
            (&query["name"], &query["required"]),
            (&"q".into(), &true.into())
        );
    }
}
