//! What counts how much.

/// How much each part of a score counts. Words are weighed by how rare they are in all texts
/// (their idf), whatever the part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// How soon more occurrences of a word in a text say nothing more (BM25's k1).
    pub k1: f32,
    /// How much the length of the whole text counts against it (BM25's b).
    pub length: f32,
    /// The same for title, headings, URL and texts of links.
    pub length_of_part: f32,
    /// BM25 in everything that the page is found by.
    pub text: f32,
    /// BM25 in the title.
    pub title: f32,
    /// BM25 in the headings.
    pub heading: f32,
    /// BM25 in the words of the URL.
    pub url: f32,
    /// BM25 in the texts of links to the page.
    pub anchor: f32,
    /// Each word that the page has at all.
    pub coverage: f32,
    /// Each word that the page has as it was typed, not only by its stem.
    pub exact: f32,
    /// Words that stand together as they do in the query.
    pub near: f32,
    /// The title is the query.
    pub same_title: f32,
    /// The text of a link to the page is the query.
    pub same_anchor: f32,
    /// The rank by one vote a domain; of pages with their fair share it is 0.
    pub vote: f32,
    /// `PageRank`, likewise.
    pub page: f32,
    /// The rank of the site, likewise.
    pub site: f32,
    /// A page dated on the day of the newest fetch; halves with each year of age.
    pub fresh: f32,
    /// The part of its score that a page loses which is made to be found and not to be read.
    pub spam: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            k1: 1.2,
            length: 0.4,
            length_of_part: 0.4,
            text: 1.0,
            title: 0.2,
            heading: 0.1,
            url: 0.2,
            anchor: 1.5,
            coverage: 3.0,
            exact: 1.0,
            near: 3.0,
            same_title: 1.0,
            same_anchor: 1.0,
            vote: 0.3,
            page: 0.0,
            site: 0.1,
            fresh: 0.2,
            // Whatever words it is stuffed with: ten times the score of an honest page is none.
            spam: 0.9,
        }
    }
}
