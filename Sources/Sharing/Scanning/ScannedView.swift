/// What a decoding makes of a text: the pieces of it that the decoding changes.
///
/// Pieces are parted by ``WindowIndex/separator``. Never longer than the text it was made of.
struct ScannedView {
    private(set) var bytes: [UInt8] = []
    /// For each byte, the offset in the text of the first byte it was made of; empty unless asked for.
    private(set) var origins: [UInt32] = []
    private let tracksOrigins: Bool

    init(tracksOrigins: Bool) { self.tracksOrigins = tracksOrigins }

    @inline(__always)
    mutating func append(_ byte: UInt8, from origin: Int) {
        bytes.append(byte)
        if tracksOrigins { origins.append(UInt32(truncatingIfNeeded: origin)) }
    }

    /// Appends bytes of the text as they are.
    mutating func append(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
        bytes.append(contentsOf: text[range])
        if tracksOrigins { origins.append(contentsOf: range.lazy.map { UInt32(truncatingIfNeeded: $0) }) }
    }

    /// Appends bytes that were decoded, with where they come from.
    mutating func append(_ decoded: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, origins: [UInt32]) {
        bytes.append(contentsOf: decoded[range])
        if tracksOrigins { self.origins.append(contentsOf: origins[range]) }
    }
}

/// One way from a text to a view of it.
enum ViewDecoding: Hashable {
    /// One layer of the escapes of these kinds, all at once.
    case escapes(EscapeReader.Kinds)
    /// What text is inside of base64 or base64url, runs decoded without their first characters.
    case base64(phase: Int)
    /// What text is inside of hexadecimal digits, runs decoded without their first characters.
    case hexadecimal(phase: Int)
    /// Bytes that are written one by one: no short values by their names are looked for in them, and no more encodings.
    case listed(ListedBytes)
    /// The body of a HAR entry that says that its text is base64.
    case body

    /// The view of a text; nil where the decoding changes nothing of it.
    ///
    /// `textBytes`: for each ASCII byte, whether text may have it; `base85`: nil finds none of it.
    func view(
        of text: UnsafeBufferPointer<UInt8>,
        textBytes: [Bool],
        base85: Base85Index? = nil,
        tracksOrigins: Bool = false
    ) -> ScannedView? {
        var runs = TextRuns(
            textBytes: textBytes,
            minimum: self == .body ? 1 : TextRuns.minimum,
            tracksOrigins: tracksOrigins
        )
        switch self {
        case .escapes(let kinds):
            let view = EscapeReader(text, kinds).view(tracksOrigins: tracksOrigins)
            return view.bytes.isEmpty ? nil : view
        case .base64(let phase):
            AlphabetRuns.base64.decode(text, phase: phase, into: &runs, tracksOrigins: tracksOrigins)
        case .hexadecimal(let phase):
            AlphabetRuns.hexadecimal.decode(text, phase: phase, into: &runs, tracksOrigins: tracksOrigins)
        case .listed(let form):
            form.read(Array(text), base85 ?? Base85Index([])) { bytes, origins in
                let own = tracksOrigins ? origins.map { UInt32(truncatingIfNeeded: $0) } : []
                bytes.withUnsafeBufferPointer { runs.take($0, origins: own) }
            }
        case .body: AlphabetRuns.base64.decodeWhole(text, into: &runs, tracksOrigins: tracksOrigins)
        }
        return runs.view.bytes.isEmpty ? nil : runs.view
    }

    /// The encodings, as a leak names them, that stand in a part of the text.
    func encodings(in part: UnsafeBufferPointer<UInt8>) -> [Leak.Encoding] {
        switch self {
        case .base64, .body: return [.base64]
        case .hexadecimal: return [.hexadecimal]
        case .listed(let form): return [form.encoding]
        case .escapes(let kinds):
            let present = EscapeReader(part, kinds).presentKinds()
            return [(.percent, .percent), (.json, .json), (.html, .html), (.style, .style)].compactMap {
                (kind: EscapeReader.Kinds, encoding: Leak.Encoding) in
                present.contains(kind) ? encoding : nil
            }
        }
    }
}
