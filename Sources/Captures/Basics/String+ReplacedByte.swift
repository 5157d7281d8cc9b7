extension String {
    /// With a byte of ASCII replaced by another wherever it stands.
    package func replacing(_ byte: UInt8, by other: UInt8) -> String {
        String(decoding: utf8.map { $0 == byte ? other : $0 }, as: UTF8.self)
    }
}
