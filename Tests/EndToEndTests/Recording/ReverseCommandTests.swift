import Foundation
import TestSupport
import Testing

/// `record --reverse` as a user runs it.
struct ReverseCommandTests {
    private static let right = "record --reverse https://idp.example=127.0.0.1:9443\n"

    static let wrong: [(arguments: [String], message: String, hint: String)] = [
        (["https://idp.example"], "does not say at which address", right),
        (["idp.example=127.0.0.1:9443"], "does not begin with https:// or http://", right),
        (["https://idp.example/realms/a=127.0.0.1:9443"], "more than an origin", right),
        (["https://idp.example=127.0.0.1"], "no address of the form HOST:PORT", right),
        (
            ["https://a.example=127.0.0.1:9443", "--reverse", "https://b.example=localhost:9443"],
            "localhost:9443 is asked for twice", "--reverse https://b.example=localhost:0\n"
        ),
        (
            ["https://a.example=127.0.0.1:9443", "--listen", "127.0.0.1:9443"],
            "127.0.0.1:9443 is asked for twice",
            "--reverse https://a.example=127.0.0.1:0\n"
        ),
        (
            [
                "https://a.example=0.0.0.0:9443", "--reverse", "https://b.example=127.0.0.1:9443",
                "--allow-remote",
            ],
            "127.0.0.1:9443 is asked for twice: 0.0.0.0:9443 is at the same place",
            "--reverse https://b.example=127.0.0.1:0\n"
        ),
        (
            ["https://idp.example=0.0.0.0:9443"],
            "is no loopback address: anyone on the network could use https://idp.example",
            "record --allow-remote --reverse https://idp.example=0.0.0.0:9443\n"
        ),
        (
            ["https://idp.example=127.0.0.1:9443", "--pass-through", "*.example"],
            "--pass-through *.example leaves unread",
            "leave out one of the two\n"
        ),
    ]

    @Test(arguments: wrong.indices)
    func wrongUsageShowsTheRightForm(_ index: Int) throws {
        let row = Self.wrong[index]
        let result = try Program.run(["record", "--reverse"] + row.arguments)
        #expect(result.status == 64)
        #expect(result.errors.contains(row.message), "\(result.errors)")
        #expect(result.errors.hasSuffix(row.hint), "\(result.errors)")
    }

    @Test func addressIsToldBeforeTheProxys() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let recorder = try RecorderProcess(
            into: folder.file("login.har"),
            folder: folder,
            options: [
                "--reverse", "https://idp.example=127.0.0.1:0", "--reverse", "http://[::1]:1=localhost:0",
            ]
        )
        let lines = recorder.messages.split(separator: "\n")
        let told = lines.filter { $0.contains(" is played at ") }
        #expect(told.count == 2, "\(recorder.messages)")
        #expect(
            told.first?.hasPrefix("authreel: https://idp.example is played at https://127.0.0.1:") == true
        )
        #expect(told.last?.hasPrefix("authreel: http://[::1]:1 is played at http://") == true)
        let listening = try #require(lines.firstIndex { $0.hasPrefix("listening on ") })
        #expect(lines[..<listening].suffix(2) == told[...], "\(recorder.messages)")
        // What cannot be reached is told of by what it is, and in the capture.
        let address = try #require(told.last?.split(separator: " ").last)
        let page = try Program.run(
            ["-sS", "--noproxy", "*", "-w", "%{http_code}", String(address)],
            executable: "/usr/bin/curl"
        )
        #expect(page.output.contains("authreel cannot reach [::1]:1") && page.output.hasSuffix("502"))
        #expect(recorder.interrupt() == 0)
        #expect(recorder.messages.contains("1 exchange recorded, 1 without an answer"))
    }

    @Test func takenPortIsNamedWithTheOrigin() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let other = try RecorderProcess(into: folder.file("other.har"), folder: folder)
        let result = try Program.run([
            "record", "--listen", "127.0.0.1:0", "--out", folder.file("login.har"), "--ca-dir",
            folder.file("ca"),
            "--reverse", "https://idp.example=127.0.0.1:\(other.port)",
        ])
        #expect(result.status == 69)
        #expect(
            result.errors.contains(
                "error: 127.0.0.1:\(other.port), where https://idp.example is to be played, is in use by another program\n"
            )
        )
        #expect(result.errors.hasSuffix("--reverse https://idp.example=127.0.0.1:0 picks a free one\n"))
        #expect(other.interrupt() == 0)
    }

    @Test func clientThatDoesNotTrustIsDiagnosed() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let provider = try RecorderProcess(into: folder.file("unused.har"), folder: folder)
        let capture = folder.file("login.har")
        let recorder = try RecorderProcess(
            into: capture,
            folder: folder,
            // In clear, since all that matters is the client's side.
            options: ["--reverse", "http://localhost:\(provider.port)=127.0.0.1:0"]
        )
        let told = recorder.messages.split(separator: "\n").first { $0.contains(" is played at ") }
        let port = try #require(told?.split(separator: ":").last)
        let client = try Program.run(
            ["-sS", "--noproxy", "*", "https://127.0.0.1:\(port)/token"],
            executable: "/usr/bin/curl"
        )
        #expect(client.status == 60)
        #expect(recorder.interrupt() == 0)
        #expect(provider.interrupt() == 0)
        let report = try Program.run(["diagnose", capture])
        #expect(report.status == 1)
        #expect(report.output.contains("tls-client-rejects-recorder"), "\(report.output)")
    }

    @Test func networkIsWarnedOf() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let recorder = try RecorderProcess(
            into: folder.file("login.har"),
            folder: folder,
            options: ["--allow-remote", "--reverse", "https://idp.example=0.0.0.0:0"]
        )
        #expect(
            recorder.messages.contains(
                "warning: anyone on the network can use https://idp.example through this computer"
            )
        )
        #expect(!recorder.messages.contains("changes nothing"))
        #expect(recorder.interrupt() == 0)
    }
}
