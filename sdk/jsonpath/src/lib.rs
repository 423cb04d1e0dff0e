//! RFC 9535 JSONPath over any tree.
