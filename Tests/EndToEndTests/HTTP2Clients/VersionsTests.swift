import Captures
import Foundation
import Proxy
import TestSupport
import Testing

/// The same requests over HTTP/1.1 and over HTTP/2 to the same server leave the same entries.
@Suite(
    .enabled(if: NGHTTP2Server.isAvailable, "nghttp2's programs or curl are not installed"),
    .timeLimit(.minutes(2))
)
struct VersionsTests {
    /// "authreel" by zlib with gzip's frame.
    private static let packed: [UInt8] = [
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0x4b, 0x2c, 0x2d, 0xc9, 0x28, 0x4a, 0x4d, 0xcd, 1, 0, 0xd6, 0x20,
        0x66,
        0x2d, 8, 0, 0, 0,
    ]

    static func answer(_ request: RecordedRequest) -> RecordedResponse {
        let plain = Body(text: "\(request.method) \(request.body?.text ?? "")", mediaType: "text/plain")
        switch request.url.path {
        case "/gzip":
            let headers = HeaderFields([("Content-Encoding", "gzip"), ("Content-Type", "text/plain")])
            return RecordedResponse(status: 200, headers: headers, body: Body(content: .bytes(packed)))
        case "/redirect":
            return RecordedResponse(status: 302, headers: HeaderFields([("Location", "/next?code=a%2Fb")]))
        case "/cookies":
            let headers = HeaderFields([
                ("Set-Cookie", "a=1; HttpOnly"), ("Set-Cookie", "b=2"), ("X-Empty", ""),
            ])
            return RecordedResponse(status: 200, headers: headers, body: plain)
        case "/missing": return RecordedResponse(status: 404, body: plain)
        case "/unchanged": return RecordedResponse(status: 304, headers: HeaderFields([("ETag", "\"v1\"")]))
        case "/long":
            return RecordedResponse(status: 200, body: Body(text: String(repeating: "long ", count: 200_000)))
        default: return RecordedResponse(status: 200, body: plain)
        }
    }

    private static let requests: [[String]] = [
        ["/plain?q=%2F&r=a+b"], ["/gzip", "--compressed"], ["/redirect"], ["/missing"], ["/long"],
        ["/unchanged", "-H", "If-None-Match: \"v1\""], ["/plain", "--head"],
        ["/cookies", "-b", "c=3; d=\"4\"", "-H", "X-Empty;"],
        ["/token", "-d", "grant_type=authorization_code&code=a%2Fb", "-u", "client:secret"],
        ["/token", "-d", "x=1", "-H", "Expect: 100-continue"], ["/put", "-X", "PUT", "-d", "{\"a\":1}"],
    ]

    /// What the versions have in common of an entry.
    ///
    /// HTTP/2 has no fields of the connection and no reason phrase, writes names in small letters (RFC 9113, section 8.2), and
    /// frames bodies of its own accord; the second of the answer may be another.
    static func essence(_ exchange: Exchange) -> [String] {
        func fields(_ headers: HeaderFields?) -> [String] {
            let own = ["connection", "keep-alive", "transfer-encoding", "date"]
            return (headers?.fields ?? []).map { (name: $0.name.lowercased(), value: $0.value) }
                .filter { !own.contains($0.name) }.map { "\($0.name): \($0.value)" }
        }
        func body(_ body: Body?) -> [String] {
            ["\(body?.text ?? "-")", "\(body?.size ?? 0) \(body?.wireSize ?? 0) \(body?.mediaType ?? "-")"]
                + ["\(body?.isTruncated ?? false) \(body?.remainingCoding ?? "-")"]
        }
        let request = exchange.request
        let response = exchange.response
        return ["\(request.method) \(request.url.text) \(response?.status ?? 0)", exchange.failure ?? ""]
            + ["\(exchange.malformations)", exchange.upgradedTo ?? "", exchange.client.process ?? ""]
            + fields(request.headers) + body(request.body) + fields(request.trailers)
            + fields(response?.headers) + body(response?.body) + fields(response?.trailers)
    }

    @Test func leaveTheSameEntries() async throws {
        let (_, exchanges) = try await RecordedVisit.record(answer: Self.answer, visit: Self.ask)
        let first = exchanges.filter { $0.request.httpVersion == "HTTP/1.1" }
        let second = exchanges.filter { $0.request.httpVersion == "HTTP/2" }
        #expect(first.count == Self.requests.count && second.count == Self.requests.count)
        for (first, second) in zip(first, second) { #expect(Self.essence(first) == Self.essence(second)) }
        #expect(first.map { $0.response?.status } == [200, 200, 302, 404, 200, 304, 200, 200, 200, 200, 200])
        #expect(second.map { $0.response?.body?.text }[1] == "authreel")
    }

    private static func ask(_ server: NGHTTP2Server, _ recorder: RecorderProcess) async throws {
        // One connection of each version, the requests one after the other.
        for version in ["--http1.1", "--http2"] {
            let common = [
                "-sS", "--max-time", "60", version, "--proxy", "http://127.0.0.1:\(recorder.port)",
                "--noproxy", "",
                "--cacert", recorder.certificate, "--output", "/dev/null",
            ]
            let arguments = Self.requests.map { request in
                common + request.dropFirst() + ["https://localhost:\(server.port)\(request[0])"]
            }
            let result = try await Program.runAside(
                Array(arguments.joined(separator: ["--next"])),
                executable: NGHTTP2Server.path("curl") ?? "curl"
            )
            #expect(result.status == 0, "\(result.errors)")
        }
    }
}
