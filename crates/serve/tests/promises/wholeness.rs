//! What every page of ours is: whole without script, labelled, and made of our own elements only.

use std::cell::RefCell;

use lol_html::{RewriteStrSettings, element, rewrite_str};

/// An element of a page, as a browser reads it.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) tag: String,
    pub(crate) attributes: Vec<(String, String)>,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

/// All elements of a page, in order.
pub(crate) fn elements(html: &str) -> Vec<Element> {
    let elements = RefCell::new(Vec::new());
    let each = element!("*", |element| {
        let attributes = element.attributes().iter().map(|it| (it.name(), it.value())).collect();
        elements.borrow_mut().push(Element { tag: element.tag_name(), attributes });
        Ok(())
    });
    let settings = RewriteStrSettings::new().append_element_content_handler(each);
    rewrite_str(html, settings).expect("it is HTML");
    elements.into_inner()
}

/// A page of ours, whatever was in what it shows.
#[track_caller]
pub(crate) fn check_whole(html: &str) {
    assert!(html.starts_with("<!DOCTYPE html>"), "{html:.80}");
    let elements = elements(html);
    let count = |tag: &str| elements.iter().filter(|it| it.tag == tag).count();
    for tag in ["html", "title", "h1", "main", "header"] {
        assert_eq!(count(tag), 1, "{tag}");
    }
    for element in &elements {
        check_element(element);
        if matches!(element.tag.as_str(), "input" | "select" | "textarea")
            && element.attribute("type") != Some("hidden")
        {
            let id = element.attribute("id");
            let is_label = |it: &Element| it.tag == "label" && it.attribute("for") == id;
            let is_named = element.attribute("aria-label").is_some();
            assert!(is_named || id.is_some() && elements.iter().any(is_label), "{element:?}");
        }
    }
    let mut ids: Vec<&str> = elements.iter().filter_map(|it| it.attribute("id")).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "an id is of one element only");
}

#[track_caller]
fn check_element(element: &Element) {
    let tag = element.tag.as_str();
    let foreign = ["object", "embed", "base", "style", "link", "meta", "script", "iframe"];
    let is_ours = match tag {
        "script" => element.attribute("src") == Some("/script.js"),
        "link" => matches!(element.attribute("href"), Some("/icon.svg" | "/style.css")),
        "img" => element.attribute("src") == Some("/icon.svg"),
        "iframe" => element.attribute("sandbox").is_some(),
        "meta" => element.attribute("http-equiv").is_none_or(|it| it == "refresh"),
        _ => !foreign.contains(&tag),
    };
    assert!(is_ours, "{element:?}");
    for (name, value) in &element.attributes {
        assert!(!name.starts_with("on") && name != "style", "{element:?}");
        let is_place = matches!(name.as_str(), "href" | "src" | "action" | "ping" | "formaction");
        let is_known = ["/", "#", "http://", "https://", "mailto:"];
        assert!(!is_place || is_known.iter().any(|it| value.starts_with(it)), "{element:?}");
        if name == "href" && value.starts_with("http") {
            let rel = element.attribute("rel").unwrap_or_default();
            assert!(rel.contains("noreferrer"), "{element:?}");
        }
    }
}
