/// The codings of a message's transfer, as its `Transfer-Encoding` fields list them (RFC 9112, section 6.1).
///
/// The one reading of them: where two would differ, one took for a body what the other took for the next message.
package struct TransferCodings: Sendable, Equatable {
    /// In the order in which they were applied, `A`–`Z` in lower case, with their parameters.
    ///
    /// Empty elements of a list are passed over (RFC 9110, section 5.6.1.2).
    package private(set) var names: [String] = []
    /// Whether each element is there and is one word, so that no reader can take it for another.
    package private(set) var arePlain = true

    /// `values`: of each field in order, without their names.
    package init(_ values: some Sequence<some Collection<UInt8>>) {
        for element in values.flatMap({ $0.split(separator: 0x2c, omittingEmptySubsequences: false) }) {
            // Blanks around a coding are no part of it; within one they make it another.
            let coding = Array(element.drop(while: \.isBlank).reversed().drop(while: \.isBlank).reversed())
            if coding.isEmpty || !coding.allSatisfy(\.isTokenCharacter) { arePlain = false }
            if !coding.isEmpty { names.append(String(decoding: ASCIICase.lowercased(coding), as: UTF8.self)) }
        }
    }

    /// Whether the body comes in chunks, the last of which ends it (RFC 9112, section 6.3).
    package var endInChunked: Bool { names.last == "chunked" }

    /// Of a request whose codings do not: its end is known to nobody but its sender.
    package static let endlessRequest = "Transfer-Encoding of a request does not end in chunked"

    /// How many of them are `chunked`; more than one is not allowed (RFC 9112, section 6.1).
    package var chunkedCount: Int { names.count { $0 == "chunked" } }
}
