import Foundation
import TestSupport

/// An authority and certificates made by the program `openssl`, as users make theirs.
struct OpenSSLCertificates {
    private let folder: TemporaryFolder
    /// Its certificate, PEM.
    let authority: String

    struct Failure: Error {
        var errors: String
    }

    init() throws {
        folder = try TemporaryFolder()
        try Self.run(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                "2",
                "-subj", "/CN=openssl authority", "-keyout", "ca.key", "-out", "ca.pem",
            ],
            in: folder
        )
        authority = try String(contentsOfFile: folder.file("ca.pem"), encoding: .utf8)
    }

    /// A certificate of the authority's for a name, as common name and for servers, with its key; both PEM.
    func leaf(_ name: String, digest: String = "-sha256", key: [String] = ["rsa:2048"]) throws -> (
        chain: String, key: String
    ) {
        let file = UUID().uuidString
        try "subjectAltName=DNS:\(name)\n".write(
            toFile: folder.file("\(file).ext"),
            atomically: true,
            encoding: .utf8
        )
        try Self.run(
            ["req", "-newkey"] + key
                + ["-nodes", "-subj", "/CN=\(name)", "-keyout", "\(file).key", "-out", "\(file).csr"],
            in: folder
        )
        try Self.run(
            [
                "x509", "-req", digest, "-days", "1", "-in", "\(file).csr", "-CA", "ca.pem", "-CAkey",
                "ca.key",
                "-set_serial", "\(UInt32.random(in: 1...UInt32.max))", "-extfile", "\(file).ext", "-out",
                "\(file).pem",
            ],
            in: folder
        )
        return (
            try String(contentsOfFile: folder.file("\(file).pem"), encoding: .utf8),
            try String(contentsOfFile: folder.file("\(file).key"), encoding: .utf8)
        )
    }

    func remove() { folder.remove() }

    private static func run(_ arguments: [String], in folder: TemporaryFolder) throws {
        let result = try Program.run(arguments, executable: OpenSSLServer.program, in: folder.path)
        guard result.status == 0 else { throw Failure(errors: result.errors) }
    }
}
