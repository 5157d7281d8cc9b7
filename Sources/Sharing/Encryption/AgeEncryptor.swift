/// Encrypts in the age format (c2sp.org/age, version 1), as the text comes, in pieces of any size.
///
/// Does no IO. Holds 64 KiB of the text at most, beside what is pushed.
package struct AgeEncryptor {
    /// Header and nonce, until they are written.
    private var beginning: [UInt8]
    private var payload: AgePayloadEncryptor

    /// - Parameters:
    ///   - recipients: each of them can open the file; a passphrase is alone.
    ///   - random: as many random bytes as it is asked for, fit for keys.
    /// - Throws: ``AgeError`` when there is no recipient, one that is no key, a passphrase beside others, or not enough
    ///   memory for scrypt.
    package init(to recipients: [AgeRecipient], random: (Int) -> [UInt8]) throws(AgeError) {
        guard !recipients.isEmpty else { throw .noRecipients }
        // What is written here is read here.
        guard recipients.count <= AgeHeaderDecoder.maximumStanzas else { throw .tooManyRecipients }
        guard recipients.count == 1 || !recipients.contains(where: \.isPassphrase) else {
            throw .passphraseBesideRecipients
        }
        let key = AgeFileKey(random: random)
        var stanzas: [AgeHeader.Stanza] = []
        for recipient in recipients {
            stanzas.append(try recipient.stanza(wrapping: key, random: random))
        }
        let nonce = random(AgePayload.nonceSize)
        beginning = try AgeHeader(stanzas: stanzas, key: key).bytes + nonce
        payload = AgePayloadEncryptor(key: try key.payloadKey(nonce: nonce))
    }

    /// Appends what can be encrypted.
    package mutating func push(_ text: ArraySlice<UInt8>, into file: inout [UInt8]) throws(AgeError) {
        takeBeginning(into: &file)
        try payload.push(text, into: &file)
    }

    /// Appends the end, once; a file without it opens nowhere.
    package mutating func finish(into file: inout [UInt8]) throws(AgeError) {
        takeBeginning(into: &file)
        try payload.finish(into: &file)
    }

    private mutating func takeBeginning(into file: inout [UInt8]) {
        file += beginning
        beginning = []
    }
}
