import Captures
import Flows
import Foundation
import OAuth
import Provider
import TestSupport
import Testing

/// Captures and requests come from strangers: whatever they hold, there is an answer, and nothing falls over.
struct HostileInputTests {
    private static let captures = [
        "captures/healthy/web-code-flow.har", "captures/providers/wso2.har", "captures/providers/curity.har",
        "captures/logout-and-device/device-polling-too-fast.near-miss.har",
        "captures/token-request/dpop-nonce-ignored.near-miss.har",
        "captures/authorization-request/par-rejected.near-miss.har",
        "captures/authorization-response/jarm-invalid.near-miss.har",
    ]

    /// What parsers of all kinds trip over.
    private static let interesting = Array("\"\\{}[]:,%&=?#/.<>;@+-_ \u{0}eE09".utf8)

    @Test(arguments: captures) func alteredCapturesArePlayedOrRefused(_ path: String) throws {
        let bytes = try Fixtures.bytes(path)
        for seed in UInt64(1)...12 {
            var generator = SeededGenerator(seed: seed)
            var altered = bytes
            for _ in 0..<40 {
                let place = Int.random(in: 0..<altered.count, using: &generator)
                altered[place] = Self.interesting.randomElement(using: &generator) ?? 0
            }
            guard let capture = try? CaptureReader.read(bytes: altered, name: path),
                let provider = try? RecordedProviderTests.provider(capture)
            else { continue }
            for flow in FlowFinder.flows(in: capture) {
                var walk = RecordedWalk(flow, at: provider, key: try #require(RecordedProviderTests.elliptic))
                walk.run()
                #expect(walk.pairs.allSatisfy { (100...599).contains($0.played.status) }, "seed \(seed)")
            }
        }
    }

    @Test(arguments: captures) func alteredRequestsAreAnswered(_ path: String) throws {
        let capture = try RecordedProviderTests.capture(path)
        let provider = try RecordedProviderTests.provider(capture)
        let flow = try #require(FlowFinder.flows(in: capture).first)
        var walk = RecordedWalk(flow, at: provider, key: try #require(RecordedProviderTests.elliptic))
        walk.run()
        var generator = SeededGenerator(seed: 7)
        let methods = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "BREW"]
        for pair in walk.pairs {
            for _ in 0..<15 {
                var request = pair.request
                if Bool.random(using: &generator) {
                    request.method = methods.randomElement(using: &generator) ?? "GET"
                }
                request.url = RecordedURL(Self.altered(request.url.text, &generator))
                if let text = request.body?.text {
                    request.body = Body(
                        text: Self.altered(text, &generator),
                        mediaType: request.body?.mediaType
                    )
                }
                request.headers = HeaderFields(
                    request.headers.fields.map {
                        .init(name: $0.name, value: Self.altered($0.value, &generator))
                    }
                )
                let answer = provider.respond(to: request, at: Timestamp(seconds: 1_790_000_000))
                #expect((100...599).contains(answer.status))
                // Nothing that was sent may end a header field.
                let fields = answer.headers.fields
                #expect(fields.allSatisfy { !$0.value.utf8.contains(0x0a) && !$0.value.utf8.contains(0x0d) })
            }
        }
    }

    private static func altered(_ text: String, _ generator: inout SeededGenerator) -> String {
        var bytes = Array(text.utf8)
        guard !bytes.isEmpty else { return text }
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[place] = interesting.randomElement(using: &generator) ?? 0
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func lineFeedsInARedirectURIStartNoHeader() throws {
        let capture = try RecordedProviderTests.capture("captures/healthy/web-code-flow.har")
        let provider = try RecordedProviderTests.provider(capture) {
            $0.redirectURIs = ["http://localhost/\r\nSet-Cookie: a=b"]
        }
        let caller = Caller(provider)
        let answer = caller.get(
            "http://127.0.0.1:8090/authorize",
            [
                ("response_type", "token"), ("client_id", "shop-web"),
                ("redirect_uri", "http://localhost/\r\nSet-Cookie: a=b"),
            ]
        )
        #expect(answer.headers.fields.allSatisfy { !$0.value.utf8.contains(0x0a) })
    }

    @Test func whatUsersTypeIsEscapedOnPages() throws {
        let capture = try RecordedProviderTests.capture(
            "captures/provider-specific/myinfo-purpose-missing.near-miss.har"
        )
        let provider = try RecordedProviderTests.provider(capture)
        let page = Caller(provider).get(
            provider.issuers[0].identifier + "/com/v4/authorize",
            [("client_id", "<script>alert(1)</script>")]
        )
        #expect(page.body?.text?.contains("<script>") != true)
    }
}
