//! Documents that are no pages: PDF, Office files, RTF.
