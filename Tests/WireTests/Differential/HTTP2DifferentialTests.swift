import TestSupport
import Testing

/// Our passive reader and NIO's server on what the same HTTP/2 client says, request by request.
///
/// Every request that NIO takes for whole is one that we have seen, and the same. A request that only we have seen is one
/// of which we name what is wrong, or NIO had given the connection up for a reason that a listener does not share.
struct HTTP2DifferentialTests {
    /// For what NIO gives up the connection, and we read on.
    struct Reason: CustomTestStringConvertible, Sendable {
        /// The type of NIO's error.
        var error: String
        var why: String
        /// What the client says before a request that is in order, on stream 9.
        var example: @Sendable (inout HTTP2Speaker) -> Void
        var hasSettings = true

        var testDescription: String { error }
    }

    static let reasons = [
        Reason(
            error: "NoSuchStream",
            why: "frames of a stream that nobody has opened belong to no request"
        ) { $0.frame(8, 0, 7, [0, 0, 1, 0]) },
        Reason(
            error: "MissingPreface",
            why: "a recording may have begun late; settings are needed for nothing but the table",
            example: { _ in },
            hasSettings: false
        ),
        Reason(
            error: "ReceivedBadSettings",
            why: "who acknowledges what is for the two ends to settle",
            example: { $0.frame(4, 1, 0, []) },
            hasSettings: false
        ),
        Reason(
            error: "UnableToParseFrame",
            why: "frames that carry nothing of a request are not taken apart"
        ) { $0.frame(4, 0, 8, []) },
        Reason(
            error: "ExcessiveEmptyDataFrames",
            why: "a listener does no work that an empty frame could wear it out with"
        ) { client in
            client.headers(1, HTTP2Speaker.request("POST", "/long"))
            for _ in 0..<4 { client.data(1, "") }
        },
        Reason(
            error: "StreamIDTooSmall",
            why: "a stream that was passed over cannot be opened any more; the others can"
        ) { client in
            client.get(3, "/b")
            client.get(1, "/a")
        },
    ]

    private static func compare(_ subject: HTTP2Bytes, _ place: String) throws {
        let ours = subject.byUs()
        let theirs = try subject.byNIO()
        var left = ours.messages.filter(\.isWhole)
        for request in theirs.messages where request.isWhole {
            let same = left.firstIndex { $0.differences(from: request).isEmpty }
            #expect(
                same != nil,
                "\(place): only NIO has \(request), with \(theirs.errors); we \(ours.refusal ?? "go on"), have \(left)"
            )
            if let same { left.remove(at: same) }
        }
        let isGivenUp = theirs.errors.contains { error in reasons.contains { $0.error == error } }
        for request in left {
            let isExplained = isGivenUp || !request.named.isEmpty && !theirs.errors.isEmpty
            #expect(isExplained, "\(place): only we have \(request); NIO tells of \(theirs.errors)")
        }
    }

    @Test(arguments: 0..<4) func soundAndSpoiledConnectionsDifferOnlyAsExplained(seed: Int) throws {
        var connections = HTTP2Mutations(seed: UInt64(300 + seed))
        for round in 0..<100 {
            let sound = connections.connection()
            try Self.compare(sound, "seed \(seed), round \(round)")
            try Self.compare(connections.spoil(sound), "seed \(seed), round \(round), spoiled")
        }
    }

    /// Inputs that fuzzing has found worth keeping, with the preface where they are frames alone.
    @Test func keptInputsDifferOnlyAsExplained() throws {
        for (name, bytes) in try FuzzingCorpus.inputs("HTTP2") {
            let hasPreface = bytes.starts(with: HTTP2Speaker.preface)
            try Self.compare(HTTP2Bytes(bytes: (hasPreface ? [] : HTTP2Speaker.preface) + bytes), name)
        }
    }

    @Test(arguments: reasons) func requestBehindItIsReadByUsAlone(reason: Reason) throws {
        var client = HTTP2Speaker.client()
        let settings = client.take()
        reason.example(&client)
        client.get(9, "/behind")
        let bytes = (reason.hasSettings ? settings : HTTP2Speaker.preface) + client.bytes
        let subject = HTTP2Bytes(bytes: bytes)
        let theirs = try subject.byNIO()
        #expect(theirs.errors.contains(reason.error), "\(reason.why): \(theirs.errors)")
        #expect(!theirs.messages.contains { $0.start == ["GET", "/behind"] }, "\(reason.why)")
        let ours = subject.byUs()
        #expect(ours.refusal == nil && ours.messages.last?.start == ["GET", "/behind"], "\(reason.why)")
        #expect(ours.messages.last?.isWhole == true && ours.messages.last?.named == [])
    }

    /// What is compared is there at all.
    @Test func bothReadersReadEveryPart() throws {
        var client = HTTP2Speaker.client()
        client.headers(1, HTTP2Speaker.request("POST", "/a?b") + [("cookie", "c=d"), ("cookie", "e=f")])
        client.data(1, "body")
        client.headers(1, [("x-sum", "1")], ends: true)
        let subject = HTTP2Bytes(bytes: client.bytes)
        for messages in [subject.byUs().messages, try subject.byNIO().messages] {
            let message = try #require(messages.first)
            #expect(messages.count == 1 && message.isWhole)
            #expect(message.start == ["POST", "/a?b"])
            #expect(message.fields == ["host: idp.example", "cookie: c=d; e=f"])
            #expect(message.body == Array("body".utf8) && message.trailers == ["x-sum: 1"])
        }
    }
}
