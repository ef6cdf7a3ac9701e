//! The fields of a document in tantivy.

use tantivy::schema::{
    BytesOptions, Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::store::{Compressor, ZstdCompressor};
use tantivy::tokenizer::TokenizerManager;
use tantivy::{IndexBuilder, IndexSettings};

use crate::packed::{UNPACKER, Unpacker};

/// The number of our format: of the fields, of what is stored, and of what words become.
pub(crate) const FORMAT: u32 = 3;

/// Where the words lie in the folder of an index.
pub(crate) const WORDS: &str = "words";
/// Where the texts of links lie.
pub(crate) const ANCHORS: &str = "anchors";
/// Where the links, the graph and the ranks lie.
pub(crate) const LINKS: &str = "links";

/// The fields, by what they hold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields {
    /// The key of the URL.
    pub(crate) key: Field,
    /// The key of the page whose results it is folded with.
    pub(crate) group: Field,
    /// The key of the page that had the same before.
    pub(crate) original: Field,
    /// A fingerprint of the texts of links that it has.
    pub(crate) anchored: Field,
    /// Stems of everything that it is found by.
    pub(crate) text: Field,
    pub(crate) title: Field,
    pub(crate) heading: Field,
    pub(crate) anchor: Field,
    pub(crate) url: Field,
    /// The words themselves, each once.
    pub(crate) word: Field,
    /// The title as one number, see [`crate::names`].
    pub(crate) titled: Field,
    /// Texts of links as one number each.
    pub(crate) named: Field,
    /// Host and port, host, and every domain above it that is registered.
    pub(crate) site: Field,
    /// Host and port, to count by.
    pub(crate) host: Field,
    pub(crate) language: Field,
    pub(crate) kind: Field,
    pub(crate) dated: Field,
    pub(crate) fetched: Field,
    /// 1 of pages whose score sinks; others have none.
    pub(crate) sinks: Field,
    /// What is kept of the document to show it and to add it again.
    pub(crate) kept: Field,
}

/// The names of the columns that are read by name.
pub(crate) mod column {
    pub(crate) const KEY: &str = "key";
    pub(crate) const GROUP: &str = "group";
    pub(crate) const ANCHORED: &str = "anchored";
    pub(crate) const HOST: &str = "host";
    pub(crate) const LANGUAGE: &str = "language";
    pub(crate) const KIND: &str = "kind";
    pub(crate) const DATED: &str = "dated";
    pub(crate) const FETCHED: &str = "fetched";
    pub(crate) const SINKS: &str = "sinks";
}

/// The schema with its fields.
pub(crate) fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let words = |record| {
        let indexing = TextFieldIndexing::default().set_tokenizer(UNPACKER);
        TextOptions::default().set_indexing_options(indexing.set_index_option(record))
    };
    let term = || {
        let indexing = TextFieldIndexing::default().set_tokenizer("raw").set_fieldnorms(false);
        TextOptions::default()
            .set_indexing_options(indexing.set_index_option(IndexRecordOption::Basic))
    };
    let positions = IndexRecordOption::WithFreqsAndPositions;
    let counts = IndexRecordOption::WithFreqs;
    let number = NumericOptions::default;
    let fields = Fields {
        key: builder.add_u64_field(column::KEY, number().set_indexed().set_fast()),
        group: builder.add_u64_field(column::GROUP, number().set_fast()),
        original: builder.add_u64_field("original", number().set_indexed()),
        anchored: builder.add_u64_field(column::ANCHORED, number().set_fast()),
        text: builder.add_text_field("text", words(positions)),
        title: builder.add_text_field("title", words(positions)),
        heading: builder.add_text_field("heading", words(counts)),
        anchor: builder.add_text_field("anchor", words(counts)),
        url: builder.add_text_field("url", words(positions)),
        word: builder.add_text_field("word", words(IndexRecordOption::Basic)),
        titled: builder.add_u64_field("titled", number().set_indexed()),
        named: builder.add_u64_field("named", number().set_indexed()),
        site: builder.add_text_field("site", term()),
        host: builder.add_text_field(column::HOST, TextOptions::default().set_fast("raw")),
        language: builder.add_text_field(column::LANGUAGE, term().set_fast("raw")),
        kind: builder.add_text_field(column::KIND, term().set_fast("raw")),
        dated: builder.add_i64_field(column::DATED, number().set_fast()),
        fetched: builder.add_u64_field(column::FETCHED, number().set_fast()),
        sinks: builder.add_u64_field(column::SINKS, number().set_fast()),
        kept: builder.add_bytes_field("kept", BytesOptions::default().set_stored()),
    };
    (builder.build(), fields)
}

/// How a new index is made.
pub(crate) fn builder(schema: Schema) -> IndexBuilder {
    let compression = ZstdCompressor { compression_level: Some(1) };
    let settings = IndexSettings {
        docstore_compression: Compressor::Zstd(compression),
        docstore_compress_dedicated_thread: false,
        // A block is unpacked for each result: one long page, or a few short ones.
        docstore_blocksize: 8_192,
        ..IndexSettings::default()
    };
    tantivy::Index::builder().schema(schema).settings(settings).tokenizers(tokenizers())
}

/// Those that the schema names.
pub(crate) fn tokenizers() -> TokenizerManager {
    let tokenizers = TokenizerManager::default();
    tokenizers.register(UNPACKER, Unpacker);
    tokenizers
}
