/// Text that is known and holds no capture, with what to do.
enum NamedText {
    /// What text is that begins like this; nil where nobody knows.
    ///
    /// Asked where no capture was found further down either.
    static func kind(_ head: [UInt8]) -> (looksLike: String, advice: String)? {
        let text = String(decoding: head.prefix(FileKind.recognizedBytes), as: UTF8.self)
        let lines = text.split(whereSeparator: \.isNewline)
        guard let first = lines.first else { return nil }
        if isToken(first) { return ("a token", "authreel jwt FILE decodes it") }
        if lines.contains(where: isOfCurl) {
            return (
                "what curl -v prints",
                "let it be recorded: authreel record --out login.har -- curl, with its arguments"
            )
        }
        if isOfAccessLog(first) {
            return (
                "a web server's access log",
                "it holds neither header fields nor bodies: record the login with authreel record, or export a HAR"
            )
        }
        return nil
    }

    /// The head of a request or an answer behind its mark.
    private static func isOfCurl(_ line: Substring) -> Bool {
        line.hasPrefix("< HTTP/") || line.hasPrefix("> ") && line.contains(" HTTP/")
    }

    /// Three or five parts, the first of which is the beginning of an object.
    private static func isToken(_ line: Substring) -> Bool {
        let parts = line.split(separator: ".", omittingEmptySubsequences: false)
        return line.hasPrefix("eyJ") && [3, 5].contains(parts.count)
            && line.utf8.allSatisfy {
                $0.isASCIILetter || $0.isASCIIDigit || [0x2d, 0x2e, 0x5f].contains($0)
            }
    }

    /// Of the common and the combined log format: a time in brackets, a request in quotes, a status.
    private static func isOfAccessLog(_ line: Substring) -> Bool {
        let parts = line.split(separator: "\"", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].hasSuffix("] ") else { return false }
        let words = parts[1].split(separator: " ")
        let status = parts[2].utf8.dropFirst().prefix(3)
        return words.count == 3 && words[2].hasPrefix("HTTP/") && status.count == 3
            && status.allSatisfy { $0.isASCIIDigit }
    }
}
