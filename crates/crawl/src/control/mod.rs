//! The control socket of a running crawl: one question a line, one answer a line.
