import JSON

/// An entry in the text of a capture: what is not held of it is read there again.
struct StoredEntry: Sendable {
    let source: CaptureSource
    /// Whether it stands there as JSON.
    let isStrict: Bool
    let place: (offset: Int, length: Int)

    /// As HAR spells it; nil where it is not there any more.
    var entry: JSONValue? {
        var reader = LenientReader(source, at: place.offset)
        guard let entry = isStrict ? try? JSONParser.parse(written) : try? reader.value() else { return nil }
        return EntrySpelling.plain(entry) ?? entry
    }

    /// Where it is HAR, as it stands there.
    var text: [UInt8] {
        guard isStrict else {
            guard let entry else { return [] }
            return Producers.isUnusual(entry) ? HAREntry.text(ofUnusual: entry) : JSONWriter.bytes(of: entry)
        }
        let written = written
        guard let entry = try? JSONParser.parse(written) else { return written }
        let plain = EntrySpelling.plain(entry)
        guard plain != nil || Producers.isUnusual(entry) else { return written }
        return HAREntry.text(ofUnusual: plain ?? entry)
    }

    /// The bytes of a body in it; `isPlain`: whether its own spelling is HAR's.
    func bytes(of body: BodyText, isPlain: Bool) -> [UInt8]? {
        // What is not spelled as in HAR is not found by its names alone.
        isStrict && isPlain
            ? body.bytes(inEntry: written) : entry.flatMap(body.bytes(in:))
    }

    private var written: [UInt8] { source.bytes(at: place.offset, count: place.length) }
}
