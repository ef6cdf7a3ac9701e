//! What was done to the webs' servers, proven from the archive's own records.
