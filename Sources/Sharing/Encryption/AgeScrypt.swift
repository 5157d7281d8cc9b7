import Captures
import LibCrypto

/// The `scrypt` stanza: the file's key for whoever knows a passphrase.
package enum AgeScrypt {
    static let type = "scrypt"
    private static let label = Array("age-encryption.org/v1/scrypt".utf8)
    private static let saltSize = 16

    /// What is written: as age does, about a second and 256 MiB.
    package static let logN = 18

    /// The most that is accepted of a file: 1 GiB, and some seconds.
    ///
    /// The number is the sender's, and whoever opens a file pays for it. age's own limit is 22, which is 4 GiB; age writes 18,
    /// others what takes them about a second.
    package static let maximumLogN = 20

    /// - Parameters:
    ///   - key: the file's.
    ///   - passphrase: not empty.
    ///   - logN: the binary logarithm of the work factor.
    ///   - random: gives the salt.
    /// - Returns: the stanza, which has to be the only one.
    /// - Throws: ``AgeError`` when there is no passphrase, or not enough memory.
    static func stanza(
        wrapping key: AgeFileKey,
        passphrase: String,
        logN: Int,
        random: (Int) -> [UInt8]
    ) throws(AgeError) -> AgeHeader.Stanza {
        guard !passphrase.isEmpty else { throw .emptyPassphrase }
        let salt = random(saltSize)
        return AgeHeader.Stanza(
            type: type,
            arguments: [String(decoding: AgeHeader.base64(salt), as: UTF8.self), String(logN)],
            body: try key.wrapped(by: wrappingKey(of: passphrase, salt: salt, logN: logN))
        )
    }

    /// The key in a stanza of this type.
    static func fileKey(in stanza: AgeHeader.Stanza, passphrase: String) throws(AgeError) -> AgeFileKey {
        guard stanza.arguments.count == 2,
            let salt = Base64.decodeStrictly(Array(stanza.arguments[0].utf8)[...], isPadded: false),
            salt.count == saltSize
        else { throw .malformedStanza(type: type, expected: "a salt of \(saltSize) bytes and a work factor") }
        let logN = try workFactor(stanza.arguments[1])
        guard stanza.body.count == AgeFileKey.wrappedSize else {
            throw .malformedStanza(type: type, expected: "a body of \(AgeFileKey.wrappedSize) bytes")
        }
        guard !passphrase.isEmpty else { throw .emptyPassphrase }
        let wrapping = try wrappingKey(of: passphrase, salt: salt, logN: logN)
        guard let key = AgeFileKey(unwrapping: stanza.body, by: wrapping) else { throw .wrongPassphrase }
        return key
    }

    /// Digits alone, the first of them not 0.
    private static func workFactor(_ text: String) throws(AgeError) -> Int {
        let digits = text.utf8
        guard let first = digits.first, (0x31...0x39).contains(first),
            digits.allSatisfy({ $0.isASCIIDigit })
        else {
            throw .malformedStanza(type: type, expected: "a work factor in digits, the first of them not 0")
        }
        guard digits.count <= 4, let logN = Int(text) else { throw .workFactorTooHigh(logN: 9999) }
        guard logN <= maximumLogN else { throw .workFactorTooHigh(logN: logN) }
        return logN
    }

    private static func wrappingKey(of passphrase: String, salt: [UInt8], logN: Int) throws(AgeError)
        -> [UInt8]
    {
        do {
            return try KeyDerivation.scrypt(
                Array(passphrase.utf8),
                salt: label + salt,
                cost: KeyDerivation.ScryptCost(logN: logN, blockSize: 8, parallelization: 1),
                length: AuthenticatedCipher.keySize
            )
        } catch {
            throw .cryptography("\(error)")
        }
    }
}
