/// Encrypts what is written to it and hands it on: a sink of bytes before another one.
///
/// Memory stays the same however much is written. Where writing ends early, by an error, ``finish()`` is not called: what
/// was handed on until then opens nowhere.
package final class AgeWriter {
    /// Takes bytes, in order, and keeps none of them.
    package typealias Sink = (ArraySlice<UInt8>) throws -> Void

    /// So much is encrypted at once.
    private static let portion = 1 << 20

    private var encryptor: AgeEncryptor
    private let sink: Sink
    private var isFinished = false

    /// - Parameters:
    ///   - recipients: who can open it.
    ///   - random: as many random bytes as it is asked for, fit for keys.
    ///   - sink: where the encrypted file goes.
    /// - Throws: ``AgeError`` for recipients that cannot be; nothing was handed on then.
    package init(
        to recipients: [AgeRecipient],
        random: (Int) -> [UInt8],
        into sink: @escaping Sink
    ) throws(AgeError) {
        encryptor = try AgeEncryptor(to: recipients, random: random)
        self.sink = sink
    }

    /// Encrypts the next bytes.
    ///
    /// - Throws: what the sink throws.
    package func write(_ bytes: ArraySlice<UInt8>) throws {
        precondition(!isFinished, "nothing is written behind the end")
        var rest = bytes
        while !rest.isEmpty {
            var encrypted: [UInt8] = []
            try encryptor.push(rest.prefix(Self.portion), into: &encrypted)
            if !encrypted.isEmpty { try sink(encrypted[...]) }
            rest = rest.dropFirst(Self.portion)
        }
    }

    /// Ends the file; once.
    package func finish() throws {
        precondition(!isFinished, "a file ends once")
        isFinished = true
        var encrypted: [UInt8] = []
        try encryptor.finish(into: &encrypted)
        try sink(encrypted[...])
    }
}
