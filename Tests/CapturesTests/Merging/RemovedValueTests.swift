import Testing

@testable import Captures

/// Halves of which somebody took values out.
struct RemovedValueTests {
    private static func callback(_ code: String, _ state: String, client: String = "shop") -> String {
        "https://app.example/callback?code=\(code)&state=\(state)&client=\(client)"
    }

    private static let told = callback("code-1-Xy12", "state-1-Zq34")

    /// What shows how the clocks lie to each other, and a callback.
    private static func half(_ url: String, ahead: Double, authorization: String, page: String) -> Sightings {
        var half = Sightings()
        half.ahead = ahead
        for index in 0..<2 {
            half.add("/userinfo", at: Double(index), headers: [("X-Request-Id", "request-\(index)-abcdef")])
        }
        half.add(
            url,
            at: 3,
            length: 0.2,
            headers: [("Authorization", authorization)],
            status: 302,
            answer: [("Location", "https://app.example/?\(url.split(separator: "?").last ?? "")")],
            body: Body(text: page, mediaType: "text/html")
        )
        return half
    }

    @Test(arguments: ["[REDACTED]", "***", "%2A%2A%2A", "redacted-by-support"], [false, true])
    func sanitizedHalfIsFilledUpByTheOther(mark: String, isFirst: Bool) {
        let whole = Self.half(
            Self.told,
            ahead: 0,
            authorization: "Bearer secret-1",
            page: "<a href=\"code-1-Xy12\">"
        )
        let veiled = Self.half(
            Self.callback(mark, mark),
            ahead: 37,
            authorization: "Bearer [REDACTED]",
            page: "<a href=\"\(mark)\">"
        )
        let merger = isFirst ? CaptureMerger(veiled, whole) : CaptureMerger(whole, veiled)
        #expect(merger.story == ["a0+b0", "a1+b1", "a2+b2"])
        let exchange = merger.exchange(at: 2)
        #expect(exchange.request.url.text == Self.told)
        #expect(exchange.request.headers.first("authorization") == "Bearer secret-1")
        #expect(exchange.response?.location?.hasSuffix("state-1-Zq34&client=shop") == true)
    }

    /// Behind a gateway another credential may go on.
    @Test(
        arguments: [
            ("Bearer ***", "Bearer abc", "Bearer abc"), ("[REDACTED]", "Bearer abc", "Bearer abc"),
            ("Basic ***", "Bearer abc", nil), ("bearer ***", "Bearer ***", nil),
            ("Bearer abc", "Bearer def", nil),
        ] as [(String, String, String?)]
    )
    func credentialIsFilledInUnderItsScheme(own: String, other: String, filled: String?) {
        #expect(RemovedValue.filled(own, of: "authorization", from: other) == filled)
    }

    /// Entries that cannot be told apart are counted once, be values missing or not.
    @Test func whatIsUndecidedIsCountedOnce() {
        var first = Self.half(Self.told, ahead: 0, authorization: "Bearer secret-1", page: "")
        var second = Self.half(
            Self.callback("[REDACTED]", "[REDACTED]"),
            ahead: 0,
            authorization: "Bearer [REDACTED]",
            page: ""
        )
        for index in 0..<4 { first.add("/icon.png", at: 6 + Double(index) * 0.001) }
        for index in 0..<3 { second.add("/icon.png", at: 6 + Double(index) * 0.001) }
        #expect(CaptureMerger(first, second).report(differing: 0).undecided == 3)
    }

    /// What is there has to be the same.
    @Test func anotherValueMakesTwoOfThem() {
        let whole = Self.half(Self.told, ahead: 0, authorization: "Bearer secret-1", page: "")
        let veiled = Self.half(
            Self.callback("[REDACTED]", "[REDACTED]", client: "bank"),
            ahead: 0,
            authorization: "Bearer [REDACTED]",
            page: ""
        )
        let merger = CaptureMerger(whole, veiled)
        #expect(merger.count == 4 && Set(merger.story).isSuperset(of: ["a0+b0", "a1+b1"]))
    }

    /// The same mark stands in every login that was sanitized.
    @Test func marksAreMadeForNoLogin() {
        var first = Sightings()
        first.add(Self.callback("[REDACTED]", "[REDACTED]"), at: 1, status: 302)
        var second = Sightings()
        second.add(Self.callback("[REDACTED]", "[REDACTED]"), at: 86_401, status: 302)
        let merger = CaptureMerger(first, second)
        #expect(merger.story == ["a0", "b0"] && merger.offset == nil)
    }

    @Test(arguments: [
        ("", true), ("REDACTED", true), ("xxxx", true), ("***", true), ("code-1-Xy12", false),
        ("eyJhbGciOiJFUzI1NiJ9.xxxx.yyyy", false), ("xx", false),
    ]) func marksAreToldFromValues(value: String, isOne: Bool) { #expect(RemovedValue.isOne(value) == isOne) }

    @Test func fragmentStaysBehindTheQueryThatIsFilledIn() {
        let own = RecordedURL("https://app.example/cb?code=***#top")
        #expect(
            RemovedValue.filled(own, from: RecordedURL("http://app/cb?code=abc")).text
                == "https://app.example/cb?code=abc#top"
        )
        #expect(RemovedValue.filled(own, from: RecordedURL("http://app/cb?other=abc")) == own)
    }
}
