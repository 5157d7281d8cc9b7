import Foundation
import LibCrypto
import TestSupport
import Testing

/// Certificates with their keys in files as `openssl` and others write them.
struct CertifiedKeyTests {
    /// A folder in which `openssl` has made an authority, a certificate of it, and their keys.
    private struct Made {
        let folder: TemporaryFolder

        init(_ key: [String] = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]) throws {
            folder = try TemporaryFolder()
            let name = ["-nodes", "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem"]
            try openssl(["req", "-x509", "-newkey"] + key + name)
            try openssl(
                ["req", "-newkey"] + key + [
                    "-nodes", "-subj", "/CN=client", "-keyout", "c.key", "-out", "c.csr",
                ]
            )
            try openssl([
                "x509", "-req", "-in", "c.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-set_serial", "7",
                "-out",
                "c.pem",
            ])
        }

        func openssl(_ arguments: [String]) throws {
            let result = try Program.run(arguments, executable: "/usr/bin/openssl", in: folder.path)
            try #require(result.status == 0, "openssl \(arguments): \(result.errors)")
        }

        func bytes(_ names: String...) throws -> [UInt8] {
            try names.flatMap { try Array(Data(contentsOf: URL(filePath: folder.file($0)))) }
        }
    }

    private func subjects(_ key: CertifiedKey) -> [String] { key.chain.map(\.subject) }

    @Test(arguments: [["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], ["rsa:2048"], ["ed25519"]])
    func partsOfPEMMayStandInAnyOrder(_ kind: [String]) throws {
        let made = try Made(kind)
        defer { made.folder.remove() }
        for order in [
            try made.bytes("c.pem", "ca.pem", "c.key"), try made.bytes("c.key", "c.pem", "ca.pem"),
            try made.bytes("ca.pem", "c.key", "c.pem"),
            Array("Bag Attributes\n    friendlyName: x\n".utf8)
                + (try made.bytes("c.pem", "ca.pem", "c.key")),
        ] {
            let key = try CertifiedKey(file: order, passphrase: nil)
            #expect(subjects(key) == ["CN=client", "CN=authority"])
            #expect(key.certificate.belongs(to: key.key))
            #expect(key.thumbprint == Digest.of(key.certificate.der))
        }
    }

    @Test(arguments: [
        ["pkcs8", "-topk8", "-v2", "aes-256-cbc"], ["pkcs8", "-topk8", "-scrypt"], ["ec", "-aes256"],
    ])
    func encryptedKeyTakesItsPassphrase(_ command: [String]) throws {
        let made = try Made()
        defer { made.folder.remove() }
        try made.openssl(command + ["-in", "c.key", "-out", "locked.key", "-passout", "pass:so secret"])
        let file = try made.bytes("c.pem", "locked.key")
        #expect(try subjects(CertifiedKey(file: file, passphrase: "so secret")) == ["CN=client"])
        #expect(throws: CertifiedKeyError.wrongPassphrase) { try CertifiedKey(file: file, passphrase: "x") }
        #expect(throws: CertifiedKeyError.wrongPassphrase) {
            try CertifiedKey(file: file, passphrase: String(repeating: "x", count: 10_000))
        }
        #expect(throws: CertifiedKeyError.passphraseNeeded) { try CertifiedKey(file: file, passphrase: nil) }
    }

    @Test func keyThatIsNotEncryptedNeedsNone() throws {
        let made = try Made()
        defer { made.folder.remove() }
        let key = try CertifiedKey(file: try made.bytes("c.pem", "c.key"), passphrase: "not needed")
        #expect(subjects(key) == ["CN=client"])
    }

    @Test func pkcs12TakesItsPassphrase() throws {
        let made = try Made()
        defer { made.folder.remove() }
        let export = ["pkcs12", "-export", "-inkey", "c.key", "-in", "c.pem", "-certfile", "ca.pem"]
        try made.openssl(export + ["-out", "c.p12", "-passout", "pass:so secret"])
        let file = try made.bytes("c.p12")
        let key = try CertifiedKey(file: file, passphrase: "so secret")
        #expect(subjects(key) == ["CN=client", "CN=authority"])
        #expect(throws: CertifiedKeyError.wrongPassphrase) { try CertifiedKey(file: file, passphrase: "x") }
        #expect(throws: CertifiedKeyError.passphraseNeeded) { try CertifiedKey(file: file, passphrase: nil) }
        try made.openssl(export + ["-out", "open.p12", "-passout", "pass:"])
        #expect(
            try subjects(CertifiedKey(file: try made.bytes("open.p12"), passphrase: nil))
                == ["CN=client", "CN=authority"]
        )
        try made.openssl([
            "pkcs12", "-export", "-nokeys", "-in", "c.pem", "-out", "no.p12", "-passout", "pass:",
        ])
        #expect(throws: CertifiedKeyError.noPrivateKey) {
            try CertifiedKey(file: try made.bytes("no.p12"), passphrase: nil)
        }
    }

    @Test func pkcs12OfOldSaysWhatItIs() throws {
        let made = try Made()
        defer { made.folder.remove() }
        try made.openssl([
            "pkcs12", "-export", "-legacy", "-inkey", "c.key", "-in", "c.pem", "-out", "old.p12", "-passout",
            "pass:x",
        ])
        let file = try made.bytes("old.p12")
        let error = #expect(throws: CertifiedKeyError.self) { try CertifiedKey(file: file, passphrase: "x") }
        guard case .unreadable(let reason)? = error, reason.contains("unsupported") else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func whatIsMissingIsNamed() throws {
        let made = try Made()
        defer { made.folder.remove() }
        func error(_ bytes: [UInt8]) -> CertifiedKeyError? {
            #expect(throws: CertifiedKeyError.self) { try CertifiedKey(file: bytes, passphrase: nil) }
        }
        #expect(error(try made.bytes("c.pem")) == .noPrivateKey)
        #expect(error(try made.bytes("c.key")) == .noCertificate)
        #expect(error(try made.bytes("c.pem", "ca.key")) == .keyDoesNotFit(subject: "CN=client"))
        #expect(error(Array("client certificate".utf8)) == .notACertificate)
        #expect(error([]) == .notACertificate)
        var damaged = try made.bytes("c.pem", "c.key")
        damaged[60] = 0x21
        guard case .unreadable? = error(damaged) else {
            Issue.record("a damaged certificate is read")
            return
        }
    }

    @Test func hostileBytesNeverTrap() throws {
        let made = try Made()
        defer { made.folder.remove() }
        try made.openssl([
            "pkcs12", "-export", "-inkey", "c.key", "-in", "c.pem", "-out", "c.p12", "-passout", "pass:x",
            "-iter", "1", "-maciter",
        ])
        var random = SeededGenerator(seed: 8705)
        for file in [try made.bytes("c.p12"), try made.bytes("c.pem", "c.key")] {
            for _ in 0..<300 {
                var bytes = Array(file.prefix(Int.random(in: 1...file.count, using: &random)))
                let index = Int.random(in: 0..<bytes.count, using: &random)
                bytes[index] = UInt8.random(in: 0...255, using: &random)
                _ = try? CertifiedKey(file: bytes, passphrase: "x")
            }
        }
    }
}
