//! Rules of style that load nothing.
//!
//! They are not understood, only changed where they could name something from outside: a name is
//! lengthened to one that means nothing, so nothing can come together anew.

/// Functions whose argument is loaded, or run by browsers of old; with any prefix.
const LOADING: [&str; 8] =
    ["url", "src", "image", "image-set", "cross-fade", "element", "paint", "expression"];

/// Rules without anything that loads, and without anything that could end the element around them.
pub(super) fn harmless(css: &str) -> String {
    let mut out = String::with_capacity(css.len() + css.len() / 8);
    let mut signs = css.chars().filter(|sign| *sign != '\0').peekable();
    let mut rest_of_import = String::new();
    while let Some(sign) = signs.next() {
        match sign {
            // An escaped letter may be one of a name that is looked for.
            '\\' if !signs.peek().is_some_and(char::is_ascii_punctuation) => out.push(' '),
            // What is escaped is passed on with its mark: it begins nothing.
            '\\' => {
                out.push('\\');
                out.extend(signs.next().map(|escaped| if escaped == '<' { ' ' } else { escaped }));
            }
            '(' => {
                if LOADING.iter().any(|name| ends_with(&out, name)) {
                    out.push_str("-off");
                }
                out.push('(');
            }
            '@' => {
                rest_of_import.clear();
                while rest_of_import.len() < IMPORT.len()
                    && let Some(next) = signs.next_if(char::is_ascii_alphabetic)
                {
                    rest_of_import.push(next);
                }
                out.push('@');
                if rest_of_import.eq_ignore_ascii_case(IMPORT) {
                    out.push_str("off-");
                }
                out.push_str(&rest_of_import);
            }
            '<' => out.push_str("\\3c "),
            sign => out.push(sign),
        }
    }
    out
}

/// The rule that loads another sheet.
const IMPORT: &str = "import";

/// The rules of an attribute as it is written, without anything that loads; none where it cannot be
/// told what is written there.
pub(super) fn declarations(written: &str) -> Option<String> {
    let quoted = ["&quot;", "&#34;", "&#39;", "&apos;"];
    let plain = quoted.iter().fold(written.to_owned(), |text, mark| text.replace(mark, "'"));
    (!plain.contains('&')).then(|| harmless(&plain))
}

fn ends_with(text: &str, name: &str) -> bool {
    let bytes = text.as_bytes();
    let start = bytes.len().checked_sub(name.len());
    start.is_some_and(|start| bytes[start..].eq_ignore_ascii_case(name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(css: &str, expect: &str) {
        assert_eq!(harmless(css), expect);
    }

    #[test]
    fn rules_that_load_nothing_stay_as_they_are() {
        for css in ["a>b{color:red;width:calc(1px + 2%)}", "@media(min-width:9px){.a\\:b{x:y}}", ""]
        {
            check(css, css);
        }
    }

    #[test]
    fn nothing_is_loaded() {
        check("a{b:url(x)}", "a{b:url-off(x)}");
        check("a{b:URL( 'x' )}", "a{b:URL-off( 'x' )}");
        check("a{b:-webkit-image-set('x' 1x)}", "a{b:-webkit-image-set-off('x' 1x)}");
        check("@import 'x';", "@off-import 'x';");
        check("@ImPoRt url(x)", "@off-ImPoRt url-off(x)");
        check("@importx", "@off-importx");
    }

    #[test]
    fn escapes_and_gaps_make_no_name() {
        check("u\\72l(x)", "u 72l(x)");
        check("u\\rl(x)", "u rl(x)");
        check("\\75rl(x)", " 75rl(x)");
        check("u\0rl(x)", "url-off(x)");
        check("@\0import 'x'", "@off-import 'x'");
        check("@\\69mport 'x'", "@ 69mport 'x'");
        check("ur\\\nl(x)", "ur \nl(x)");
    }

    #[test]
    fn the_element_cannot_be_ended() {
        check("</style><b>", "\\3c /style>\\3c b>");
        check("\\</style>", "\\ /style>");
        check("<!--", "\\3c !--");
    }

    #[test]
    fn an_attribute_with_other_references_is_left_out() {
        assert_eq!(declarations("a:&quot;b&quot;").as_deref(), Some("a:'b'"));
        assert_eq!(declarations("a:&#117;rl(x)"), None);
        assert_eq!(declarations("a:u&#114l(x)"), None);
        assert_eq!(declarations("a:url(x)").as_deref(), Some("a:url-off(x)"));
    }
}
