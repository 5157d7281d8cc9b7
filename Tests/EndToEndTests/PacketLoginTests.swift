import Captures
import Foundation
import JSON
import TestSupport
import Testing

/// The real login, recorded by the proxy and from the packets behind it at the same time.
@Suite(.serialized, .timeLimit(.minutes(6)))
struct PacketLoginTests {
    /// Whether this process may capture: on Linux by `CAP_NET_RAW`, which root has, but not in every container.
    static let mayCapture: Bool = {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
        let rights = line.flatMap { UInt64($0.dropFirst(7).filter { !$0.isWhitespace }, radix: 16) } ?? 0
        return rights & 1 << 13 != 0
    }()

    @Test(
        .enabled(if: mayCapture, "only who has CAP_NET_RAW may capture packets"),
        .enabled(if: RealComponents.isAvailable, Comment(rawValue: RealComponents.missing ?? "")),
        arguments: [false, true]
    )
    func packetsAreTheSameFlow(overHTTP2: Bool) throws {
        if let missing = RealComponents.missing {
            Issue.record("\(missing): run Tests/EndToEndTests/Components/install")
            return
        }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let state = folder.file("components")
        let keyLog = folder.file("keys.log")
        let recorder = try RecorderProcess(
            into: folder.file("proxy.har"),
            folder: folder,
            upstreamCA: try RealComponents.authority(state),
            options: ["--keylog", keyLog]
        )
        // What the proxy says to provider and relying party; not what browser and back channel say to the proxy.
        let packets = try PacketRecorderProcess(
            into: folder.file("packets.har"),
            folder: folder,
            interface: "lo",
            options: ["--filter", "tcp and not port \(recorder.port)", "--keylog", keyLog]
        )
        let login = try RealComponents.run(
            ["login", "--state", state, "--proxy", "127.0.0.1:\(recorder.port)", "--proxy-ca"]
                + [recorder.certificate] + (overHTTP2 ? ["--http2"] : [])
        )
        #expect(recorder.interrupt() == 0, "\(recorder.messages)")
        #expect(packets.interrupt() == 0, "\(packets.messages)")
        try #require(login.status == 0, "\(login.errors)\n\(packets.messages)")
        let secure = folder.file("secure.har")
        let exchanges = try Self.keepSecure(of: packets.capture, in: secure)
        let seen = try ShownLogin(of: secure)
        let recorded = try ShownLogin(of: recorder.capture)
        #expect(seen.flows.count == 1)
        try seen.expectSameLogin(as: recorded)
        #expect(exchanges.allSatisfy { $0.malformations.isEmpty })
        let versions = Set(exchanges.map(\.request.httpVersion))
        #expect(versions.contains(overHTTP2 ? "HTTP/2" : "HTTP/1.1"), "\(versions)")
    }

    /// What drives the browser, and what a front end says to its server, passes the interface as well, in clear.
    private static func keepSecure(of capture: String, in path: String) throws -> [Exchange] {
        let all = try CaptureReader.read(path: capture)
        let exchanges = all.indices.map { all[$0] }.filter {
            $0.request.url.scheme == "https" && $0.tunnel.reason == nil
        }
        try CaptureWriter(path: path, version: "test").append(exchanges)
        return exchanges
    }
}
