//! Takedowns: what is to be gone from a crawl, and never to be fetched again.
