//! What the index promises, through its public face.

mod anchors;
mod changes;
mod finding;
mod hostile;
mod made;
mod queries;
