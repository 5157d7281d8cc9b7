internal import Captures

/// What two readers of a request could take for different things.
///
/// Inside a tunnel such a request passes as it was sent: it can harm nobody but its own connection. One that has to be sent
/// on in another form is refused instead, for its new form would be one reader's choice.
extension ProxyRequest {
    /// Nil where every reader sees the same (RFC 9112, sections 2.2, 5.1, 5.2 and 6.3).
    static func ambiguity(of head: [UInt8]) -> String? {
        var hasLength = false
        var codings: [ArraySlice<UInt8>] = []
        var isStartLine = true
        var rest = head[...]
        while let feed = rest.firstIndex(of: 0x0a) {
            let line = rest[..<feed]
            rest = rest[(feed + 1)...]
            guard line.last == 0x0d else { return "a line that ends in LF alone" }
            let text = line.dropLast()
            if text.contains(where: { $0 == 0 || $0 == 0x0d }) { return "NUL or CR within a line" }
            guard !isStartLine else {
                isStartLine = false
                continue
            }
            guard let first = text.first else { break }
            if first.isBlank { return "a field that is folded over lines" }
            guard let colon = text.firstIndex(of: 0x3a), colon > text.startIndex else {
                return "a field line without a name"
            }
            guard text[..<colon].allSatisfy(\.isTokenCharacter) else {
                return "a field name with characters that are not allowed"
            }
            if isField(text, "content-length") { hasLength = true }
            if isField(text, "transfer-encoding") { codings.append(value(of: text)) }
        }
        return codings.isEmpty ? nil : ambiguity(of: TransferCodings(codings), hasLength)
    }

    /// Servers that look for the last word, for the whole value or for `chunked` anywhere in it have to find the same.
    private static func ambiguity(of codings: TransferCodings, _ hasLength: Bool) -> String? {
        if hasLength { return "both Transfer-Encoding and Content-Length" }
        guard codings.endInChunked else { return TransferCodings.endlessRequest }
        if codings.chunkedCount > 1 { return "chunked more than once in Transfer-Encoding" }
        return codings.arePlain ? nil : "Transfer-Encoding is no plain list of codings"
    }
}
