import ArgumentParser
import Foundation
import LibCrypto
import TestSupport
import Testing

@testable import authreel

struct ClientCertificateOptionsTests {
    /// A self-signed certificate with its key, in PEM.
    private static func pem(_ name: String) throws -> (text: String, thumbprint: [UInt8]) {
        let key = try PrivateKey.generate(.elliptic(.p256))
        let now = Int64(Date().timeIntervalSince1970)
        let certificate = try CertificateIssuer.authority(
            commonName: name,
            key: key,
            validity: .init(notBefore: now - 60, notAfter: now + 3600)
        )
        return (certificate.pem + key.pem, Digest.of(certificate.der))
    }

    private func certificates(_ arguments: [String]) throws -> ClientCertificates {
        try ClientCertificateOptions.parse(arguments).certificates()
    }

    @Test func whatSaysMostAboutAHostCounts() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let places = [
            "*.example", "*.login.example", "*.login.example:8443", "a.login.example", "a.login.example:8443",
            "[::1]:9443", "127.0.0.1",
        ]
        var arguments: [String] = []
        var thumbprints: [String: [UInt8]] = [:]
        for (index, place) in places.enumerated() {
            let (text, thumbprint) = try Self.pem("\(index)")
            let path = folder.file("a=\(index).pem")
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            arguments += ["--client-cert", "\(place)=\(path)"]
            thumbprints[place] = thumbprint
        }
        let found = try certificates(arguments)
        for (host, port, place) in [
            ("a.login.example", 8443, "a.login.example:8443"), ("A.Login.Example", 443, "a.login.example"),
            ("b.login.example", 8443, "*.login.example:8443"), ("b.login.example", 443, "*.login.example"),
            ("example", 443, "*.example"), ("c.example.", 1, "*.example"), ("::1", 9443, "[::1]:9443"),
            ("127.0.0.1", 1, "127.0.0.1"),
        ] {
            let key = found.certificate(for: host, port: port)
            #expect(key?.thumbprint == thumbprints[place], "\(host):\(port)")
        }
        for (host, port) in [("::1", 9444), ("login.test", 443), ("badexample", 443), ("127.0.0.2", 1)] {
            #expect(found.certificate(for: host, port: port) == nil, "\(host):\(port)")
        }
    }

    @Test func passphraseComesFromWhereItIsKept() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (text, _) = try Self.pem("x")
        try text.write(toFile: folder.file("x.pem"), atomically: true, encoding: .utf8)
        let locked = try Program.run(
            ["pkcs12", "-export", "-in", "x.pem", "-out", "x.p12", "-passout", "pass:so secret"],
            executable: "/usr/bin/openssl",
            in: folder.path
        )
        #expect(locked.status == 0, "\(locked.errors)")
        try "so secret\n".write(toFile: folder.file("passphrase"), atomically: true, encoding: .utf8)
        let option = ["--client-cert", "IDP.example:8443=\(folder.file("x.p12"))"]
        let found = try certificates(
            option + ["--client-cert-passphrase", "idp.example:8443=file:\(folder.file("passphrase"))"]
        )
        #expect(found.certificate(for: "idp.example", port: 8443) != nil)
        let missing = #expect(throws: CommandFailure.self) { try certificates(option) }
        #expect(missing?.hint?.contains("--client-cert-passphrase IDP.example:8443=prompt") == true)
        try "other".write(toFile: folder.file("passphrase"), atomically: true, encoding: .utf8)
        let wrong = #expect(throws: CommandFailure.self) {
            try certificates(
                option + ["--client-cert-passphrase", "idp.example:8443=file:\(folder.file("passphrase"))"]
            )
        }
        #expect(wrong?.message.contains("the passphrase is not the right one") == true)
    }

    static let mistakes: [(arguments: [String], words: String)] = [
        (["--client-cert", "client.pem"], "takes HOST=FILE"),
        (["--client-cert", "idp.example="], "takes HOST=FILE"),
        (["--client-cert", "https://idp.example=FILE"], "takes a host, not https://idp.example"),
        (["--client-cert", "idp.example:0=FILE"], "takes a host"),
        (["--client-cert", "*=FILE"], "takes a host"),
        (["--client-cert", "idp.example=/no/such/file"], "/no/such/file: no such file"),
        (
            ["--client-cert", "idp.example=FILE", "--client-cert", "IDP.example=FILE"],
            "names IDP.example twice"
        ),
        (["--client-cert-passphrase", "idp.example=env:X"], "is for no --client-cert"),
        (
            ["--client-cert", "idp.example=FILE", "--client-cert-passphrase", "idp.example=secret"],
            "--client-cert-passphrase idp.example says where the secret is"
        ),
        (
            [
                "--client-cert", "idp.example=FILE", "--client-cert-passphrase",
                "idp.example=env:AUTHREEL_UNSET_X",
            ],
            "the environment has no variable AUTHREEL_UNSET_X"
        ),
    ]

    @Test(arguments: mistakes.indices) func mistakesAreNamed(_ index: Int) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let path = folder.file("client.pem")
        try Self.pem("x").text.write(toFile: path, atomically: true, encoding: .utf8)
        let (arguments, words) = Self.mistakes[index]
        let error = #expect(throws: CommandFailure.self) {
            try certificates(arguments.map { $0.replacing("=FILE", with: "=\(path)") })
        }
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "none")")
    }
}
