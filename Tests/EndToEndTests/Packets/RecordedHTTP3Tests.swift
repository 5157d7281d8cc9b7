import Captures
import Foundation
import TestSupport
import Testing

/// HTTP/3 between the two ends of another implementation (`Tests/Recordings/record-http3`), imported: each answer says what was
/// asked.
@Suite(.timeLimit(.minutes(2)))
struct RecordedHTTP3Tests {
    private static let recording = Fixtures.root.appending(path: "Tests/Recordings/packets-http3.pcapng")
    private static let variants = [
        "aes128", "aes256", "chacha20", "version2", "upgraded", "retry", "renewed",
    ]

    @Test func everyVersionCipherAndHabitIsRead() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let out = folder.file("http3.har")
        let result = try Program.run(["import", Self.recording.path, "--out", out])
        #expect(result.status == 0 && !result.errors.contains("warning"), "\(result.errors)")
        let capture = try CaptureReader.read(path: out)
        let exchanges = capture.indices.map { capture[$0] }
        #expect(exchanges.count == 5 * Self.variants.count)
        for exchange in exchanges {
            let request = exchange.request
            let fields = request.headers.fields.map { "\($0.name): \($0.value)" }
            let variant = request.headers.first("x-variant") ?? ""
            #expect(
                fields == [
                    "host: idp.example", "x-variant: \(variant)", "user-agent: record-http3",
                    "cookie: a=1; b=2",
                ]
            )
            let asked =
                "\(request.method) \(Self.target(exchange)) \(request.body?.bytes?.count ?? 0) \(variant)"
            #expect(exchange.response?.body?.text == asked)
            #expect(exchange.response?.headers.first("x-kept") == "again and again")
            #expect(
                request.httpVersion == "HTTP/3" && exchange.malformations.isEmpty && exchange.failure == nil
            )
            let cipher =
                switch variant {
                case "aes256": "TLS_AES_256_GCM_SHA384"
                case "chacha20": "TLS_CHACHA20_POLY1305_SHA256"
                default: "TLS_AES_128_GCM_SHA256"
                }
            #expect(exchange.connection.cipher == cipher && exchange.connection.alpn == "h3")
        }
        let paths = ["/authorize?state=1", "/many/0", "/many/1", "/many/2", "/token"]
        for variant in Self.variants {
            let seen = exchanges.filter { $0.request.headers.first("x-variant") == variant }
            #expect(seen.map(Self.target).sorted() == paths, "\(variant)")
            #expect(Set(seen.map(\.connection.id)).count == 1)
        }
    }

    private static func target(_ exchange: Exchange) -> String {
        exchange.request.url.text.replacing("https://idp.example", with: "")
    }
}
