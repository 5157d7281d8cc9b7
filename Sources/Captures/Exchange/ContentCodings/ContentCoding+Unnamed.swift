extension ContentCoding {
    /// The mark of a body whose coding is not known (`_authreel.contentCoding`).
    package static let unknown = "unknown"

    /// Codings that show, and whose checksum or end tells whether it is one.
    private static let evident = ["gzip", "zstd"]

    /// As with ``decode(_:codings:limit:folder:)``, where the field that names the coding may be one that is not known.
    ///
    /// What begins as a coding does and is one up to its end says so itself, and a text has none; what else there is may be coded.
    static func decodeUnnamed(_ coded: BodyStore, limit: Int, folder: String?) -> (
        body: BodyStore, remaining: String?, isWhole: Bool
    ) {
        var start: [UInt8]?
        var check = TextCheck()
        var isPlain = true
        coded.withPieces { piece in
            start = start ?? Array(piece.prefix(4))
            isPlain = check.receive(piece) && !piece.contains(where: isControl)
            return isPlain
        }
        if isPlain { return (coded, nil, true) }
        for coding in evident {
            guard let magic = magic(of: coding), start?.starts(with: magic) == true else { continue }
            let result = decode(coded, codings: [coding], limit: limit, folder: folder)
            if result.remaining == nil, result.isWhole { return result }
        }
        return (coded, unknown, true)
    }

    /// What no text of a message has, but the ends of its lines and tabs.
    private static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 && byte != 0x09 && byte != 0x0a && byte != 0x0d
    }
}
