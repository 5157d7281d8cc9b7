import Foundation
import JSON
import TestSupport
import Testing

/// The load programs of `Benchmarks`, for seconds instead of half an hour: each tells by itself what does not hold.
///
/// The clients are in processes of their own: with thousands of sockets open `Process` of Foundation cannot start another.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct SoakTests {
    private static func run(_ script: String, _ arguments: [String]) async throws -> JSONValue {
        let result = try await Program.runAside(
            arguments + ["--recorder", Program.path, "--format", "json"],
            executable: Fixtures.root.appending(path: "Benchmarks/\(script)").path,
            within: 400
        )
        try #require(!result.output.isEmpty, "\(result.errors)")
        let report = try JSONParser.parse(result.output.utf8)
        #expect(result.status == 0, "\(result.errors)")
        #expect(report["complaints"]?.array?.isEmpty ?? false)
        return report
    }

    /// HTTP/1.1 and HTTP/2, slow ones, those that go away, large bodies, and a hundredth that is no TLS.
    @Test func mixedLoadLosesNothing() async throws {
        let report = try await Self.run("soak", ["--seconds", "10", "--rate", "150"])
        let exchanges = try #require(report["exchanges"]?.object)
        for kind in [
            "tls", "http2", "plain", "clear-tunnel", "pipelined", "slow-reader", "slow-writer", "slow-server",
            "events", "web-socket", "closing",
        ] {
            #expect(exchanges[kind]?["complete"]?.int ?? 0 > 0, "\(kind)")
        }
        for kind in ["broken-answer", "http2-reset", "http2-gone", "refused"] {
            #expect(exchanges[kind]?["aborted"]?.int ?? 0 > 0, "\(kind)")
        }
        // The longest body is cut, and so in the capture as a part.
        #expect(
            (exchanges["large-answer"]?["complete"]?.int ?? 0)
                + (exchanges["large-request"]?["complete"]?.int ?? 0) > 0
        )
        #expect(report["capture"]?["entries"]?.int ?? 0 > 100)
    }

    /// Thousands of them; bounds that only a change of kind breaks, as a buffer that is held again does.
    @Test func idleConnectionsCostLittleAndHarmNobody() async throws {
        let report = try await Self.run("idle-connections", ["--connections", "4000"])
        let connections = try #require(report["connections"]?.int)
        #expect(connections == 4000)
        for (kind, kilobytes) in [
            ("silent", 16), ("half a head", 16), ("tunnel", 24), ("tunnel, used", 48), ("TLS", 80),
            ("TLS, used", 80), ("HTTP/2, used", 100),
        ] {
            let each = try #require(report["kinds"]?[kind]?["bytesEach"]?.int)
            #expect(each < kilobytes << 10, "\(kind)")
        }
        #expect(report["surplus"]?.int == connections / 20)
    }
}
