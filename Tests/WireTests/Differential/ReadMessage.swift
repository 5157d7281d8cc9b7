import Captures

/// A message of one direction, as a reader saw it.
struct ReadMessage {
    /// Method and target, or the status.
    var start: [String]
    var fields: [String]
    var body: [UInt8] = []
    var trailers: [String] = []
    /// Its end was seen.
    var isWhole = false
    /// What the reader named as not allowed, and read all the same.
    var named: [String] = []

    static func lines(_ fields: some Sequence<(name: String, value: String)>) -> [String] {
        fields.map { "\($0.name): \($0.value)" }
    }

    static func lines(_ fields: HeaderFields) -> [String] { lines(fields.fields.map { ($0.name, $0.value) }) }

    /// The parts in which it is not what another reader saw; empty where it is the same.
    ///
    /// Bytes that are no UTF-8 are Latin-1 to us and replacement characters to NIO: that is no difference here.
    func differences(from other: ReadMessage) -> [String] {
        var parts: [String] = []
        if !Self.same(start, other.start) { parts.append("start line") }
        if !Self.same(fields, other.fields) { parts.append("fields") }
        if body != other.body { parts.append("body") }
        if !Self.same(trailers, other.trailers) { parts.append("trailers") }
        return parts
    }

    private static func same(_ ours: [String], _ theirs: [String]) -> Bool {
        ours.count == theirs.count
            && zip(ours, theirs).allSatisfy { ours, theirs in
                // Byte by byte: Swift holds canonically equivalent texts for equal.
                ours.utf8.elementsEqual(theirs.utf8) || repaired(ours).utf8.elementsEqual(theirs.utf8)
            }
    }

    /// What NIO makes of the bytes of a text that was read as Latin-1.
    private static func repaired(_ line: String) -> String {
        let halves = line.split(separator: ": ", maxSplits: 1, omittingEmptySubsequences: false)
        return halves.map { half in
            let scalars = half.unicodeScalars
            guard theyAreLatin1(scalars) else { return String(half) }
            let bytes = scalars.map { UInt8($0.value) }
            return String(decoding: bytes, as: UTF8.self)
        }.joined(separator: ": ")
    }

    private static func theyAreLatin1(_ scalars: Substring.UnicodeScalarView) -> Bool {
        scalars.allSatisfy { $0.value <= 0xff } && scalars.contains { $0.value >= 0x80 }
    }
}

/// What a reader made of the bytes of one direction.
struct Reading {
    var messages: [ReadMessage] = []
    /// Why it stopped before the end; nil where it took everything.
    var refusal: String?
}
