//! What a scraper is promised.
mod endpoint;
mod format;
