import ArgumentParser
import Captures
import Foundation
import LibCrypto
import Reports
import Sharing

/// For whom a capture is encrypted.
struct EncryptionOptions: ParsableArguments {
    @Option(
        name: .customLong("encrypt-to"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Encrypt the capture in the age format for this recipient. Repeatable.",
            discussion:
                "age1…, a file with a recipient a line, or the word passphrase, which asks for one. age opens it, and authreel show.",
            valueName: "RECIPIENT"
        )
    )
    var encryptTo: [String] = []

    /// The word that stands for a passphrase; a file of this name is `./passphrase`.
    static let passphraseWord = "passphrase"

    /// Whether anything is to be encrypted.
    var isWanted: Bool { !encryptTo.isEmpty }

    /// The recipients, each once; a passphrase is asked for here, so call it before the work begins.
    ///
    /// - Parameters:
    ///   - prompt: asks for the passphrase.
    ///   - file: the bytes of a file; nil where there is none.
    /// - Returns: none where nothing is to be encrypted.
    /// - Throws: ``CommandFailure`` for the first that is none.
    func recipients(
        prompt: PassphrasePrompt = .terminal,
        file: (String) throws -> [UInt8]? = Self.file
    ) throws -> [AgeRecipient] {
        if encryptTo.contains(Self.passphraseWord), encryptTo.count > 1 {
            throw CommandFailure(AgeError.passphraseBesideRecipients)
        }
        return try encryptTo.flatMap { text in
            text == Self.passphraseWord
                ? [.passphrase(try prompt.newPassphrase())] : try Self.recipients(text, file)
        }.eachOnce()
    }

    /// A sink before another one: what is written to it arrives encrypted.
    ///
    /// - Parameters:
    ///   - recipients: of ``recipients(prompt:)``.
    ///   - sink: where the file goes.
    /// - Returns: the sink; nil where nothing is to be encrypted. End it with `finish()`: a file without its end opens nowhere.
    /// - Throws: ``CommandFailure`` for recipients that cannot be.
    static func writer(to recipients: [AgeRecipient], into sink: @escaping AgeWriter.Sink) throws
        -> AgeWriter?
    {
        guard !recipients.isEmpty else { return nil }
        do {
            return try AgeWriter(to: recipients, random: { SecureRandom.bytes($0) }, into: sink)
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func recipients(_ text: String, _ file: (String) throws -> [UInt8]?) throws
        -> [AgeRecipient]
    {
        let wrong: AgeError
        do {
            // First: a file of that name, put there by somebody else, must not choose who can read.
            return [try AgeRecipient(text)]
        } catch {
            wrong = error
        }
        guard let bytes = try file(text) else {
            // An identity that was given by mistake is not repeated.
            let isSecret = text.uppercased().hasPrefix("AGE-SECRET-KEY-")
            throw CommandFailure(
                wrong,
                in: isSecret ? "--encrypt-to" : "--encrypt-to \(text.printable.shortened(to: 80))"
            )
        }
        do {
            return try AgeRecipient.all(in: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw CommandFailure(error, in: text)
        }
    }

    private static func file(_ path: String) throws -> [UInt8]? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return try InputFile.bytes(path, for: "--encrypt-to takes a key, or a file of keys")
    }
}
