import Captures
import Foundation
import LibCrypto
import NIOCore
import Proxy
import Synchronization
import TLS

/// A proxy on loopback with an authority made for the test, and what it recorded.
final class ProxyRig: Sendable {
    let port: Int
    /// Where the origins are played that the configuration names.
    let reversePorts: [Int]
    let authorityFile: String
    private let server: ProxyServer
    private let state: State

    final class State: Sendable {
        let exchanges = Mutex<[Exchange]>([])
        let notices = Mutex<[ProxyNotice]>([])
    }

    init(
        scope: CertificateScope? = nil,
        record: (@Sendable ([Exchange]) throws -> Void)? = nil,
        adjust: (inout ProxyConfiguration) -> Void = { _ in }
    ) async throws {
        var configuration = ProxyConfiguration(
            port: 0,
            upstreamTrust: [try Self.originAuthority().certificate]
        )
        adjust(&configuration)
        let now = Self.now()
        let authority =
            try scope.map { try CertificateAuthority(scope: $0, now: now) }
            ?? CertificateAuthority.make(now: now).0
        authorityFile = NSTemporaryDirectory() + "authreel-proxy-test-\(UUID().uuidString).pem"
        try authority.certificate.pem.write(toFile: authorityFile, atomically: true, encoding: .utf8)
        let state = State()
        self.state = state
        server = try ProxyServer(
            configuration: configuration,
            authority: authority,
            clock: { Self.now() },
            record: { exchanges in
                try record?(exchanges)
                state.exchanges.withLock { $0 += exchanges }
            },
            notify: { notice in state.notices.withLock { $0.append(notice) } }
        )
        port = try await server.start().port ?? 0
        reversePorts = server.reverseAddresses.compactMap(\.port)
    }

    var exchanges: [Exchange] { state.exchanges.withLock { $0 } }
    var notices: [ProxyNotice] { state.notices.withLock { $0 } }

    func stop() async {
        await server.shutdown()
        try? FileManager.default.removeItem(atPath: authorityFile)
    }

    /// Waits until something has been recorded, by looking; at most ten seconds.
    func exchanges(atLeast count: Int) async throws -> [Exchange] {
        for _ in 0..<1000 {
            if exchanges.count >= count { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        return exchanges
    }

    static func now() -> Timestamp { Timestamp(nanoseconds: Int64(Date().timeIntervalSince1970 * 1e9)) }

    // MARK: The provider's side

    private static let shared = Mutex<(CertificateIssuer, PrivateKey)?>(nil)

    /// The authority that the origins' certificates are from.
    static func originAuthority() throws -> CertificateIssuer {
        try shared.withLock { shared in
            if let shared { return shared.0 }
            let key = try PrivateKey.generate(.elliptic(.p256))
            let seconds = now().seconds
            let certificate = try CertificateIssuer.authority(
                commonName: "origin authority",
                key: key,
                validity: .init(notBefore: seconds - 86_400, notAfter: seconds + 86_400)
            )
            let issuer = try CertificateIssuer(certificate: certificate, key: key)
            shared = (issuer, key)
            return issuer
        }
    }

    /// What an origin for `localhost` shows.
    static func originTLS(
        name: CertificateIssuer.Name = .host("localhost"),
        from: Int64 = -3600,
        to: Int64 = 3600
    ) throws -> TLSContext {
        let key = try PrivateKey.generate(.elliptic(.p256))
        let seconds = now().seconds
        let leaf = try originAuthority().leaf(
            for: name,
            key: key,
            validity: .init(notBefore: seconds + from, notAfter: seconds + to)
        )
        return try TLSContext.server(chain: [leaf], key: key)
    }

    // MARK: Clients

    struct Output: Sendable {
        var status: Int32
        var text: String
        var error: String
    }

    /// Runs curl through the proxy, with its authority trusted unless told otherwise.
    func curl(_ arguments: String..., trusting: Bool = true) async throws -> Output {
        try await curl(arguments, trusting: trusting)
    }

    func curl(_ arguments: [String], trusting: Bool = true) async throws -> Output {
        let trust = trusting ? ["--cacert", authorityFile] : []
        return try await Self.run(
            [
                "/usr/bin/curl", "-sS", "--max-time", "20", "--proxy", "http://127.0.0.1:\(port)",
                "--noproxy", "",
            ] + trust + arguments
        )
    }

    /// Runs curl without the proxy, with its authority trusted unless told otherwise.
    func curlDirectly(_ arguments: String..., trusting: Bool = true) async throws -> Output {
        let trust = trusting ? ["--cacert", authorityFile] : []
        let options = ["-sS", "--max-time", "20", "--noproxy", "*"]
        return try await Self.run(["/usr/bin/curl"] + options + trust + arguments)
    }

    static func run(_ command: [String], input: Data? = nil) async throws -> Output {
        let process = Process()
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        let output = Pipe()
        let error = Pipe()
        process.standardOutput = output
        process.standardError = error
        try process.run()
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let text = output.fileHandleForReading.readDataToEndOfFile()
                let words = error.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(
                    returning: Output(
                        status: process.terminationStatus,
                        text: String(decoding: text, as: UTF8.self),
                        error: String(decoding: words, as: UTF8.self)
                    )
                )
            }
        }
    }
}
