import Captures
import Foundation
import TestSupport
import Testing

/// Logins that were recorded as packets and by the proxy at the same time (`Tests/Recordings/record-packets`): both tell
/// the same.
@Suite(.timeLimit(.minutes(2)))
struct RecordedPacketsTests {
    /// One of them.
    struct Recording: Sendable, CustomTestStringConvertible {
        var name: String
        var ending: String
        /// Whether the keys are in a file beside it, or within.
        var hasKeyFile: Bool
        /// That there are packets of, and that have their keys.
        var connections: Int
        var version: String
        var protocolName: String

        var testDescription: String { name }

        var packets: URL { file(ending) }
        var proxied: String { file("har").path }
        var keys: [String] { hasKeyFile ? ["--keylog", file("keys").path] : [] }

        private func file(_ ending: String) -> URL {
            Fixtures.root.appending(path: "Tests/Recordings/packets-\(name).\(ending)")
        }
    }

    static let recordings = [
        Recording(
            name: "app-tls12",
            ending: "pcap",
            hasKeyFile: true,
            connections: 8,
            version: "TLSv1.2",
            protocolName: "HTTP/1.1"
        ),
        Recording(
            name: "website-tls13",
            ending: "pcapng",
            hasKeyFile: true,
            connections: 15,
            version: "TLSv1.3",
            protocolName: "HTTP/1.1"
        ),
        Recording(
            name: "website-http2",
            ending: "pcapng",
            hasKeyFile: false,
            connections: 15,
            version: "TLSv1.3",
            protocolName: "HTTP/2"
        ),
        Recording(
            name: "app-proxied",
            ending: "pcapng",
            hasKeyFile: false,
            connections: 16,
            version: "TLSv1.3",
            protocolName: "HTTP/1.1"
        ),
    ]

    @Test(arguments: recordings) func packetsAndProxyTellTheSameLogin(recording: Recording) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let capture = try Self.imported(recording.packets.path, recording.keys, in: folder)
        try ShownLogin(of: capture).expectSameLogin(as: ShownLogin(of: recording.proxied))

        // Not the login's messages alone: every exchange, byte for byte.
        let (seen, proxied) = try (Self.exchanges(of: capture), Self.exchanges(of: recording.proxied))
        #expect(seen.map(Self.content) == proxied.map(Self.content))
        #expect(seen.allSatisfy { $0.malformations.isEmpty && $0.tunnel.reason == nil })
        #expect(Set(seen.map(\.connection.serverTLSVersion)) == [recording.version])
        #expect(Set(seen.map(\.request.httpVersion)) == [recording.protocolName])
    }

    /// Without keys there is an entry for each connection, with its times and how much went over it.
    @Test(arguments: recordings) func withoutKeysEveryConnectionIsOneEntry(recording: Recording) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let bare = folder.file("bare.\(recording.ending)")
        try Data(Self.withoutSecrets(Array(Data(contentsOf: recording.packets)))).write(
            to: URL(filePath: bare)
        )
        let exchanges = try Self.exchanges(of: Self.imported(bare, [], in: folder))
        #expect(exchanges.count == recording.connections)
        #expect(exchanges.allSatisfy { $0.request.method == "CONNECT" && $0.tunnel.reason == .noKeys })
        #expect(exchanges.allSatisfy { $0.tunnel.sentBytes ?? 0 > 0 && $0.tunnel.receivedBytes ?? 0 > 0 })
        #expect(exchanges.allSatisfy { $0.duration ?? .zero > .zero })
        // Where they went: what the client named, or the address.
        let (hosts, proxied) = try (
            Set(exchanges.map(\.request.url.authority)),
            Set(Self.exchanges(of: recording.proxied).map(\.request.url.authority))
        )
        #expect(hosts == proxied)
    }

    /// Packets that carry nothing are left out by display filters and other tools: no SYN tells who opened the connection.
    @Test func packetsWithDataAloneAreTheSameLogin() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let recording = Self.recordings[0]
        let thin = folder.file("thin.pcap")
        try Data(Self.withDataAlone(Array(Data(contentsOf: recording.packets)))).write(
            to: URL(filePath: thin)
        )
        let capture = try Self.imported(thin, recording.keys, in: folder)
        try ShownLogin(of: capture).expectSameLogin(as: ShownLogin(of: recording.proxied))
    }

    /// Keys of another login are as good as none, and it is said.
    @Test func keysOfAnotherLoginAreNone() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (one, other) = (Self.recordings[0], Self.recordings[1])
        let out = folder.file("other.har")
        let result = try Program.run(["import", one.packets.path] + other.keys + ["--out", out])
        #expect(result.status == 0 && result.errors.contains("there is no key for it in the key log"))
        #expect(try Self.exchanges(of: out).allSatisfy { $0.tunnel.reason == .noKeys })
    }

    // MARK: -

    private static func imported(_ packets: String, _ keys: [String], in folder: TemporaryFolder) throws
        -> String
    {
        let out = folder.file("imported.har")
        let result = try Program.run(["import", packets] + keys + ["--out", out])
        try #require(result.status == 0, "\(result.errors)")
        return out
    }

    /// In the order in which they began.
    private static func exchanges(of path: String) throws -> [Exchange] {
        let capture = try CaptureReader.read(path: path)
        return capture.indices.map { capture[$0] }.sorted { $0.startedAt < $1.startedAt }
    }

    /// What was said, apart from when and between whom.
    private static func content(of exchange: Exchange) -> [String] {
        let (request, response) = (exchange.request, exchange.response)
        return [
            "\(request.method) \(request.url) \(request.httpVersion)", "\(request.headers)",
            "\(request.body?.bytes ?? [])", "\(response?.status ?? 0) \(response?.statusText ?? "")",
            "\(response.map { "\($0.headers)" } ?? "")", "\(response?.body?.bytes ?? [])",
        ]
    }

    /// The packets of a pcap file that carry something: Ethernet, IPv4 and TCP, as on loopback.
    private static func withDataAlone(_ file: [UInt8]) -> [UInt8] {
        var (kept, at) = (Array(file.prefix(24)), 24)
        while at + 16 <= file.count {
            let size = (0..<4).reduce(0) { $0 | Int(file[at + 8 + $1]) << (8 * $1) }
            let segment = at + 16 + 14 + Int(file[at + 30] & 15) * 4
            let data = segment + Int(file[segment + 12] >> 4) * 4
            if data < at + 16 + size { kept += file[at..<at + 16 + size] }
            at += 16 + size
        }
        return kept
    }

    /// The file without its blocks of decryption secrets (pcapng, section 4.7).
    private static func withoutSecrets(_ file: [UInt8]) -> [UInt8] {
        guard file.starts(with: [0x0a, 0x0d, 0x0d, 0x0a]) else { return file }
        var (kept, at) = ([UInt8](), 0)
        while at + 8 <= file.count {
            let length = (0..<4).reduce(0) { $0 | Int(file[at + 4 + $1]) << (8 * $1) }
            if file[at..<at + 4] != [0x0a, 0, 0, 0] { kept += file[at..<min(at + length, file.count)] }
            at += length
        }
        return kept
    }
}
