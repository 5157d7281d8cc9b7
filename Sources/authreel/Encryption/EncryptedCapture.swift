import Captures
import Sharing

/// A capture that is encrypted with age (c2sp.org/age), opened in memory.
///
/// What is decrypted is written to no disk by this program: it is decrypted into memory, read there, and gone with the
/// process. So it has to fit there, and whatever the system does with memory (swap space, hibernation, a core dump) it may
/// do with the text, too.
struct EncryptedCapture {
    private static let windowSize = 1 << 20

    private let source: CaptureSource
    private let name: String

    /// `name` stands for the path in what is asked and in errors.
    init(_ source: CaptureSource, name: String) {
        self.source = source
        self.name = name
    }

    /// The capture's text, all of it genuine.
    ///
    /// - Parameters:
    ///   - prompt: asked where the capture opens with a passphrase.
    ///   - identities: asked for otherwise.
    /// - Returns: what was encrypted, whatever it is.
    /// - Throws: ``CommandFailure`` when it does not open, or not to its end.
    func text(prompt: PassphrasePrompt, identities: () throws -> [AgeIdentity]) throws -> [UInt8] {
        try withoutActuallyEscaping(identities) { identities in
            var decryptor = AgeDecryptor { header in
                header.wantsPassphrase
                    ? try header.fileKey(passphrase: prompt.passphrase(of: name))
                    : try header.fileKey(identities: identities())
            }
            var text: [UInt8] = []
            text.reserveCapacity(source.size)
            do {
                var offset = 0
                while offset < source.size {
                    let window = source.bytes(at: offset, count: Self.windowSize)
                    // The file has become shorter meanwhile.
                    guard !window.isEmpty else { break }
                    try decryptor.push(window[...], into: &text)
                    offset += window.count
                }
                try decryptor.finish(into: &text)
            } catch let error as AgeError {
                throw CommandFailure(error, in: name)
            }
            return text
        }
    }
}
