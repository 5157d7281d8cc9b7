import Foundation
import LibCrypto

/// Java's own format of key stores (JKS), for certificates alone: every Java reads it, and none has to be started to
/// write it.
enum JavaKeyStore {
    /// What it is sealed with; Java's default for its own.
    static let password = "changeit"

    /// A store that trusts these certificates.
    ///
    /// - Parameter certificates: in DER.
    /// - Returns: the file.
    static func bytes(trusting certificates: [[UInt8]]) -> [UInt8] {
        var store: [UInt8] = []
        func add(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number.bigEndian) { store += $0 } }
        func add(_ text: String) {
            add(UInt16(text.utf8.count))
            store += text.utf8
        }
        add(UInt32(0xfeed_feed))
        add(UInt32(2))
        add(UInt32(certificates.count))
        for (index, certificate) in certificates.enumerated() {
            let trustedCertificate: UInt32 = 2
            add(trustedCertificate)
            add("authority-\(index)")
            // When it was put there, in milliseconds since 1970: nobody asks.
            let time: Int64 = 0
            add(time)
            add("X.509")
            add(UInt32(certificate.count))
            store += certificate
        }
        let seal =
            password.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] } + Array("Mighty Aphrodite".utf8)
        return store + Digest.of(seal + store, .sha1)
    }
}
