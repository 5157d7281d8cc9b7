import Captures
import Foundation
import LibCrypto
import Proxy
import TLS
import TestSupport
import Testing

/// `authreel record --ca-scope`: a certificate authority for one recording and a few hosts.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ScopeCommandTests {
    private struct Origin {
        let server: LocalServer
        let certificate: String

        /// A server whose certificate is for `localhost` and 127.0.0.1's other name.
        init(in folder: TemporaryFolder) async throws {
            let key = try PrivateKey.generate(.elliptic(.p256))
            let now = Int64(Date.now.timeIntervalSince1970)
            let validity = CertificateIssuer.Validity(notBefore: now - 86_400, notAfter: now + 86_400)
            let root = try CertificateIssuer.authority(commonName: "origin", key: key, validity: validity)
            let leafKey = try PrivateKey.generate(.elliptic(.p256))
            let leaf = try CertificateIssuer(certificate: root, key: key)
                .leaf(for: .host("localhost"), key: leafKey, validity: validity)
            let context = try TLSContext.server(chain: [leaf], key: leafKey)
            server = try await LocalServer.start(tls: context) { _ in
                RecordedResponse(status: 200, body: Body(text: "hello", mediaType: "text/plain"))
            }
            certificate = folder.file("origin.pem")
            try root.pem.write(toFile: certificate, atomically: true, encoding: .utf8)
        }

        var url: String { "https://localhost:\(server.port)/" }
    }

    private func record(
        _ scope: [String],
        _ more: [String],
        in folder: TemporaryFolder
    ) async throws -> Program.Result {
        try FileManager.default.createDirectory(
            atPath: folder.file("tmp"),
            withIntermediateDirectories: true
        )
        return try await Program.runAside(
            [
                "record", "--listen", "127.0.0.1:0", "--out", folder.file("login.har"), "--ca-dir",
                folder.file("ca"),
            ] + scope.flatMap { ["--ca-scope", $0] } + more,
            environment: ["TMPDIR": folder.file("tmp")]
        )
    }

    @Test func commandIsRecordedAndNothingIsLeft() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let origin = try await Origin(in: folder)
        let result = try await record(
            ["localhost", "10.0.0.0/8"],
            [
                "--upstream-ca", origin.certificate, "--", "sh", "-c",
                "curl -sS \(origin.url); echo; cd $TMPDIR; ls authreel-run-*/authreel-ca.pem | wc -l; "
                    + "grep -rl 'PRIVATE KEY' . | wc -l; "
                    + "openssl x509 -noout -text -in authreel-run-*/authreel-ca.pem | grep -A3 Permitted",
            ],
            in: folder
        )
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(
            lines == [
                "hello", "1", "0", "Permitted:", "DNS:localhost", "DNS:authreel.proxy",
                "IP:10.0.0.0/255.0.0.0",
            ],
            "\(result.output)"
        )
        #expect(
            result.errors.contains(
                "made a certificate authority for this recording only, good for localhost, 10.0.0.0/8"
            )
        )
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("tmp")).isEmpty)
        // The lasting authority is neither made nor used.
        #expect(!FileManager.default.fileExists(atPath: folder.file("ca")))
        #expect(try CaptureReader.read(path: folder.file("login.har")).count == 1)
        await origin.server.stop()
    }

    @Test func hostOutsideIsToldOfOnce() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let origin = try await Origin(in: folder)
        let curl = "curl -sS --cacert \(origin.certificate) \(origin.url)"
        let result = try await record(
            ["idp.example"],
            ["-v", "--", "sh", "-c", "\(curl); \(curl)"],
            in: folder
        )
        #expect(result.status == 0 && result.output == "hellohello", "\(result.errors)")
        let words = "localhost is outside of --ca-scope: passed on unread"
        #expect(result.errors.components(separatedBy: words).count == 2, "\(result.errors)")
        let capture = try CaptureReader.read(path: folder.file("login.har"))
        #expect(capture.indices.map { capture[$0].request.method } == ["CONNECT", "CONNECT"])
        await origin.server.stop()
    }

    @Test(arguments: [
        (["https://idp.example/"], [], "https://idp.example/ is no host name and no address"),
        (["10.0.0.0/33"], [], "10.0.0.0/33 is no range of addresses"),
        (
            ["idp.example"], ["--only", "app.example"],
            "--only app.example is outside of --ca-scope idp.example"
        ),
        (
            ["idp.example"], ["--reverse", "https://app.example=127.0.0.1:0"],
            "--reverse https://app.example=127.0.0.1:0 is outside of --ca-scope idp.example"
        ),
    ])
    func whatWouldComeToNothingIsRefused(_ row: (scope: [String], more: [String], words: String)) async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try await record(row.scope, row.more + ["--", "true"], in: folder)
        #expect(result.status == 64)
        #expect(result.errors.contains(row.words) && result.errors.contains("authreel: hint: "))
        #expect(!FileManager.default.fileExists(atPath: folder.file("login.har")))
    }

    /// Another client finds the certificate by the path that is printed, and on the set-up page.
    @Test func certificateIsHandedToOthers() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let origin = try await Origin(in: folder)
        let recorder = try RecorderProcess(
            into: folder.file("login.har"),
            folder: folder,
            upstreamCA: origin.certificate,
            options: ["--ca-scope", "localhost"]
        )
        let line = try #require(
            recorder.messages.split(separator: "\n").first { $0.contains("clients have to trust ") }
        )
        let path = try #require(line.split(separator: " ").first { $0.hasSuffix("/authreel-ca.pem,") })
            .dropLast()
        func curl(_ arguments: String...) async throws -> Program.Result {
            try await Program.runAside(
                ["-sS", "--noproxy", "", "-x", "http://127.0.0.1:\(recorder.port)"] + arguments,
                executable: "/usr/bin/curl"
            )
        }
        let seen = try await curl("--cacert", String(path), origin.url)
        #expect(seen.output == "hello", "\(seen.errors)")
        let offered = try await curl("http://authreel.proxy/ca.pem").output
        #expect(try offered == String(contentsOfFile: String(path), encoding: .utf8))
        #expect(recorder.interrupt() == 0)
        #expect(!FileManager.default.fileExists(atPath: String(path)))
        await origin.server.stop()
    }
}
