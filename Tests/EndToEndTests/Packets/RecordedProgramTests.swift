import Captures
import Foundation
import Proxy
import TestSupport
import Testing

/// `record --interface IF -- COMMAND`: the packets of a program, from its start to its end.
@Suite(
    .serialized,
    .enabled(if: PacketLoginTests.mayCapture, "only who has CAP_NET_RAW may capture packets"),
    .enabled(if: NGHTTP2Server.isAvailable, "nghttp2's programs or curl are not installed"),
    .timeLimit(.minutes(2))
)
struct RecordedProgramTests {
    /// As root without sudo has it.
    private static let alone = ["SUDO_UID": "", "SUDO_GID": "", "SSLKEYLOGFILE": ""]

    @Test func recordingEndsWithTheProgramAndItsStatus() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try await LocalServer.start { _ in
            RecordedResponse(status: 200, body: Body(text: "hello"))
        }
        let result = try await Program.runAside(
            ["record", "--interface", "lo", "--filter", "tcp port \(server.port)"]
                + ["--out", folder.file("a.har"), "--", "/bin/sh", "-c"]
                + ["curl -s http://127.0.0.1:\(server.port)/x; exit 7"],
            environment: Self.alone
        )
        await server.stop()
        #expect(result.status == 7 && result.output == "hello", "\(result.errors)")
        let capture = try CaptureReader.read(path: folder.file("a.har"))
        #expect(capture.indices.map { capture[$0].request.url.path } == ["/x"], "\(result.errors)")
    }

    /// Programs that obey `SSLKEYLOGFILE` need not be told where to write their keys.
    @Test func keysOfTheProgramAreFollowed() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try "hello".write(toFile: folder.file("x"), atomically: true, encoding: .utf8)
        let server = try NGHTTP2Server.serving(folder.path, options: [], folder: folder)
        defer { server.stop() }
        // Who called sudo owns what comes of it; to be written to by nobody the folder has to be open.
        chmod(folder.path, 0o777)
        let temporary = folder.file("tmp")
        try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
        chmod(temporary, 0o777)
        let result = try Program.run(
            ["record", "--interface", "lo", "--filter", "tcp port \(server.port)"]
                + ["--out", folder.file("a.har"), "--", "curl", "-sk"]
                + ["https://127.0.0.1:\(server.port)/x"],
            environment: Self.alone.merging(["SUDO_UID": "65534", "SUDO_GID": "65534", "TMPDIR": temporary]) {
                $1
            }
        )
        #expect(result.status == 0 && result.output == "hello", "\(result.errors)")
        let capture = try CaptureReader.read(path: folder.file("a.har"))
        #expect(capture.indices.map { capture[$0].response?.body?.text } == ["hello"], "\(result.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary) == [])
    }

    /// A signal that reaches the recorder alone.
    @Test func interruptionIsHandedOn() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        chmod(folder.path, 0o777)
        let recorder = try PacketRecorderProcess(
            into: folder.file("a.har"),
            folder: folder,
            interface: "lo",
            options: [
                "--filter", "tcp port 9", "--keylog", folder.file("keys.log"), "--", "/bin/sleep", "20",
            ],
            // Root's own programs could not be ended by a recorder that has given up root's rights.
            environment: Self.alone.merging(["SUDO_UID": "65534", "SUDO_GID": "65534"]) { $1 }
        )
        #expect(recorder.interrupt() == 128 + SIGINT, "\(recorder.messages)")
    }

    /// Root's capture is nobody's to read, and the logins are told at the end all the same.
    @Test(.enabled(if: geteuid() == 0, "only root gives up rights")) func rootIsToldOfTheLogins() async throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try await LocalServer.start { request in
            let cookie = HeaderFields([
                ("Location", "http://127.0.0.1:9/cb?code=SplxlOBeZQQYbYS6WxSbIA&state=af0ifjsldkj")
            ])
            return RecordedResponse(status: 302, headers: cookie)
        }
        let query =
            "response_type=code&client_id=shop&scope=openid&state=af0ifjsldkj&redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fcb"
        let result = try await Program.runAside(
            ["record", "--interface", "lo", "--filter", "tcp port \(server.port)"]
                + ["--out", folder.file("a.har"), "--", "curl", "-s"]
                + ["http://127.0.0.1:\(server.port)/authorize?\(query)"],
            environment: Self.alone
        )
        await server.stop()
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("shop"), "\(result.errors)")
    }
}
