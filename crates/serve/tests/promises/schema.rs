//! The document of the API: answers are held against it, by us and by schemathesis.

use std::process::{Command, Stdio};

use rhumb_crawl::control::{Question, Reply};
use serde_json::Value;

use crate::format::status;
use crate::house::{Furniture, TestHouse};

/// Examples of each endpoint that are tried; the long run tries more.
const EXAMPLES: [&str; 2] = ["30", "100"];
const CHECKS: &str = "not_a_server_error,response_schema_conformance,status_code_conformance,\
    content_type_conformance";

/// The document, as it is served.
pub(crate) fn document(house: &TestHouse) -> Value {
    serde_json::from_str(house.get("/api/openapi.json").text()).expect("it is JSON")
}

/// Holds a value against a schema: the words of JSON Schema that our document uses.
#[track_caller]
pub(crate) fn check(document: &Value, schema: &Value, value: &Value) {
    assert_eq!(conforms(document, schema, value), Ok(()), "{value:#}");
}

fn conforms(document: &Value, schema: &Value, value: &Value) -> Result<(), String> {
    if let Some(name) = schema["$ref"].as_str() {
        let place = name.strip_prefix('#').expect("a place in the document");
        return conforms(document, document.pointer(place).expect("it is there"), value);
    }
    if let Some(any) = schema["anyOf"].as_array() {
        let fits = any.iter().any(|one| conforms(document, one, value).is_ok());
        return if fits { Ok(()) } else { Err(format!("{value} is none of {any:?}")) };
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is_kind = |it: &Value| it == kind || (kind == "integer" && it == "number");
    let fits = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().any(is_kind),
        one => is_kind(one),
    };
    if !fits {
        return Err(format!("{value} is no {}", schema["type"]));
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        return Err(format!("{value} is none of {words:?}"));
    }
    if let Some(items) = value.as_array() {
        items.iter().try_for_each(|item| conforms(document, &schema["items"], item))?;
    }
    let Some(members) = value.as_object() else { return Ok(()) };
    let required = schema["required"].as_array().into_iter().flatten();
    for key in required.filter_map(Value::as_str) {
        members.get(key).ok_or_else(|| format!("{key} is missing"))?;
    }
    for (key, member) in members {
        match (&schema["properties"][key], &schema["additionalProperties"]) {
            (Value::Null, Value::Object(_)) => {
                conforms(document, &schema["additionalProperties"], member)?;
            }
            (Value::Null, _) => return Err(format!("the document does not tell of {key}")),
            (schema, _) => conforms(document, schema, member)?,
        }
    }
    Ok(())
}

/// Whether a tool is said to be missing, or is not there.
fn is_missing(tool: &str) -> bool {
    let without = std::env::var("RHUMB_WITHOUT").unwrap_or_default();
    let mut look = Command::new(tool);
    let look = look.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    without.split(',').any(|it| it == tool) || look.status().is_err()
}

/// A status as a crawl tells it: that of the house has no times.
fn in_time(question: &Question) -> Option<Reply> {
    let mut status = status();
    for line in &mut status.recent {
        "2026-02-03T04:05:06.789Z".clone_into(&mut line.time);
    }
    (*question == Question::Status).then(|| Reply::Status(Box::new(status)))
}

#[test]
fn schemathesis_finds_no_server_error_and_nothing_that_the_document_does_not_tell() {
    if is_missing("schemathesis") {
        println!("skipped: the API by schemathesis, which is not installed");
        return;
    }
    let house = Furniture { replies: Box::new(in_time), ..Furniture::default() }.start();
    let is_full = std::env::var_os("RHUMB_FULL").is_some_and(|value| value == "1");
    let address = format!("http://{}/api/openapi.json", house.address);
    let run = Command::new("schemathesis")
        .current_dir(house.folder.path())
        .args(["run", &address, "--checks", CHECKS, "--seed", "1", "--no-color"])
        .args(["--max-examples", EXAMPLES[usize::from(is_full)]])
        .args(["--request-timeout", "20", "--exclude-path", "/api/events"])
        .output()
        .expect("it starts");
    let talk = [run.stdout, run.stderr].concat();
    // Requests that it shows may be endless.
    let lines = String::from_utf8_lossy(&talk);
    let lines: Vec<String> = lines.lines().map(|line| line.chars().take(400).collect()).collect();
    assert!(run.status.success(), "{}", lines.join("\n"));
}
