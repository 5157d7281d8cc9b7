import Testing

/// A kind of bytes that we mean to read otherwise than llhttp does, and why.
struct HTTP1DeliberateDifference: Sendable, CustomTestStringConvertible {
    var why: String
    /// As little as shows it.
    var example: HTTP1Bytes
    var explains: @Sendable (HTTP1Difference) -> Bool

    var testDescription: String { why }

    /// Every difference there may be; the first that explains one counts.
    static let table: [HTTP1DeliberateDifference] = named + others

    // MARK: - What is read and named, where llhttp refuses

    /// A recorder shows what was sent, above all what was sent wrong.
    ///
    /// It reads on where it can, and the entry says what HTTP does not allow. A server does better to refuse.
    private static let named: [HTTP1DeliberateDifference] = [
        named("NUL or CR in a field value", .requests("GET / HTTP/1.1\r\nA: b\0c\r\n\r\n")),
        named("a control character in a field value", .requests("GET / HTTP/1.1\r\nA: b\u{1}c\r\n\r\n")),
        named("a field is folded over lines", .requests("GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n")),
        named("a field line without a colon", .requests("GET / HTTP/1.1\r\nHost\r\n\r\n")),
        named(
            "a field name with characters that are not allowed",
            .requests("GET / HTTP/1.1\r\nHo st: x\r\n\r\n")
        ),
        named("white space before the colon of a field", .requests("GET / HTTP/1.1\r\nHost : x\r\n\r\n")),
        named("a line ends in LF alone", .requests("GET / HTTP/1.1\r\nHost: x\n\r\n")),
        named("a space in the request target", .requests("GET /a b HTTP/1.1\r\nHost: x\r\n\r\n")),
        named(
            "a character in the request target that is not allowed",
            .requests("GET /\u{1} HTTP/1.1\r\nHost: x\r\n\r\n")
        ),
        named("version", .requests("GET / HTTP/1.7\r\nHost: x\r\n\r\n")),
        named(
            "both Transfer-Encoding and Content-Length",
            .requests("POST / HTTP/1.1\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        ),
        named(
            "chunked more than once in Transfer-Encoding",
            .requests("POST / HTTP/1.1\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n")
        ),
        named(
            "Content-Length is not a number",
            .answers("HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello")
        ),
        named(
            "two Content-Length values that differ",
            .answers("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello")
        ),
        named("a status code that no space follows", .answers("HTTP/1.1 204x\r\n\r\n")),
        named("more than one space before the status code", .answers("HTTP/1.1  204 x\r\n\r\n")),
        named("a control character in the reason phrase", .answers("HTTP/1.1 204 x\ry\r\n\r\n")),
        named(
            "a chunk size line that ends in LF alone",
            .requests("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n")
        ),
        named(
            "a chunk that ends in LF alone",
            .requests("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\n0\r\n\r\n")
        ),
        named(
            "white space behind a chunk size",
            .requests("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\na\r\n0\r\n\r\n")
        ),
        named(
            "a control character in a chunk extension",
            .requests("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;\u{1}\r\na\r\n0\r\n\r\n")
        ),
    ]

    private static func named(_ reason: String, _ example: HTTP1Bytes) -> HTTP1DeliberateDifference {
        HTTP1DeliberateDifference(why: "named: \(reason)", example: example) { difference in
            guard difference.ours == .named(reason) else { return false }
            if case .refused = difference.theirs { return true }
            // Behind a change of the protocol NIO refuses nothing any more; at the end of a target it takes any
            // number of spaces, at the end of a reason phrase a CR alone.
            return mayHaveStopped(difference)
                || reason == "a space in the request target" && difference.parts == ["start line"]
                || reason == "a control character in the reason phrase" && difference.parts == ["fields"]
        }
    }

    // MARK: - What both may be right about

    private static let others: [HTTP1DeliberateDifference] = [
        HTTP1DeliberateDifference(
            why: "what comes behind `Connection: close` is recorded; llhttp refuses to read it",
            example: .requests("GET / HTTP/1.0\r\n\r\nGET / HTTP/1.1\r\n\r\n")
        ) { $0.theirs == .refused("data received after completed connection") },
        HTTP1DeliberateDifference(
            why: "NIO stops behind a request to change the protocol; we stop when it was changed",
            example: .requests("CONNECT a:1 HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n")
        ) { $0.theirs == .waits && mayHaveStopped($0) },
        HTTP1DeliberateDifference(
            why:
                "a request ends where its fields say (RFC 9112, section 6.3); CONNECT and Upgrade have no body at llhttp",
            example: .requests("CONNECT a:1 HTTP/1.1\r\nContent-Length: 5\r\n\r\n")
        ) { $0.answering == nil && $0.theirs == .whole && $0.mine.map(changesTheProtocol) == true },
        HTTP1DeliberateDifference(
            why: "an answer other than 2xx to CONNECT has a body (RFC 9112, section 6.3); NIO reads none",
            example: .answers("HTTP/1.1 407 x\r\nContent-Length: 2\r\n\r\nno", to: ["CONNECT"])
        ) { $0.answering?.contains("CONNECT") == true && $0.mine != nil },
        HTTP1DeliberateDifference(
            why: "behind 101, and behind a 2xx to CONNECT, there is no HTTP for us; NIO looks for it",
            example: .answers("HTTP/1.1 101 x\r\n\r\nHTTP/1.1 204 x\r\n\r\n")
        ) { difference in
            difference.answering != nil && difference.ours == .waits && difference.mine == nil
                && difference.earlier.last.map { last in
                    last.start == ["101"]
                        || last.start[0].hasPrefix("2") && difference.answering?.dropLast().last == "CONNECT"
                } == true
        },
        HTTP1DeliberateDifference(
            why: "any token is a method (RFC 9110, section 9.1); llhttp has a list",
            example: .requests("BREW / HTTP/1.1\r\n\r\n")
        ) { $0.ours == .whole && $0.theirs == .refused("invalid HTTP method") },
        HTTP1DeliberateDifference(
            why: "a target is kept as it was sent; llhttp takes paths, absolute URLs and `*` only",
            example: .requests("GET ;a HTTP/1.1\r\n\r\n")
        ) { $0.ours == .whole && $0.theirs == .refused("invalid URL") },
        HTTP1DeliberateDifference(
            why: "equal lengths are one (RFC 9110, section 8.6)",
            example: .requests("POST / HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\nx")
        ) { difference in
            let lengths = elements("content-length", of: difference.mine)
            return difference.ours == .whole && lengths.count > 1 && Set(lengths).count == 1
                && refusesTheLength(difference)
        },
        HTTP1DeliberateDifference(
            why: "where an answer has no content, what is said of its length is not looked at",
            example: .answers("HTTP/1.1 204 x\r\nContent-Length: five\r\n\r\n")
        ) { difference in
            guard let status = difference.mine?.start.first, difference.ours == .whole else { return false }
            let hasNone =
                difference.answering?.last == "HEAD" || status.hasPrefix("1") || status == "204"
                || status == "304"
            return difference.answering != nil && hasNone && refusesTheLength(difference)
        },
        HTTP1DeliberateDifference(
            why: "empty elements of a list are passed over (RFC 9110, section 5.6.1.2)",
            example: .requests("POST / HTTP/1.1\r\nTransfer-Encoding: chunked,\r\n\r\n0\r\n\r\n")
        ) { difference in
            let codings = elements("transfer-encoding", of: difference.mine)
            return difference.ours == .whole && codings.contains("")
                && refusesTheLength(difference)
        },
        HTTP1DeliberateDifference(
            why:
                "behind the body nothing says where it ends (RFC 9110, section 6.5.1); llhttp looks at trailers, too",
            example: .requests(
                "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 5\r\n\r\n"
            )
        ) { difference in
            let framing = ["content-length:", "transfer-encoding:"]
            return difference.ours == .whole && refusesTheLength(difference)
                && (difference.mine?.trailers ?? []).contains { trailer in
                    framing.contains { trailer.lowercased().hasPrefix($0) }
                }
        },
        HTTP1DeliberateDifference(
            why: "white space behind a value is no part of it (RFC 9110, section 5.5); llhttp leaves it",
            example: .requests("GET / HTTP/1.1\r\nA: b \r\n\r\n")
        ) { difference in
            guard !difference.parts.isEmpty, let mine = difference.mine, var other = difference.other else {
                return false
            }
            other.fields = other.fields.map(trimmed)
            other.trailers = other.trailers.map(trimmed)
            return mine.differences(from: other).isEmpty
        },
        HTTP1DeliberateDifference(
            why: "blanks in a chunk extension are allowed (RFC 9112, section 7.1.1); llhttp refuses them",
            example: .requests("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1 ;a\r\na\r\n0\r\n\r\n")
        ) { difference in
            let refusals = ["invalid character in chunk size header", "strict mode assertion"]
            return difference.ours == .whole && refusals.contains { difference.theirs == .refused($0) }
                && !values("transfer-encoding", of: difference.mine).isEmpty
        },
    ]

    private static func mayHaveStopped(_ difference: HTTP1Difference) -> Bool {
        guard difference.answering == nil, difference.theirs == .waits else { return false }
        return difference.earlier.contains(where: changesTheProtocol)
    }

    private static func changesTheProtocol(_ request: ReadMessage) -> Bool {
        request.start[0] == "CONNECT" || !values("upgrade", of: request).isEmpty
    }

    private static func refusesTheLength(_ difference: HTTP1Difference) -> Bool {
        let refusals = [
            "invalid character in content-length header", "unexpected content-length header",
            // A Transfer-Encoding that llhttp does not like has no name of its own at NIO.
            "unknown (http_parser error)",
        ]
        return refusals.contains { difference.theirs == .refused($0) }
    }

    private static func values(_ name: String, of message: ReadMessage?) -> [String] {
        (message?.fields ?? []).filter { $0.lowercased().hasPrefix(name + ":") }
            .map { String($0.dropFirst(name.count + 1)) }
    }

    private static func elements(_ name: String, of message: ReadMessage?) -> [String] {
        let text = values(name, of: message).joined(separator: ",")
        return text.split(separator: ",", omittingEmptySubsequences: false).map { element in
            element.filter { $0 != " " && $0 != "\t" }
        }
    }

    /// Without blanks at the end, but for the one that is part of a line without a value.
    private static func trimmed(_ line: String) -> String {
        var line = line
        while line.hasSuffix(" ") || line.hasSuffix("\t"), !line.hasSuffix(": ") { line.removeLast() }
        return line
    }
}
