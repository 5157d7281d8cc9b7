import Captures
import Foundation
import Proxy
import TestSupport
import Testing

/// Clients that ask for HTTP/2 in the first request of a connection (`Upgrade: h2c`, RFC 7540, section 3.2).
@Suite(
    .serialized,
    .enabled(if: NGHTTP2Server.isAvailable, "nghttp2's programs or curl are not installed"),
    .timeLimit(.minutes(2))
)
struct UpgradedConnectionsTests {
    /// How a client gets to the server; nothing is recorded of the last but packets.
    enum Way: String, CaseIterable { case reverse, proxy, tunnel, packets }

    @Test(arguments: Way.allCases) func firstAnswerIsThatOfStream1(way: Way) async throws {
        if way == .packets, !PacketLoginTests.mayCapture { return }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let backend = try await LocalServer.start { VersionsTests.answer($0) }
        let server = try NGHTTP2Server.fronting(backend.port, isInClear: true, folder: folder)
        defer { server.stop() }
        let origin = "http://127.0.0.1:\(server.port)"
        let (entries, messages) = try await record(way, of: server, in: folder)
        await backend.stop()

        let exchanges = entries.filter { $0.request.url.text.hasPrefix(origin) }
        #expect(exchanges.allSatisfy { $0.failure == nil && $0.malformations.isEmpty }, "\(messages)")
        // Of each connection the first request is of HTTP/1.1, its answer of HTTP/2 as all that follow.
        let requests = exchanges.map {
            "\($0.request.method) \($0.request.url.path) \($0.request.httpVersion) \($0.response?.httpVersion ?? "")"
        }
        var expected = [
            "GET /plain HTTP/1.1 HTTP/2", "GET /long HTTP/\(way == .proxy ? "1.1" : "2") HTTP/2",
            "POST /token HTTP/1.1 HTTP/2",
        ]
        if way == .reverse || way == .packets {
            expected += ["GET /a HTTP/1.1 HTTP/2", "GET /b HTTP/2 HTTP/2"]
        }
        #expect(requests.sorted() == expected.sorted(), "\(messages)")
        #expect(exchanges.allSatisfy { $0.response?.status == 200 && $0.upgradedTo == nil })
        let texts = Dictionary(exchanges.map { ($0.request.url.path, $0.response?.body?.text) }) { $1 }
        #expect(texts["/long"]??.count == 1_000_000 && texts["/token"] == "POST code=a")
    }

    private func record(_ way: Way, of server: NGHTTP2Server, in folder: TemporaryFolder) async throws
        -> ([Exchange], String)
    {
        let target = "127.0.0.1:\(server.port)"
        if way == .packets {
            let recorder = try PacketRecorderProcess(
                into: folder.file("capture.har"),
                folder: folder,
                interface: "lo",
                options: ["--filter", "tcp port \(server.port)"]
            )
            try await visit("http://\(target)", [], withNGHTTP: true)
            #expect(recorder.interrupt() == 0)
            return (try Self.exchanges(recorder.capture), recorder.messages)
        }
        let recorder = try RecorderProcess(
            into: folder.file("capture.har"),
            folder: folder,
            options: way == .reverse ? ["--reverse", "http://\(target)=127.0.0.1:0"] : []
        )
        let proxy = ["--proxy", "http://127.0.0.1:\(recorder.port)"]
        switch way {
        case .reverse:
            let words = recorder.messages.split(whereSeparator: \.isWhitespace)
            let place = words.firstIndex(of: "played").map { String(words[words.index($0, offsetBy: 2)]) }
            try await visit(try #require(place), [], withNGHTTP: true)
        case .proxy: try await visit("http://\(target)", proxy, withNGHTTP: false)
        case .tunnel: try await visit("http://\(target)", proxy + ["--proxytunnel"], withNGHTTP: false)
        case .packets: break
        }
        #expect(recorder.interrupt() == 0, "\(recorder.messages)")
        return (try Self.exchanges(recorder.capture), recorder.messages)
    }

    private func visit(_ origin: String, _ options: [String], withNGHTTP: Bool) async throws {
        let curl = ["--silent", "--show-error", "--http2", "--max-time", "20"] + options
        var visits = [["\(origin)/plain", "--output", "/dev/null", "\(origin)/long"]]
        // To a proxy curl names the whole URL in `:path`, which the server refuses.
        if options.count == 2 { visits = visits[0].split(separator: "--output").map { [$0.last ?? ""] } }
        for urls in visits {
            let result = try await Program.runAside(
                curl + ["--output", "/dev/null"] + urls,
                executable: NGHTTP2Server.path("curl") ?? ""
            )
            #expect(result.status == 0, "\(result.errors)")
        }
        let form = try await Program.runAside(
            curl + ["--data", "code=a", "\(origin)/token"],
            executable: NGHTTP2Server.path("curl") ?? ""
        )
        #expect(form.status == 0 && form.output == "POST code=a", "\(form.errors)")
        guard withNGHTTP else { return }
        let other = try await Program.runAside(
            ["--upgrade", "--timeout=20", "\(origin)/a", "\(origin)/b"],
            executable: NGHTTP2Server.path("nghttp") ?? ""
        )
        #expect(other.status == 0 && !other.errors.contains("not processed"), "\(other.errors)")
    }

    private static func exchanges(_ path: String) throws -> [Exchange] {
        let capture = try CaptureReader.read(path: path)
        return capture.indices.map { capture[$0] }
    }
}
