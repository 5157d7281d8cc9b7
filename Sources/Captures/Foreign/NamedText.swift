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
        if lines.contains(where: isOfCurl) { return ("what curl -v prints", recordedCurl) }
        if lines.contains(where: isOfTrace) { return ("what curl --trace writes", recordedCurl) }
        if isOfAccessLog(first) || isOfHAProxy(first) {
            return (
                "a web server's access log",
                "it holds neither header fields nor bodies: record the login with authreel record, or export a HAR"
            )
        }
        if let packets = PrintedPackets.kind(first, second: lines.dropFirst().first) { return packets }
        return lines.lazy.compactMap(kind(ofLine:)).first
            ?? lines.first { !$0.hasPrefix("#") }.flatMap(kind(ofBeginning:))
    }

    private static let recordedCurl =
        "it lacks the request or the answer; let it be recorded: authreel record --out login.har -- curl, with its arguments"

    /// By a line that stands anywhere near the beginning.
    private static func kind(ofLine line: Substring) -> (looksLike: String, advice: String)? {
        if line == "http_interactions:" || line == "interactions:" {
            return (
                "a cassette of VCR with no request that can be read",
                "let the program be recorded that made it: authreel record --out login.har -- COMMAND"
            )
        }
        if line.lowercased().hasPrefix("snapshot-content-location:") {
            return ("a page that was saved", FileKind.pageAdvice)
        }
        if line.contains("CFNetwork Diagnostics [") {
            return (
                "what CFNetwork logs (CFNETWORK_DIAGNOSTICS)",
                "it has no bodies: record the app (authreel record), or let Pulse, netfox or FLEX in it share its calls"
            )
        }
        if line.contains("[org.keycloak.events]") { return ("a log of Keycloak's", logOfProvider) }
        return nil
    }

    private static func kind(ofBeginning line: Substring) -> (looksLike: String, advice: String)? {
        if line.hasPrefix("timeStamp,elapsed,label,") { return jMeter }
        if line.hasPrefix("WARC/") { return ("an archive of pages (WARC)", FileKind.export) }
        if line.hasPrefix("==== "), line.hasSuffix("====") {
            return (
                "messages of ZAP's",
                "in ZAP: select them in the history, Save Selected Entries as HAR (HTTP Archive File)"
            )
        }
        if isCopied(line) {
            return (
                "a request that was copied",
                "one request shows no login; the same menu has Copy all as HAR, with sensitive data"
            )
        }
        return isOfMessage(line) ? ("an HTTP message", FileKind.export) : nil
    }

    /// Of those in XML the messages are read where they are in it: nobody wants them in the results of a load test.
    static let jMeter = (
        looksLike: "results of JMeter's",
        advice: "in XML, with the messages in them, they are read; or let the test be recorded:"
            + " authreel record --out login.har -- jmeter -n -t PLAN.jmx"
    )

    /// What to do with what a provider itself tells of logins.
    static let logOfProvider =
        "it tells how the provider saw the login; what was sent is in a HAR: \(FileKind.export)"

    /// The head of a request or an answer behind its mark.
    private static func isOfCurl(_ line: Substring) -> Bool {
        line.hasPrefix("< HTTP/") || line.hasPrefix("> ") && line.contains(" HTTP/")
    }

    /// Of `--trace` and `--trace-ascii`.
    private static func isOfTrace(_ line: Substring) -> Bool {
        line.hasPrefix("=> Send header, ") || line.hasPrefix("<= Recv header, ")
    }

    /// As cURL, PowerShell or for `fetch`, as the menus of browsers have it.
    private static func isCopied(_ line: Substring) -> Bool {
        let isCommand = line.hasPrefix("curl ") || line.hasPrefix("Invoke-WebRequest ")
        return (isCommand || line.hasPrefix("fetch(") || line.hasPrefix("await fetch("))
            && line.contains("://")
    }

    /// The first line of a request (RFC 9112, section 3), be it for an editor that sends it, or of an answer (section 4).
    private static func isOfMessage(_ line: Substring) -> Bool {
        let words = line.split(separator: " ")
        guard words.count > 1 else { return false }
        if words[0].hasPrefix("HTTP/") { return Int(words[1]) != nil }
        let isTarget = words[1].hasPrefix("/") && words.last?.hasPrefix("HTTP/") == true
        return methods.contains(words[0]) && (isTarget || words[1].contains("://"))
    }

    private static let methods: Set<Substring> = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]

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

    /// Of HAProxy's log of requests (`option httplog`): the request in quotes ends the line.
    private static func isOfHAProxy(_ line: Substring) -> Bool {
        let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2].isEmpty, parts[0].contains(" haproxy[") else { return false }
        let words = parts[1].split(separator: " ")
        return words.count == 3 && words[2].hasPrefix("HTTP/")
    }
}
