internal import Captures
package import LibCrypto

/// Which authority it is, and what it is called in the stores of a machine.
///
/// Its names hold the beginning of its fingerprint: authorities of one day share their subject.
package struct AuthorityIdentity: Sendable, Hashable {
    /// The certificate in DER.
    package let der: [UInt8]
    /// SHA-256 of the certificate, 64 hexadecimal digits in lower case.
    package let fingerprint: String
    /// The first 16 digits.
    package let short: String

    package init(der: [UInt8]) {
        self.der = der
        fingerprint = Hexadecimal.encode(Digest.of(der))
        short = String(fingerprint.prefix(16))
    }

    package init(_ certificate: Certificate) { self.init(der: certificate.der) }

    private init(shownAs name: String) {
        der = []
        fingerprint = name
        short = name
    }

    /// Stands for an authority that is yet to be made, where a plan is only shown.
    package static let yetToBeMade = AuthorityIdentity(shownAs: "NEW")

    /// What begins every file name and alias of ours.
    static let prefix = "authreel-"

    /// The file in the system's folder; Debian takes those that end in `.crt` only.
    var fileName: String { "\(Self.prefix)\(short).crt" }
    /// The nickname in an NSS database.
    var nickname: String { "authreel \(short)" }
    /// The alias in a Java keystore.
    var alias: String { "\(Self.prefix)\(short)" }

    /// The certificate as it stands in a bundle of PEM blocks: base64 in lines of 64 characters.
    var bundleText: String {
        let blocks = (try? Certificate(der: der))?.pem.split(separator: "\n") ?? []
        return blocks.filter { !$0.hasPrefix("-----") }.joined(separator: "\n")
    }
}
