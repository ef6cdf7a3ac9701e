//! Whether a page is good for everybody: by keyboard, by ear, in dark and light, and on a phone.

use serde_json::{Value, json};

use super::driver::Browser;

/// The narrowest phone.
const NARROW: u32 = 360;
/// Tabs beyond those that are needed: a frame has links of its own.
const SPARE: usize = 40;
/// What somebody who cannot see must be told the name of.
const NAMED: [&str; 11] = [
    "button",
    "link",
    "textbox",
    "searchbox",
    "combobox",
    "checkbox",
    "radio",
    "spinbutton",
    "listbox",
    "Iframe",
    "DisclosureTriangle",
];

/// Opens a page, and says all that is wrong with it.
pub(crate) fn faults(browser: &Browser, url: &str) -> Vec<String> {
    browser.errors();
    browser.go(url);
    let mut faults = Vec::new();
    for colours in ["dark", "light"] {
        browser.like(colours);
        faults.extend(list(&browser.run(include_str!("looks.js")), colours));
    }
    faults.extend(nameless(browser));
    faults.extend(walk(browser));
    browser.hold_phone(Some(NARROW));
    browser.go(url);
    let width = browser.run("return document.documentElement.scrollWidth");
    if width.as_u64().is_none_or(|width| width > u64::from(NARROW)) {
        let wide = "return [...document.querySelectorAll('body *')].filter(e => \
            e.getBoundingClientRect().right > 361).map(e => e.outerHTML.slice(0, 150)).slice(0, 3)";
        faults.extend(list(&browser.run(wide), &format!("{width} wide on a phone")));
    }
    browser.hold_phone(None);
    // The browser itself tells the console of the status of the page.
    let own = format!("{url} - Failed to load resource: the server responded with a status of 400");
    faults.extend(browser.errors().into_iter().filter(|error| !error.starts_with(&own)));
    faults.iter().map(|fault| format!("{url}: {fault}")).collect()
}

fn list(told: &Value, what: &str) -> Vec<String> {
    let told = told.as_array().expect("a list").iter();
    told.map(|one| format!("{what}: {}", one.as_str().unwrap_or_default())).collect()
}

/// Roles of what has no name, with what is known of it.
fn nameless(browser: &Browser) -> Vec<String> {
    let tree = browser.chromium("Accessibility.getFullAXTree", &json!({}));
    let nodes = tree["nodes"].as_array().expect("a tree").iter();
    let is_bare = |node: &&Value| {
        let role = node["role"]["value"].as_str().unwrap_or_default();
        let name = node["name"]["value"].as_str().unwrap_or_default();
        node["ignored"] == false && NAMED.contains(&role) && name.trim().is_empty()
    };
    let bare = nodes.filter(is_bare);
    bare.map(|node| format!("nameless: {} {}", node["role"], node["properties"])).collect()
}

/// The Tab key reaches all that can be used, and it is to be seen where it is.
fn walk(browser: &Browser) -> Vec<String> {
    let wanted = browser.run(include_str!("walk.js")).as_u64().expect("a count");
    browser.tab(usize::try_from(wanted).expect("it fits") + SPARE);
    let missed = "return window.wanted.filter(place => !window.reached.has(place))";
    let mut faults = list(&browser.run(missed), "out of the Tab key's reach");
    faults.extend(list(&browser.run("return window.ringless"), "focus is not to be seen"));
    if wanted < 4 {
        faults.push("there is nothing to use".to_owned());
    }
    faults
}
