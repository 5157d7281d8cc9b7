import Captures
import Sharing

/// Reads files of age identities.
enum IdentityFile {
    /// What one holds, for whoever names one that cannot be read.
    static let use = "an identity is a file as age-keygen writes it"

    /// The identities in a file as age-keygen writes it; it may be encrypted with a passphrase itself.
    ///
    /// - Parameters:
    ///   - path: a file, or a pipe of the shell.
    ///   - prompt: asked where the file is encrypted.
    /// - Returns: one at least.
    /// - Throws: ``CommandFailure`` that never repeats what is in the file.
    static func identities(at path: String, prompt: PassphrasePrompt) throws -> [AgeIdentity] {
        var bytes = try InputFile.bytes(path, for: use)
        if AgeFile.isBegun(by: bytes) {
            bytes = try EncryptedCapture(CaptureSource(bytes: bytes), name: path).text(prompt: prompt) {
                throw CommandFailure(
                    .dataError,
                    "\(path): an identity file that is itself encrypted for a key, not with a passphrase",
                    hint: "age -d -i KEY \(path) > FILE, and --identity FILE"
                )
            }
        }
        do {
            return try AgeIdentity.all(in: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw CommandFailure(error, in: path)
        }
    }
}
