//! Results as data.

use rhumb_index::{Answer, Want};
use rhumb_serve::results::{row, sum};

use crate::screen;

pub(super) fn print(answer: &Answer, want: &Want) -> std::io::Result<()> {
    for hit in &answer.hits {
        screen::print(&row(hit, want.explain))?;
    }
    if answer.facets.is_some() {
        screen::print(&sum(answer))?;
    }
    Ok(())
}
