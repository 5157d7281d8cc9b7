import Captures
import Foundation
import LibCrypto
import Testing

@testable import Proxy

final class AuthorityTests: Sendable {
    private let now = Timestamp(seconds: 1_795_219_200)  // 2026-11-21T00:00:00Z
    /// Not there before, and gone with the test.
    private let root = NSTemporaryDirectory() + "authreel-ca-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: root) }

    private func folder() -> String { "\(root)/\(UUID().uuidString)/deep/er" }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    /// Lets openssl judge: `verify` for chains, `x509` for what a certificate says.
    private func openssl(_ arguments: String...) async throws -> String {
        let output = try await ProxyRig.run(["/usr/bin/openssl"] + arguments)
        return output.text + output.error
    }

    @Test func authorityIsMadeOnceAndFoundAgain() throws {
        let files = AuthorityFiles(folder: folder())
        let first = try files.load(now: now)
        let second = try files.load(now: now + .seconds(86_400))
        #expect(first.origin == .made && second.origin == .found)
        #expect(first.authority.certificate.der == second.authority.certificate.der)
        #expect(try mode(files.folder) == 0o700)
        #expect(try mode(files.folder + "/ca.key") == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: files.folder).sorted() == [
                "ca.key", "ca.pem",
            ]
        )
        #expect(first.authority.certificate.subject == "CN=authreel 2026-11-21")
    }

    @Test func onlyTheCertificateIsACertificate() throws {
        let files = AuthorityFiles(folder: folder())
        _ = try files.load(now: now)
        #expect(
            try Certificate.all(pem: Array(Data(contentsOf: URL(filePath: files.certificatePath)))).count == 1
        )
        #expect(
            try Certificate.all(pem: Array(Data(contentsOf: URL(filePath: files.folder + "/ca.key")))).isEmpty
        )
    }

    @Test func firstUseByManyAtOnceMakesOneAuthority() async throws {
        let files = AuthorityFiles(folder: folder())
        let now = now
        let found = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<8 { group.addTask { try files.load(now: now).authority.certificate.der } }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        #expect(found.count == 1)
    }

    @Test func authorityThatHasEndedIsMadeAgain() throws {
        let files = AuthorityFiles(folder: folder())
        let first = try files.load(now: now).authority
        #expect(!first.isInItsLastMonth(at: now + .seconds(334 * 86_400)))
        #expect(first.isInItsLastMonth(at: now + .seconds(336 * 86_400)))
        let later = try files.load(now: now + .seconds(366 * 86_400))
        #expect(later.origin != .found)
        #expect(later.authority.certificate.der != first.certificate.der)
    }

    @Test func endOfTheOldAuthorityIsToldWithTheNewOne() throws {
        let files = AuthorityFiles(folder: folder())
        let first = try files.load(now: now).authority.certificate
        let later = try files.load(now: now + .seconds(366 * 86_400))
        #expect(
            later.origin
                == .madeAfterEnd(of: AuthorityIdentity(first), notAfter: Timestamp(seconds: first.notAfter))
        )
    }

    @Test func halfAnAuthorityIsToldOf() throws {
        let files = AuthorityFiles(folder: folder())
        #expect(try files.load(now: now).origin == .made)
        try FileManager.default.removeItem(atPath: files.certificatePath)
        #expect(try files.load(now: now).origin == .madeInPlaceOfHalf(missing: files.certificatePath))
        #expect(try files.load(now: now).origin == .found)
    }

    /// A folder of somebody's test authority, named by mistake: `ca.key` with `ca.crt`, or a `ca.pem` without its key.
    @Test(arguments: [["ca.key", "ca.crt"], ["ca.pem"], ["ca.pem", "ca.key"]])
    func authorityOfAnotherMakerIsNotWrittenOver(names: [String]) throws {
        let files = AuthorityFiles(folder: folder())
        try files.makeFolder()
        let key = try PrivateKey.generate(.elliptic(.p256))
        let certificate = try CertificateIssuer.authority(
            commonName: "Test CA",
            key: key,
            // Ended: one that is valid and has its key is used.
            validity: .init(notBefore: now.seconds - 864_000, notAfter: now.seconds - 86_400)
        )
        let contents = names.map { $0 == "ca.key" ? key.pem : certificate.pem }
        for (name, text) in zip(names, contents) {
            try Data(text.utf8).write(to: URL(filePath: "\(files.folder)/\(name)"))
        }
        let path = names.contains("ca.pem") ? files.certificatePath : files.folder + "/ca.key"
        #expect(throws: ProxyError.authorityForeign(path: path)) { try files.load(now: now) }
        for (name, text) in zip(names, contents) {
            #expect(try String(contentsOfFile: "\(files.folder)/\(name)", encoding: .utf8) == text)
        }
    }

    @Test func openModesAreMendedAndTold() throws {
        let files = AuthorityFiles(folder: folder())
        _ = try files.load(now: now)
        #expect(try files.load(now: now).remarks.isEmpty)
        let key = files.folder + "/ca.key"
        chmod(key, 0o644)
        chmod(files.certificatePath, 0o666)
        chmod(files.folder, 0o777)
        let loaded = try files.load(now: now)
        #expect(loaded.origin == .found && loaded.remarks.count == 3, "\(loaded.remarks)")
        #expect(loaded.remarks.contains { $0.contains("mode 0644") && $0.contains(key) })
        #expect(try mode(key) == 0o600)
        #expect(try mode(files.certificatePath) == 0o644)
        #expect(try mode(files.folder) == 0o700)
    }

    @Test func folderOfMoreThanOursIsRefusedNotClosed() throws {
        let files = AuthorityFiles(folder: folder())
        _ = try files.load(now: now)
        try Data().write(to: URL(filePath: files.folder + "/notes.txt"))
        chmod(files.folder, 0o1777)
        #expect(throws: ProxyError.authorityFolderOpen(path: files.folder)) { try files.load(now: now) }
        #expect(try mode(files.folder) == 0o1777)
        // Readable is harmless: the key has its own mode.
        chmod(files.folder, 0o755)
        #expect(try files.load(now: now).remarks.isEmpty)
    }

    @Test(
        .enabled(if: geteuid() == 0, "only root can give files away"),
        arguments: ["", "/ca.key", "/ca.pem"]
    )
    func filesOfAnotherUserAreRefused(name: String) throws {
        let files = AuthorityFiles(folder: folder())
        _ = try files.load(now: now)
        let path = files.folder + name
        chown(path, 65_534, 65_534)
        #expect(throws: ProxyError.authorityOwner(path: path, owner: 65_534)) { try files.load(now: now) }
    }

    /// That there is no such folder is what comes of it.
    @Test(
        .enabled(if: geteuid() != 0, "root may write everywhere"),
        arguments: ["", "/below"]
    )
    func folderThatMustNotBeMadeIsSaidToBeDenied(below: String) throws {
        let parent = folder()
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        chmod(parent, 0o500)
        let files = AuthorityFiles(folder: parent + "/authreel" + below)
        let error = #expect(throws: ProxyError.self) { try files.load(now: now) }
        guard case .authority(_, let reason) = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(reason == EACCES.systemReason)
        // One that is there needs no right to its parent.
        chmod(parent, 0o700)
        try files.makeFolder()
        chmod(parent, 0o500)
        defer { chmod(parent, 0o700) }
        #expect(try files.load(now: now).origin == .made)
    }

    @Test(arguments: [("ca.key", ""), ("ca.pem", ""), ("ca.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n")])
    func corruptFileIsNamedWithWhatIsWrong(name: String, contents: String) throws {
        let files = AuthorityFiles(folder: folder())
        _ = try files.load(now: now)
        let path = files.folder + "/" + name
        try Data(contents.utf8).write(to: URL(filePath: path))
        let error = #expect(throws: ProxyError.self) { try files.load(now: now) }
        guard case .authorityCorrupt(path, let reason) = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(contents.isEmpty ? reason.contains("empty") : !reason.isEmpty)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == contents)
    }

    @Test func pipeInPlaceOfTheKeyDoesNotKeepUsWaiting() throws {
        let files = AuthorityFiles(folder: folder())
        _ = try files.load(now: now)
        try FileManager.default.removeItem(atPath: files.folder + "/ca.key")
        mkfifo(files.folder + "/ca.key", 0o600)
        let error = #expect(throws: ProxyError.self) { try files.load(now: now) }
        #expect(error?.description.contains("is not a file") == true)
    }

    @Test func keyOfAnotherAuthorityIsNotUsed() throws {
        let files = AuthorityFiles(folder: folder())
        let other = AuthorityFiles(folder: folder())
        _ = try files.load(now: now)
        _ = try other.load(now: now)
        try FileManager.default.removeItem(atPath: files.certificatePath)
        try FileManager.default.copyItem(atPath: other.certificatePath, toPath: files.certificatePath)
        #expect(try files.load(now: now).origin == .madeInPlaceOfHalf(missing: nil))
    }

    @Test func unreadableKeyIsNamedAndNotReplaced() throws {
        let files = AuthorityFiles(folder: folder())
        _ = try files.load(now: now)
        let path = files.folder + "/ca.key"
        try Data("not a key".utf8).write(to: URL(filePath: path))
        let error = #expect(throws: ProxyError.self) { try files.load(now: now) }
        #expect(error?.description.hasPrefix(path) == true)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "not a key")
    }

    @Test func folderThatCannotBeMadeIsNamed() throws {
        try Data().write(to: URL(filePath: root))
        let error = #expect(throws: ProxyError.self) {
            try AuthorityFiles(folder: root + "/ca").load(now: now)
        }
        #expect(error?.description.hasPrefix(root) == true)
    }

    static let names: [(host: String, option: String)] = [
        ("login.example", "-verify_hostname"),
        ("127.0.0.1", "-verify_ip"),
        ("::1", "-verify_ip"),
        (String(repeating: "a.", count: 60) + "example", "-verify_hostname"),
    ]

    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"),
            "openssl is not installed"
        ),
        arguments: names.indices
    )
    func opensslAcceptsTheLeafForItsNameOnly(_ index: Int) async throws {
        let row = Self.names[index]
        let real = Timestamp(nanoseconds: Int64(Date().timeIntervalSince1970 * 1e9))
        let files = AuthorityFiles(folder: folder())
        let authority = try files.load(now: real).authority
        let key = try PrivateKey.generate(.elliptic(.p256))
        let leaf = try authority.leaf(for: LeafCertificates.name(of: row.host), key: key, now: real)
        let path = files.folder + "/leaf.crt"
        try leaf.pem.write(toFile: path, atomically: true, encoding: .utf8)
        let strict = ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", files.certificatePath]
        let good = try await ProxyRig.run(["/usr/bin/openssl"] + strict + [row.option, row.host, path])
        #expect(good.text.hasSuffix(": OK\n"), "\(good.text) \(good.error)")
        let wrong = row.option == "-verify_ip" ? "127.0.0.2" : "other.example"
        let bad = try await ProxyRig.run(["/usr/bin/openssl"] + strict + [row.option, wrong, path])
        #expect(bad.error.contains("mismatch"))
        // Back-dated by a day, at most 90 days long.
        #expect((leaf.notAfter - real.seconds) <= 90 * 86_400)
        let text = try await openssl("x509", "-in", path, "-noout", "-checkend", String(88 * 86_400))
        #expect(text.contains("will not expire"))
    }

    @Test func leafDoesNotOutliveTheAuthority() throws {
        let (authority, _) = try CertificateAuthority.make(now: now)
        let key = try PrivateKey.generate(.elliptic(.p256))
        let late = now + .seconds(350 * 86_400)
        let leaf = try authority.leaf(for: .host("a.example"), key: key, now: late)
        #expect(leaf.notAfter == authority.certificate.notAfter)
    }

    @Test func contextOfAHostIsMadeOnce() throws {
        let (authority, _) = try CertificateAuthority.make(now: now)
        let leaves = try LeafCertificates(authority: authority, keyLog: nil)
        let first = try leaves.context(for: "A.example", now: now)
        #expect(try leaves.context(for: "a.EXAMPLE", now: now) === first)
        #expect(try leaves.context(for: "b.example", now: now) !== first)
        #expect(try leaves.context(for: "a.example", now: now + .seconds(60 * 86_400)) !== first)
    }
}

struct HostPatternTests {
    @Test(arguments: [
        ("login.example", "LOGIN.example.", true), ("login.example", "a.login.example", false),
        ("*.example", "a.example", true), ("*.example", "a.b.example", true), ("*.example", "example", true),
        (".example", "a.example", true), ("*.example", "badexample", false), ("*.example", "", false),
        ("Login.Example.", "login.example", true), ("*.Example.", "a.example.", true),
        ("Login.Example.", "login.example.org", false),
    ])
    func patternMatches(_ pattern: String, _ host: String, _ matches: Bool) {
        #expect(HostPattern(pattern).matches(host) == matches)
    }

    @Test(arguments: [
        ("idp.example", true), ("*.idp.example", true), (".idp.example", true), ("::1", true), ("", false),
        ("*.", false), ("*", false), ("..idp.example", false), ("*..idp.example", false),
        ("idp.example:443", false),
    ])
    func textThatCanMatchNothingIsNone(_ text: String, _ isOne: Bool) {
        #expect(HostPattern.isOne(text) == isOne)
    }
}
