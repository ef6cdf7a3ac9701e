use tantivy::schema::{IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::{Index, IndexWriter, Searcher, TantivyDocument};

use super::Spelling;
use crate::ask::Query;
use crate::words::Analyser;

/// An index of these words, each in so many pages; one segment for each list.
fn searcher(segments: &[&[(&str, usize)]]) -> Searcher {
    let mut schema = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_index_option(IndexRecordOption::Basic);
    let field =
        schema.add_text_field("word", TextOptions::default().set_indexing_options(indexing));
    let index = Index::create_in_ram(schema.build());
    let mut writer: IndexWriter = index.writer_with_num_threads(1, 15_000_000).expect("a writer");
    for segment in segments {
        for (word, documents) in *segment {
            for _ in 0..*documents {
                let mut document = TantivyDocument::new();
                document.add_text(field, word);
                writer.add_document(document).expect("taken in");
            }
        }
        writer.commit().expect("committed");
    }
    index.reader().expect("a reader").searcher()
}

fn words() -> Searcher {
    let first = [("postgres", 60), ("vacuum", 10), ("index", 100), ("indent", 3), ("alter", 9)];
    let second = [("table", 20), ("postgers", 1), ("replication", 7), ("index", 5), ("cafe", 2)];
    searcher(&[&first, &second, &[("検索", 3), ("pg_dump", 3), ("the", 200)]])
}

fn spelling(searcher: &Searcher) -> Spelling<'_> {
    Spelling::new(searcher, searcher.schema().get_field("word").expect("the field"))
}

fn check(word: &str, expect: Option<&str>) {
    let searcher = words();
    let suggested = spelling(&searcher).suggest(word).expect("an answer");
    assert_eq!(suggested.as_deref(), expect, "{word}");
}

#[test]
fn a_slip_is_the_nearest_frequent_word() {
    check("vacum", Some("vacuum"));
    check("vaccum", Some("vacuum"));
    check("teh", Some("the"));
    check("postgers", Some("postgres"));
    check("replciatoin", Some("replication"));
    check("indes", Some("index"));
}

#[test]
fn words_that_pages_have_are_no_slips() {
    check("vacuum", None);
    check("indent", None);
    check("index", None);
}

#[test]
fn what_is_near_nothing_stays() {
    for word in ["xyzzy", "ve", "検査", "pg_dmp", "42", "", &"x".repeat(100_000)] {
        check(word, None);
    }
}

#[test]
fn two_words_typed_as_one_are_told_apart() {
    check("altertable", Some("alter table"));
    let searcher = words();
    let joined = |left, right| spelling(&searcher).joined(left, right).expect("an answer");
    assert_eq!(joined("post", "gres").as_deref(), Some("postgres"));
    assert_eq!(joined("the", "index"), None);
}

#[test]
fn prefixes_give_the_most_frequent_words_first() {
    let searcher = words();
    let expand = |prefix, max| spelling(&searcher).expand(prefix, max).expect("an answer");
    let check = |prefix, max, expect: &[&str], are_all: bool| {
        let expect = expect.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(expand(prefix, max), (expect, are_all), "{prefix}");
    };
    check("ind", 9, &["index", "indent"], true);
    check("ind", 1, &["index"], false);
    check("pg_", 9, &["pg_dump"], true);
    check("検", 9, &["検索"], true);
    check("zz", 9, &[], true);
}

#[test]
fn every_segment_has_its_share_of_the_words_with_a_prefix() {
    let many: Vec<String> = (0..20_000).map(|number| format!("pre{number}")).collect();
    let many: Vec<(&str, usize)> = many.iter().map(|word| (word.as_str(), 1)).collect();
    let searcher = searcher(&[&many, &[("prelude", 20_001)]]);
    let (words, are_all) = spelling(&searcher).expand("pre", 3).expect("an answer");
    assert_eq!((words[0].as_str(), are_all), ("prelude", false));
}

fn check_query(query: &str, expect: Option<&str>) {
    let searcher = words();
    let query = Query::parse(query).expect("a query");
    let mut analyser = Analyser::new();
    let languages = ["en".to_owned()];
    let corrected = spelling(&searcher).correct(&mut analyser, &query, &languages);
    let corrected = corrected.expect("an answer").map(|query| query.to_string());
    assert_eq!(corrected.as_deref(), expect, "{query}");
}

#[test]
fn a_query_is_mended_word_by_word() {
    check_query("vacum index", Some("vacuum index"));
    check_query("(vacum OR \"tabel index\") -vacum", Some("vacuum OR \"table index\" -vacum"));
    check_query("post gres index", Some("postgres index"));
    check_query("altertable index", Some("alter table index"));
    check_query("intitle:vacum site:vacum.org", Some("intitle:vacuum site:vacum.org"));
    check_query("zzza zzzb zzzc indes", Some("zzza zzzb zzzc index"));
    check_query("zzza zzzb zzzc zzzd indes", None);
    check_query("indexes tables café", None);
    check_query("vacuum pg_dmp C++", None);
}
