use proptest::prelude::*;

use super::{Node, QUERY_BYTES_MAX, Query};

/// The tree with its lists in brackets.
fn tree(node: &Node) -> String {
    let list = |nodes: &[Node]| nodes.iter().map(tree).collect::<Vec<_>>().join(" ");
    match node {
        Node::All(nodes) => format!("all[{}]", list(nodes)),
        Node::Any(nodes) => format!("any[{}]", list(nodes)),
        Node::Not(node) => format!("not[{}]", tree(node)),
        Node::InTitle(node) => format!("title[{}]", tree(node)),
        Node::InUrl(node) => format!("url[{}]", tree(node)),
        Node::Before(moment) => format!("before {moment}"),
        Node::After(moment) => format!("after {moment}"),
        other => other.to_string(),
    }
}

fn check(query: &str, expect: &str) {
    let parsed = Query::parse(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    assert_eq!(tree(&parsed.root), expect, "{query}");
}

fn check_error(query: &str, what: &str, advice: &str) {
    let error = Query::parse(query).expect_err(query);
    assert_eq!((error.what.as_str(), error.advice.as_str()), (what, advice), "{query}");
    assert!(query.get(error.place).is_some(), "{query}");
}

#[test]
fn everything_given_must_be_there() {
    check("full text search", "all[full text search]");
    check("  one ", "one");
    check("a AND b", "all[a b]");
    check("and or not", "all[and or not]");
    check("a + b — c", "all[a b c]");
}

#[test]
fn or_binds_its_neighbours_first() {
    check("a b OR c d", "all[a any[b c] d]");
    check("a | b||c", "any[a b c]");
    check("(a b) OR c", "any[all[a b] c]");
    check("((a) (b (c)))", "all[a b c]");
    check("a OR b AND c OR d", "all[any[a b] any[c d]]");
}

#[test]
fn an_operator_without_neighbours_is_a_word() {
    check("OR (operator)", "all[or operator]");
    check("a OR", "all[a or]");
    check("a OR OR b", "all[any[a or] b]");
    check("x (AND b)", "all[x and b]");
    check("| a |", "a");
    check("NOT IN", "all[NOT IN]");
}

#[test]
fn phrases_and_exclusions_are_read() {
    check("\"a  b\" -c -\"d e\"", "all[\"a b\" not[c] not[\"d e\"]]");
    check("“a b” „c d“ ＂e＂", "all[\"a b\" \"c d\" \"e\"]");
    check("a -(b OR c) -site:d.org", "all[a not[any[b c]] not[site:d.org]]");
    check("a --help - b x-ray –y", "all[a --help b x-ray –y]");
    check("a\"b c\"d", "all[a \"b c\" d]");
    check("a \"\" \"+\" ()", "a");
}

#[test]
fn names_and_addresses_are_words() {
    check("std::vec 12:30 foo:bar", "all[std::vec 12:30 foo:bar]");
    check("https://example.org/a?b=c", "https://example.org/a?b=c");
    check("count(*) (f(x) OR g())", "all[count(*) any[f(x) g()]]");
    check("C++ C# .NET", "all[C++ C# .NET]");
    check("abort() (asyncio.Barrier method)", "all[abort() asyncio.Barrier method]");
    check("! $libdir/plugins %TYPE in PL/pgSQL", "all[$libdir/plugins %TYPE in PL/pgSQL]");
}

#[test]
fn fields_are_read() {
    check("site:Example.org", "site:example.org");
    check("site:https://www.example.org/ a", "all[site:www.example.org a]");
    check("site:127.0.0.1:8080", "site:127.0.0.1:8080");
    check("site:[::1]:80 SITE:bücher.de", "all[site:[::1] site:xn--bcher-kva.de]");
    check("site:example.org:443 site:[::1]:443", "all[site:example.org site:[::1]]");
    check("site:example.org:8443", "site:example.org:8443");
    check("inurl:docs intitle:\"two words\"", "all[url[docs] title[\"two words\"]]");
    check("intitle:postg*", "title[postg*]");
    check("lang:EN-us type:.PDF type:txt", "all[lang:en type:pdf type:text]");
    check("before:1970-01-02 after:1970", "all[before 86400000 after 0]");
    check("after:2024-03 before:\"2024-02-29\"", "all[after 1709251200000 before 1709164800000]");
}

#[test]
fn prefixes_need_two_letters() {
    check("postg* pg_du*", "all[postg* pg_du*]");
    check("検* a**", "all[検* a**]");
    check_error(
        "a*",
        "a* has fewer than 2 letters before the *",
        "write more of the word, or \"a\" for just that",
    );
    check_error("x:yz*", "x:yz* has : before the *", "write a single word before the *");
}

#[test]
fn what_cannot_be_understood_says_what_to_do() {
    let advice = "give a word of letters or digits to look for";
    for query in ["", " \t", "\"\"", "()", "+ - *", "…", "::", "@>", "|"] {
        check_error(query, "the query has no words", advice);
    }
    let advice = "add a quote at the end of the phrase";
    check_error("a \"b c", "a quote is not closed", advice);
    let advice = "add ), or put what it belongs to in quotes";
    check_error("(a b", "a parenthesis is not closed", advice);
    let advice = "remove it, or put what it belongs to in quotes";
    check_error("a b)", "a parenthesis is closed that was not opened", advice);
    let advice = "add a word that pages must have";
    check_error("-a -b", "the query only says what pages must not have", advice);
    let advice = "write the exclusion apart: one OR other -not";
    check_error("a OR -b", "OR cannot have an exclusion beside it", advice);
    let advice = "add a word to it, or write the minus before the group";
    check_error("a (-b)", "a group only says what pages must not have", advice);
}

#[test]
fn values_that_are_wrong_say_what_to_do() {
    let advice = "write site:example.org inurl:docs inurl:v2";
    check_error("site:example.org/docs/v2/", "site:example.org/docs/v2/ has a path", advice);
    check_error("site:a^b", "site:a^b is no host or domain", "write site:example.org");
    let advice = "write its tag, such as lang:en, lang:de or lang:zh";
    check_error("lang:klingon a", "lang:klingon is no tag of a language", advice);
    let advice = "write before:2024, before:2024-05 or before:2024-05-31";
    for date in ["2023-02-29", "2024-13", "24", "2024-1-1", "0000", "2024-01-01-01", "soon"] {
        check_error(&format!("before:{date}"), &format!("before:{date} is no date"), advice);
    }
    let advice = "write intitle:word or intitle:\"some words\"";
    check_error("intitle:(a b)", "intitle: has no word", advice);
}

#[test]
fn what_may_have_been_meant_otherwise_is_hinted_at() {
    let hint = |query| Query::parse(query).expect("a query").hint;
    assert_eq!(hint("langauge:en a").as_deref(), Some("langauge: is no field; lang: is"));
    assert_eq!(hint("title:a").as_deref(), Some("title: is no field; intitle: is"));
    assert_eq!(hint("stie:a.org").as_deref(), Some("stie: is no field; site: is"));
    let hinted = "site: is followed by a space and was taken as a word";
    assert_eq!(hint("site: a.org").as_deref(), Some(hinted));
    for query in ["std::vec", "12:30", "https://a.org", "typo:x", "error: x", "line:3"] {
        assert_eq!(hint(query), None, "{query}");
    }
}

#[test]
fn large_and_deep_queries_are_refused() {
    let error = |query: &str| Query::parse(query).expect_err("refused").what;
    assert_eq!(error(&"x".repeat(100_000)), "the query has 100000 bytes, more than 4096");
    assert_eq!(error(&"é".repeat(QUERY_BYTES_MAX)), "the query has 8192 bytes, more than 4096");
    assert_eq!(error(&"a ".repeat(65)), "the query has more than 64 words");
    assert_eq!(error(&"a.".repeat(65)), "the query has more than 64 words");
    assert_eq!(error(&"ab* ".repeat(9)), "the query has more than 8 words with a *");
    assert_eq!(error(&"\"a b\" ".repeat(9)), "the query has more than 8 phrases");
    assert_eq!(error(&"漢".repeat(65)), "the query has more than 64 words");
    assert_eq!(error(&"(".repeat(4_000)), "parentheses are nested more than 16 deep");
    let deep = format!("{}a{}", "(".repeat(16), ")".repeat(16));
    check(&deep, "a");
}

/// Strings out of what means something.
const TOKENS: &str = "(a|Bc|OR|AND|-|\"|\\(|\\)|\\||:|\\*| |site:|intitle:|before:2024|é|漢|_|\\.|f\\(|”|lang:en){0,16}";

proptest! {
    #[test]
    fn any_text_is_understood_or_refused(text in "\\PC{0,60}") {
        check_again(&text);
    }

    #[test]
    fn a_query_that_is_printed_is_understood_as_the_same(text in TOKENS) {
        check_again(&text);
    }

    #[test]
    fn every_day_is_printed_as_it_was_read(day in 0u32..3_600_000) {
        let moment = (i64::from(day) - 700_000) * 86_400_000;
        let printed = Node::After(moment).to_string();
        if let Ok(query) = Query::parse(&printed) {
            prop_assert_eq!(query.root, Node::After(moment));
        } else {
            prop_assert!(printed.len() > "after:9999-12-31".len(), "{}", printed);
        }
    }
}

fn check_again(text: &str) {
    match Query::parse(text) {
        Ok(query) => {
            let printed = query.to_string();
            let again = Query::parse(&printed)
                .unwrap_or_else(|error| panic!("{text:?} was printed as {printed:?}: {error}"));
            assert_eq!(again.root, query.root, "{text:?} was printed as {printed:?}");
        }
        Err(error) => {
            assert!(text.get(error.place).is_some());
            assert!(!error.advice.is_empty());
        }
    }
}
