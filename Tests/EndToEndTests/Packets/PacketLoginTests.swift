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

    /// The browser speaks HTTP/3 with both, past the proxy, and is seen in packets only.
    ///
    /// The relying party's back channel goes through the proxy; together they are the login.
    @Test(
        .enabled(if: mayCapture, "only who has CAP_NET_RAW may capture packets"),
        .enabled(if: RealComponents.isAvailable, Comment(rawValue: RealComponents.missing ?? ""))
    )
    func overHTTP3ItIsTheBrowsersHalf() throws {
        if let missing = RealComponents.missing {
            Issue.record("\(missing): run Tests/EndToEndTests/Components/install")
            return
        }
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (state, keyLog) = (folder.file("components"), folder.file("keys.log"))
        let recorder = try RecorderProcess(
            into: folder.file("server.har"),
            folder: folder,
            upstreamCA: try RealComponents.authority(state)
        )
        let packets = try PacketRecorderProcess(
            into: folder.file("packets.har"),
            folder: folder,
            interface: "lo",
            options: ["--filter", "udp or tcp and not port \(recorder.port)", "--keylog", keyLog]
        )
        let login = try RealComponents.run([
            "login", "--http3", "--keylog", keyLog, "--state", state, "--proxy", "127.0.0.1:\(recorder.port)",
            "--proxy-ca", recorder.certificate,
        ])
        #expect(recorder.interrupt() == 0, "\(recorder.messages)")
        #expect(packets.interrupt() == 0, "\(packets.messages)")
        try #require(login.status == 0, "\(login.errors)\n\(packets.messages)")

        let all = try CaptureReader.read(path: packets.capture)
        let seen = all.indices.map { all[$0] }
        let browsers = seen.filter { $0.request.httpVersion == "HTTP/3" }
        #expect(browsers.allSatisfy { $0.malformations.isEmpty && $0.connection.alpn == "h3" })
        try expectWholeLogin(browsers, recorder.capture, in: folder)
        try expectProviderHeard(browsers, of: seen, login.output)
    }

    /// Together with what the relying party's server sent and got, the browser's half is the login.
    private func expectWholeLogin(_ browsers: [Exchange], _ servers: String, in folder: TemporaryFolder)
        throws
    {
        let half = folder.file("browser.har")
        try CaptureWriter(path: half, version: "test").append(browsers)
        let whole = folder.file("whole.har")
        let imported = try Program.run(["import", half, servers, "--out", whole])
        try #require(imported.status == 0, "\(imported.errors)")
        let shown = try ShownLogin(of: whole)
        #expect(shown.flows.count == 1 && shown.flow["outcome"] == "success")
        #expect(shown.messageKinds == ExportedLoginTests.wholeLogin)
        #expect(shown.link("code", to: ("request.body", "code"), by: "equal"), "\(shown.links)")
        #expect(try shown.findings() == [])
    }

    /// What the provider itself was asked, and answered, behind the server that speaks HTTP/3 for it.
    private func expectProviderHeard(_ browsers: [Exchange], of seen: [Exchange], _ output: String) throws {
        let report = try JSONParser.parse(Array(output.utf8))
        let backend = try #require(report["backends"]?.array?.first?.int)
        let issuer = try #require(report["issuer"]?.string)
        let provider = String(issuer.dropLast("/api/oidc".count))
        func content(_ exchange: Exchange) -> String {
            let (request, response) = (exchange.request, exchange.response)
            let fields = ["location", "set-cookie", "content-type"].flatMap {
                response?.headers.all($0) ?? []
            }
            let target =
                request.url.text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).last
                ?? ""
            return "\(request.method) \(target) \(request.body?.text ?? "")"
                + " \(response?.status ?? 0) \(fields) \(response?.body?.bytes?.count ?? 0)"
        }
        let asked = browsers.filter { $0.request.url.text.hasPrefix(provider) && $0.failure == nil }
        let behind = seen.filter { $0.connection.serverAddress == "127.0.0.1:\(backend)" }.map(content)
        #expect(asked.count > 20)
        #expect(asked.map(content).filter { !behind.contains($0) } == [])
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
