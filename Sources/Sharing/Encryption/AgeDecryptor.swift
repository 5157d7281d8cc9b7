/// Decrypts a file of age's (c2sp.org/age, version 1), binary or armored, as it comes, in pieces of any size.
///
/// Does no IO. Holds 64 KiB of the file at most, beside its header and what is pushed. The text of each piece is genuine when
/// it is given, but only ``finish(into:)`` tells that all of it was there.
package struct AgeDecryptor {
    private let unlock: (AgeHeader) throws -> AgeFileKey
    /// Nil for a binary file, and before the first byte.
    private var armor: AgeArmorDecoder?
    private var header: AgeHeaderDecoder? = AgeHeaderDecoder()
    private var payload: AgePayloadDecryptor?
    private var isBegun = false

    /// - Parameter unlock: finds the key to a header, by ``AgeHeader/fileKey(identities:)`` or
    ///   ``AgeHeader/fileKey(passphrase:)``; called once. What it throws is passed on.
    package init(unlock: @escaping (AgeHeader) throws -> AgeFileKey) {
        self.unlock = unlock
    }

    /// Appends what can be decrypted.
    ///
    /// - Throws: ``AgeError``, or what the closure threw. Nothing may be pushed after an error.
    package mutating func push(_ bytes: ArraySlice<UInt8>, into text: inout [UInt8]) throws {
        guard let first = bytes.first else { return }
        if !isBegun {
            // The armor begins with a hyphen, or with white space.
            armor = first == AgeFile.introduction.first ? nil : AgeArmorDecoder()
            isBegun = true
        }
        guard armor != nil else { return try pushBinary(bytes, into: &text) }
        var binary: [UInt8] = []
        try armor?.push(bytes, into: &binary)
        try pushBinary(binary[...], into: &text)
    }

    /// Appends the rest.
    ///
    /// - Throws: ``AgeError`` when the file is not whole; no part of the text is to be used then.
    package mutating func finish(into text: inout [UInt8]) throws {
        if armor != nil {
            var binary: [UInt8] = []
            try armor?.finish(into: &binary)
            try pushBinary(binary[...], into: &text)
        }
        guard payload != nil else { throw AgeError.headerCutOff }
        try payload?.finish(into: &text)
    }

    private mutating func pushBinary(_ bytes: ArraySlice<UInt8>, into text: inout [UInt8]) throws {
        var rest = bytes
        if let header = try header?.push(&rest) {
            payload = AgePayloadDecryptor(fileKey: try unlock(header))
            self.header = nil
        }
        try payload?.push(rest, into: &text)
    }
}
