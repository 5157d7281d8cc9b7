import Captures
import Flows
import OAuth

/// What keeps a client from reading an answer that nearly is a JSON object.
struct UnreadableAnswer {
    var evidence: [Evidence]
    var title: String
    var explanation: String
    var fix: String

    private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]

    /// Of an answer whose object can be made out here, and not by a client that goes by the letter; nil where nothing is in the way.
    init?(inSpiteOf answer: Answer, in capture: Capture) {
        guard answer.json != nil, let response = capture[answer.exchange].response, let body = response.body
        else { return nil }
        if answer.isBrokenOff {
            evidence = Self.breakingOff(of: answer, in: capture)
            title = "The token response is broken off"
            explanation = """
                The connection ended before the answer was whole by its own account: Content-Length announces more bytes than came, or the last chunk is \
                missing. Clients take such an answer for a failure, even where all of the JSON is there.
                """
            fix = """
                Find what states the wrong length, or ends the connection too early: the token endpoint, or a proxy that changes the body and leaves \
                Content-Length.
                """
        } else if let coding = body.remainingCoding {
            evidence = [
                Evidence(
                    place: Place(exchange: answer.exchange, part: .responseHeader, name: "Content-Encoding"),
                    value: Masking.shown(coding, of: "content-encoding"),
                    note: "the body is plain JSON"
                )
            ]
            title = "The token response is not encoded as it says"
            explanation = """
                Clients undo the coding that Content-Encoding names before they read the body, and fail at it here: the body is not encoded.
                """
            fix = """
                Take Content-Encoding out of the answer, or encode the body: mostly a proxy decodes the body and leaves the header, or sets the header by \
                itself.
                """
        } else if body.bytes?.starts(with: Self.mark) ?? false {
            evidence = [
                Evidence(
                    place: answer.place(""),
                    value: "EF BB BF",
                    note: "a byte order mark before the JSON"
                )
            ]
            title = "The token response begins with a byte order mark"
            explanation = """
                JSON that is sent may not begin with a byte order mark (RFC 8259, section 8.1). Many parsers stop at it, so the client finds no tokens.
                """
            fix = "Have the token endpoint write UTF-8 without a byte order mark."
        } else {
            return nil
        }
    }

    /// Of an answer of which the client made nothing, as its words have it: it could not undo the coding; nil where it does not say so.
    init?(undecoded answer: Answer, in capture: Capture) {
        guard answer.json == nil, let words = answer.failure,
            Self.decodings.contains(where: words.lowercased().containsBytes)
        else { return nil }
        let coding = capture[answer.exchange].response?.headers.first("content-encoding")
        evidence = [
            Evidence(
                place: Place(exchange: answer.exchange, part: .responseHeader, name: "Content-Encoding"),
                value: Masking.shown(coding ?? "none", of: "content-encoding")
            ),
            Evidence(
                place: answer.place(""),
                value: Excerpt.start(of: words),
                note: "the client's words"
            ),
        ]
        title = "The token response is not encoded as it says"
        explanation = """
            The client took the answer's body for encoded, as Content-Encoding says, and could not undo that: it is not encoded, in \
            another way, or not whole.
            """
        fix = """
            Look at the proxies between client and provider: mostly one of them decodes the body and leaves the header, or encodes it once \
            more. Ask the endpoint with Accept-Encoding: identity to see whether it goes well then.
            """
    }

    /// Of browsers, Node, Go and Python, in lower case.
    private static let decodings = [
        "err_content_decoding", "ns_error_invalid_content_encoding", "incorrect header check",
        "gzip: invalid header", "not a gzipped file", "error -3 while decompressing",
    ]

    /// The recorder's words for an answer that broke off, and how much of it came.
    static func breakingOff(of answer: Answer, in capture: Capture) -> [Evidence] {
        let exchange = capture[answer.exchange]
        let response = exchange.response
        let fields = response?.headers.fields.count ?? 0
        let came = response?.body?.size ?? response?.body?.bytes?.count ?? 0
        let announced = response?.headers.first("content-length")
        return [
            Evidence(
                place: answer.place(""),
                value: Excerpt.start(of: answer.failure ?? "broken off"),
                note: exchange.isAnswerHeadCut
                    ? "the head broke off behind \(fields.counted("header field"))"
                    : announced.map {
                        "\(came.counted("byte")) came; Content-Length: \(Excerpt.start(of: $0, 20))"
                    } ?? "\(came.counted("byte")) came, and not the end of them"
            )
        ]
    }
}
