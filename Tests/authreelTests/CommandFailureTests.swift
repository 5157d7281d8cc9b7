import ArgumentParser
import Captures
import Foundation
import Proxy
import TestSupport
import Testing

@testable import authreel

/// What is advised where a capture is of no use.
struct CommandFailureTests {
    @Test func patternWithoutAMatchIsNoNameForARecording() {
        let named = CommandFailure(CaptureError.noSuchFile(path: "no-such-login.har"))
        #expect(named.hint?.hasSuffix(" record --out no-such-login.har makes one") == true)
        let lost = CommandFailure(CaptureError.noSuchFile(path: "no such logins/a.har"))
        #expect(lost.hint == "there is no folder 'no such logins', either")
        let encrypted = CommandFailure(CaptureError.noSuchFile(path: "no-such-login.har.age"))
        #expect(encrypted.hint?.contains(" share login.har --encrypt-to ") == true)
        let pattern = CommandFailure(CaptureError.noSuchFile(path: "*.har.gone"))
        #expect(pattern.hint == "no name is like that: look into the folder")
        let nowhere = CommandFailure(CaptureError.noSuchFile(path: "no-such-logins/*.har"))
        #expect(nowhere.hint == "there is no folder no-such-logins, either")
        let flow = CommandFailure(CaptureError.noSuchFile(path: "flow-2"))
        #expect(flow.hint == "a login of a capture is chosen by --flow flow-2")
        let behind = CommandFailure(CaptureError.noSuchFile(path: "my login.har#flow-12"))
        #expect(behind.hint == "a login of a capture is chosen by --flow flow-12 'my login.har'")
        let token = CommandFailure(CaptureError.noSuchFile(path: "eyJhbGciOiJub25lIn0.e30."))
        #expect(token.hint?.hasSuffix(" jwt eyJhbGciOiJub25lIn0.e30.") == true)
        let file = CommandFailure(CaptureError.noSuchFile(path: "file:///logins/my%20login.har"))
        #expect(file.hint == "a file is named by its path: '/logins/my login.har'")
        let page = CommandFailure(CaptureError.noSuchFile(path: "https://a.example/"))
        #expect(page.hint?.contains(" record --browser https://a.example/ records") == true)
        let other = CommandFailure(CaptureError.noSuchFile(path: "workflow-2"))
        #expect(other.hint?.hasSuffix(" record --out workflow-2 makes one") == true)
    }

    @Test(arguments: [
        ("login", "did you mean FOLDER/login.har?"), ("logni.har", "did you mean FOLDER/login.har?"),
        ("my logn.har", "did you mean 'FOLDER/my login.har'?"), ("other.har", nil), ("notes", nil),
        ("\u{fffd}.har", "where the name's bytes are no UTF-8, give the capture as standard input: - < FILE"),
    ])
    func captureBesideAMistypedNameIsNamed(name: String, hint: String?) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for name in ["login.har", "my login.har", "notes.txt"] {
            try Data().write(to: URL(filePath: folder.file(name)))
        }
        let failure = CommandFailure(CaptureError.noSuchFile(path: folder.file(name)))
        if let hint {
            #expect(failure.hint == hint.replacing("FOLDER", with: folder.path))
        } else {
            #expect(failure.hint?.hasSuffix(" makes one") == true)
        }
    }

    /// Its own name is no other that was meant.
    @Test func linkToNothingIsToldApart() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let link = folder.file("login.har")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "gone.har")
        let failure = CommandFailure(CaptureError.noSuchFile(path: link))
        #expect(failure.hint == "the link is there, and gone.har, where it leads, is not")
    }

    /// As a variable of a script that is not set has it.
    @Test func emptyNameIsCalledThat() {
        #expect(CommandFailure.noRule("").message == "the name of the rule is empty")
        let flow = CommandFailure.noFlow("", in: "login.har", known: ["flow-1"])
        #expect(flow.message == "the name of the flow is empty" && flow.hint == "it has flow-1")
        let address = #expect(throws: CommandFailure.self) {
            try HostAndPort("", option: "--listen", example: "authreel record --listen 127.0.0.1:8080")
        }
        #expect(address?.message == "--listen takes HOST:PORT, not ''")
        let file = #expect(throws: CommandFailure.self) { try InputFile.bytes("", for: "a key") }
        #expect(file?.message == "'': no such file")
        #expect(throws: (any Error).self) { try Share.parse(["login.har", "--keep", "", "--dry-run"]) }
        #expect(throws: Never.self) { try Share.parse(["login.har", "--keep", "state", "--dry-run"]) }
    }

    @Test func fullDiskWantsRoom() {
        let full = CaptureError.inputOutput(
            path: "demo/healthy.har",
            reason: ENOSPC.systemReason
        )
        #expect(CommandFailure(full).hint == "make room there, or write to another place")
        #expect(CommandFailure(full).status == .unavailable)
        let closed = CaptureError.inputOutput(path: "a.har", reason: EACCES.systemReason)
        #expect(CommandFailure(closed).status == .noInput)
    }

    /// `import` reads packets and key logs as well.
    @Test func otherFileBesideAMistypedNameIsNamed() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try Data().write(to: URL(filePath: folder.file("server.pcap")))
        let mistyped = folder.file("servr.pcap")
        #expect(CommandFailure.meant(by: mistyped) == nil)
        let hint = CommandFailure.meant(by: mistyped) { _ in true }
        #expect(hint == "did you mean \(folder.file("server.pcap"))?")
        #expect(ImportInput.hint(onMissing: mistyped) == hint)
    }

    /// What is nowhere is recorded: packets by others, a capture as for any command.
    @Test func fileThatIsNowhereCanBeMade() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let packets = folder.file("server.pcapng")
        let command = "packets are recorded by: tcpdump -i any -s 0 -w \(packets)"
        #expect(ImportInput.hint(onMissing: packets) == command)
        #expect(ImportInput.hint(onMissing: folder.file("server.har")) == nil)
        #expect(ImportInput.hint(onMissing: "*.pcap") == nil && ImportInput.hint(onMissing: "") == nil)
    }

    /// The line can be run as it stands.
    @Test func fileIsToldByItsNameHowItIsRead() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let packets = folder.file("server.pcap")
        let missing = CommandFailure(CaptureError.noSuchFile(path: packets))
        #expect(missing.hint == "packets are recorded by: tcpdump -i any -s 0 -w \(packets)")
        // The head of a classic capture of Ethernet, least significant byte first.
        let head: [UInt8] = [0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0] + Array(repeating: 0, count: 8)
        try Data(head + [0xff, 0xff, 0, 0, 1, 0, 0, 0]).write(to: URL(filePath: packets))
        let error = try #require(throws: CaptureError.self) { try CaptureReader.read(path: packets) }
        let command = " import \(packets) --keylog KEYLOG --out login.har makes a capture of it"
        #expect(CommandFailure(error).hint?.hasSuffix(command) == true, "\(error)")
        let token = folder.file("my token.txt")
        try Data("eyJhbGciOiJub25lIn0.e30.\n".utf8).write(to: URL(filePath: token))
        let decoded = try #require(throws: CaptureError.self) { try CaptureReader.read(path: token) }
        #expect(CommandFailure(decoded).hint?.hasSuffix(" jwt '\(token)' decodes it") == true, "\(decoded)")
        let streamed = CaptureError.notCapture(
            path: "standard input",
            looksLike: "a packet capture",
            advice: "authreel import FILE --keylog KEYLOG"
        )
        #expect(CommandFailure(streamed).hint == "authreel import FILE --keylog KEYLOG")
    }

    /// Key sets and secrets are files as well.
    @Test func keySetBesideAMistypedNameIsNamed() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try Data().write(to: URL(filePath: folder.file("keys.json")))
        let failure = #expect(throws: CommandFailure.self) {
            try InputFile.bytes(folder.file("key.json"), for: "a key set")
        }
        #expect(failure?.hint == "did you mean \(folder.file("keys.json"))?")
    }

    @Test func providerThatWasNotReachedIsPlayedOrTrusted() {
        let gone = ReplayCommand.elsewhere(
            than: "ENOTFOUND: no address found for idp.example",
            in: ["a b.har"]
        )
        #expect(gone.contains(" mock 'a b.har' plays") && !gone.contains("--upstream-ca"))
        #expect(
            ReplayCommand.elsewhere(than: "ECONNREFUSED", in: ["a.har", "b.har"]).contains(" mock CAPTURE ")
        )
        #expect(ReplayCommand.elsewhere(than: "ECONNREFUSED", in: ["-"]).contains(" mock CAPTURE plays"))
        let untrusted = ReplayCommand.elsewhere(
            than: "ERR_CERT_AUTHORITY_INVALID: self-signed",
            in: ["a.har"]
        )
        #expect(untrusted.contains("--upstream-ca") && !untrusted.contains(" mock "))
    }

    @Test func addressToListenAtHasAWayOut() {
        let reason = "Cannot assign requested address"
        let foreign = CommandFailure(ProxyError.cannotListen(host: "10.9.9.9", port: 8080, reason: reason))
        #expect(foreign.hint?.contains("10.9.9.9 an address of this computer") == true)
        let low = CommandFailure(ProxyError.cannotListen(host: "127.0.0.1", port: 443, reason: "denied"))
        #expect(low.hint?.contains("below 1024") == true)
    }

    /// `authreel diagnose "$CAPTURE"`, where no variable has that name.
    @Test func captureWithoutANameIsNoneToMake() {
        let failure = CommandFailure(CaptureError.noSuchFile(path: ""))
        #expect(failure.status == .noInput && failure.message == "the name of the capture is empty")
        #expect(failure.hint?.contains("--out") == false)
    }

    @Test func secretsThatAreNoneAreToldWithAWayOut() {
        for text in ["[1]", "what", "-----BEGIN PRIVATE KEY-----\n"] {
            let failure = #expect(throws: CommandFailure.self) { try Secret.key(text) }
            #expect(failure?.hint?.contains("openssl genpkey") == true)
            #expect(text.hasPrefix("-") || failure?.message.contains("neither PEM nor a JWK") == true)
        }
        let home = #expect(throws: CommandFailure.self) {
            try InputFile.bytes("~/no such file", for: "a key")
        }
        #expect(home?.hint?.hasSuffix("write $HOME") == true)
        let other = #expect(throws: CommandFailure.self) {
            try InputFile.bytes("no such file/~", for: "a key")
        }
        #expect(other?.hint == "a key")
    }

    private static let rows: [(reason: String, hint: String?)] = [
        ("is a folder", "name the captures in it, one by one or as 'a b'/*.har"),
        (
            "Permission denied",
            "only its owner may read a capture; one that was recorded with sudo becomes yours by: sudo chown \"$USER\" 'a b'"
        ), ("Input/output error", nil),
    ]

    @Test(arguments: rows.indices)
    func reasonDecidesOnTheHint(index: Int) {
        let (reason, hint) = Self.rows[index]
        let failure = CommandFailure(CaptureError.inputOutput(path: "a b", reason: reason))
        #expect(failure.message == "a b: \(reason)" && failure.hint == hint)
        #expect(failure.status == .noInput)
    }

    /// `authreel diagnose - <&-`.
    @Test func standardInputThatIsClosedHasAWayOut() {
        let failure = CommandFailure(CaptureError.inputOutput(path: "-", reason: "Bad file descriptor"))
        #expect(failure.message == "standard input: Bad file descriptor")
        #expect(failure.hint == "name the file of the capture, or give it as standard input: - < FILE")
    }
}
