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

    /// The recorder's words for an answer that broke off, and how much of it came.
    static func breakingOff(of answer: Answer, in capture: Capture) -> [Evidence] {
        let response = capture[answer.exchange].response
        let came = response?.body?.size ?? response?.body?.bytes?.count ?? 0
        let announced = response?.headers.first("content-length")
        return [
            Evidence(
                place: answer.place(""),
                value: Excerpt.start(of: answer.failure ?? "broken off"),
                note: announced.map { "\(came) bytes came; Content-Length: \(Excerpt.start(of: $0, 20))" }
                    ?? "\(came) bytes came, and not the end of them"
            )
        ]
    }

    /// Why a body is no JSON object, and what helps, by how it looks; nil where it looks like nothing known.
    static func causes(of bytes: [UInt8]) -> (explanation: String, fix: String)? {
        let text = bytes.drop { $0 <= 0x20 }
        if bytes.starts(with: [0x1f, 0x8b]) {
            return (
                "The body is compressed, and the header Content-Encoding does not say so: a client takes the bytes as they are.",
                "Have the answer say Content-Encoding: gzip, or send it uncompressed; often a proxy drops the header or compresses twice."
            )
        }
        // Of UTF-16 every other byte, of UTF-32 three of four; of noise one now and then.
        let head = bytes.prefix(64)
        if head.count(where: { $0 == 0 }) * 3 > head.count {
            return (
                "The body is not UTF-8, as JSON has to be (RFC 8259, section 8.1), but UTF-16 or UTF-32.",
                "Have the token endpoint write its JSON as UTF-8."
            )
        }
        if [")]}'", "for(;;)", "for (;;)", "while(1)", "{}&&"].contains(where: { text.starts(with: $0.utf8) })
        {
            return (
                "Before the JSON stands a prefix that is to keep other sites from loading it as a script. OAuth clients do not take it off.",
                "Leave the prefix out at the token endpoint, or at the proxy that adds it."
            )
        }
        if text.starts(with: #""{"#.utf8) {
            return (
                "The body is a JSON string in which the object is written once more: it was made into JSON twice.",
                "Have the server answer with the object itself; often a gateway turns a text that is JSON already into a JSON string."
            )
        }
        if text.starts(with: "[".utf8) {
            return (
                "The body is a JSON array; clients look for the tokens in an object.",
                "Have the server answer with the object itself, without the brackets around it."
            )
        }
        if text.first == 0x7b, bytes.last(where: { $0 > 0x20 }) != 0x7d {
            return (
                "The JSON object is cut off before its end, so a client finds no tokens in it.",
                """
                Compare Content-Length with the bytes that the token endpoint writes: counted in characters, or taken before a proxy changed \
                the body, it is too small. Look for a limit of size on the way, too.
                """
            )
        }
        if text.first == 0x7b {
            return (
                "The body looks like a JSON object and breaks the grammar of JSON, so a client finds no tokens in it.",
                "Have the server write its answer with a JSON library: names and strings in double quotes, no comma at the end."
            )
        }
        return nil
    }
}
