extension String {
    /// Without the slash at its end: identifiers of issuers and resources, and paths, are spelled with it and without.
    package var withoutSlash: String { utf8.last == 0x2f ? String(Substring(utf8.dropLast())) : self }
}
