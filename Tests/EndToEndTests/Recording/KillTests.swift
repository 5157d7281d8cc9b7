import Captures
import Foundation
import LibCrypto
import Proxy
import TLS
import TestSupport
import Testing

/// The promise of the file: what a client saw complete is in the capture, whenever the recorder dies.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct KillTests {
    /// A server over TLS whose answers differ in length, so that the dying write is cut at ever new places.
    private static func startOrigin(in folder: TemporaryFolder) async throws -> (
        server: LocalServer, certificate: String
    ) {
        let key = try PrivateKey.generate(.elliptic(.p256))
        let now = Int64(Date.now.timeIntervalSince1970)
        let validity = CertificateIssuer.Validity(notBefore: now - 86_400, notAfter: now + 86_400)
        let root = try CertificateIssuer.authority(commonName: "test origin", key: key, validity: validity)
        let leafKey = try PrivateKey.generate(.elliptic(.p256))
        let issuer = try CertificateIssuer(certificate: root, key: key)
        let leaf = try issuer.leaf(for: .host("localhost"), key: leafKey, validity: validity)
        let context = try TLSContext.server(chain: [leaf], key: leafKey)
        let server = try await LocalServer.start(tls: context) { request in
            let length = request.url.path.utf8.reduce(7) { ($0 &* 31 &+ Int($1)) & 0x3fff }
            return RecordedResponse(status: 200, body: Body(text: String(repeating: "x", count: length)))
        }
        let path = folder.file("origin.pem")
        try root.pem.write(toFile: path, atomically: true, encoding: .utf8)
        return (server, path)
    }

    /// A client of an origin behind a recorder, which trusts nobody but the recorder.
    private static func trust(in recorder: RecorderProcess) throws -> TLSContext {
        let pem = try Array(Data(contentsOf: URL(filePath: recorder.certificate)))
        return try TLSContext.client(
            .init(trustsSystemRoots: false, furtherRoots: Certificate.all(pem: pem))
        )
    }

    /// Kills a recorder while 32 clients are at work; the moment differs from round to round.
    ///
    /// - Returns: what the clients saw complete.
    private static func complete(whenKilled recorder: RecorderProcess, at port: Int, in round: Int)
        async throws -> [String]
    {
        let load = LoadClient()
        try await load.start(
            32,
            proxyPort: recorder.port,
            origin: "localhost:\(port)",
            trust: trust(in: recorder),
            label: "round-\(round)"
        )
        try await until("the load runs") { load.ledger.complete.count > 100 + 19 * round }
        recorder.killNow()
        try await until("every client has noticed") { load.ledger.connections == 0 }
        let seen = load.ledger.complete
        try await load.stop()
        return seen
    }

    /// What is left of a capture; where its last entry is torn, `show` says so.
    private static func left(of capture: String) throws -> Capture {
        let shown = try Program.run(["show", capture])
        #expect(shown.status == 0, "\(shown.errors)")
        let left = try CaptureReader.read(path: capture)
        if let loss = left.losses.first {
            #expect(shown.errors.contains(loss.what), "\(shown.errors)")
        } else {
            #expect(
                !shown.errors.contains("cut off") && !shown.errors.contains("breaks off"),
                "\(shown.errors)"
            )
        }
        return left
    }

    @Test func killedUnderLoadLosesNothingThatAClientSaw() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (origin, certificate) = try await Self.startOrigin(in: folder)
        let capture = folder.file("load.har")
        var complete: Set<String> = []
        var torn = 0
        for round in 0..<10 {
            // Each recorder appends to what its predecessor left: the next one mends.
            let recorder = try RecorderProcess(into: capture, folder: folder, upstreamCA: certificate)
            complete.formUnion(try await Self.complete(whenKilled: recorder, at: origin.port, in: round))
            let left = try Self.left(of: capture)
            if !left.losses.isEmpty { torn += 1 }
            let recorded = Set(
                left.indices.map { left[$0] }.filter { $0.failure == nil }.map(\.request.url.text)
            )
            #expect(
                complete.subtracting(recorded).isEmpty,
                "round \(round): \(complete.subtracting(recorded).sorted().prefix(5))"
            )
        }
        await origin.stop()
        print(
            "kill -9 under 32 connections, 10 times: \(complete.count) exchanges seen complete, 0 missing, torn \(torn) times"
        )

        // Whatever the last kill left, one more start and end makes it whole.
        let last = try RecorderProcess(into: capture, folder: folder, upstreamCA: certificate)
        #expect(last.interrupt() == 0)
        let bytes = try Array(Data(contentsOf: URL(filePath: capture)))
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(bytes)) }
        let mended = try CaptureReader.read(bytes: bytes, name: capture)
        #expect(mended.losses.isEmpty)
        #expect(complete.isSubset(of: Set(mended.indices.map { mended[$0].request.url.text })))
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func signalEndsTheRecordingCleanly(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (origin, certificate) = try await Self.startOrigin(in: folder)
        let recorder = try RecorderProcess(
            into: folder.file("login.har"),
            folder: folder,
            upstreamCA: certificate
        )
        let load = LoadClient()
        try await load.start(
            4,
            proxyPort: recorder.port,
            origin: "localhost:\(origin.port)",
            trust: Self.trust(in: recorder),
            label: "a"
        )
        try await Self.until("the load runs") { load.ledger.complete.count > 20 }
        #expect(recorder.interrupt(signal) == 0, "\(recorder.messages)")
        try await Self.until("every client has noticed") { load.ledger.connections == 0 }
        let seen = load.ledger.complete
        try await load.stop()
        await origin.stop()
        let capture = try CaptureReader.read(path: recorder.capture)
        #expect(capture.losses.isEmpty)
        #expect(Set(seen).isSubset(of: Set(capture.indices.map { capture[$0].request.url.text })))
        #expect(recorder.messages.contains("\(capture.count) exchanges recorded"), "\(recorder.messages)")
        #expect(recorder.messages.contains(" diagnose \(recorder.capture)"))
    }

    /// Waits, by looking, until the condition holds; at most 30 seconds.
    private static func until(_ what: String, _ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while !condition() {
            guard ContinuousClock.now < deadline else {
                throw RecorderProcess.Failure("\(what): not within 30 s")
            }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
