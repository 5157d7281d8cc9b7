/// Why a file could not be encrypted or decrypted in the age format.
package enum AgeError: Error, Equatable, CustomStringConvertible {
    // MARK: The file

    /// The header begins as one of age's, of another version than 1.
    case unsupportedVersion(String)
    /// A line of the header (from 1) is not as it should be.
    case malformedHeader(line: Int, expected: String)
    /// The header is longer than ``AgeHeaderDecoder/maximumBytes``.
    case headerTooLong
    /// There are more stanzas than ``AgeHeaderDecoder/maximumStanzas``.
    case tooManyStanzas
    /// A passphrase's stanza stands beside others: whoever opens the file by it could not tell who else wrote it.
    case passphraseBesideOthers
    /// A stanza of a known type is not as its type wants it.
    case malformedStanza(type: String, expected: String)
    /// The passphrase's stanza asks for more work than ``AgeScrypt/maximumLogN``.
    case workFactorTooHigh(logN: Int)
    /// The share of a stanza, or a recipient, is a point of small order: what is encrypted with it is secret to nobody.
    case smallOrderShare
    /// A line of the armor (from 1) is not as it should be.
    case malformedArmor(line: Int, expected: String)
    /// The file ends before its header does.
    case headerCutOff
    /// The file ends between two pieces of its payload.
    case payloadCutOff
    /// The armor ends without its last line.
    case armorCutOff
    /// The header is not the one that was written with the file's key.
    case headerChanged
    /// A piece of the payload (from 1) does not open.
    case payloadChanged(piece: Int)
    /// The payload's last piece is empty, and is not the only one.
    case emptyLastPiece
    /// Something follows the end of the encrypted file.
    case trailingData

    // MARK: Who opens it

    /// Nobody said by which identity; the types of the header's stanzas.
    case noIdentity(types: [String])
    /// None of the identities opens any stanza; their recipients.
    case noMatch(types: [String], recipients: [String])
    case wrongPassphrase
    /// A line of an identity file (from 1) is none.
    case notAnIdentity(line: Int, reason: String)
    /// An identity file without any that could be used; what was in it.
    case noUsableIdentity(found: [String])

    // MARK: For whom it is

    /// The line of a file (from 1), or nil where it came alone.
    case notARecipient(line: Int?, reason: String)
    case noRecipients
    case tooManyRecipients
    /// A passphrase is wanted beside other recipients.
    case passphraseBesideRecipients
    case emptyPassphrase

    // MARK: The machine

    /// libcrypto's words: for scrypt, mostly that there is not so much memory.
    case cryptography(String)

    package var description: String {
        switch self {
        case .unsupportedVersion(let version):
            "encrypted with age's format \(version); version v1 is read here"
        case .malformedHeader(let line, let expected): "line \(line) of age's header: expected \(expected)"
        case .headerTooLong:
            "age's header is longer than \(AgeHeaderDecoder.maximumBytes >> 10) KiB"
        case .tooManyStanzas:
            "age's header names more than \(AgeHeaderDecoder.maximumStanzas) recipients"
        case .passphraseBesideOthers: "encrypted with a passphrase and for others besides, which age forbids"
        case .malformedStanza(let type, let expected):
            "the \(type) stanza of age's header: expected \(expected)"
        case .workFactorTooHigh(let logN):
            "its passphrase takes scrypt with a work factor of 2^\(logN); 2^\(AgeScrypt.maximumLogN) is the most that is accepted"
        case .smallOrderShare: "encrypted with a key that keeps nothing secret"
        case .malformedArmor(let line, let expected): "line \(line) of age's armor: expected \(expected)"
        case .headerCutOff: "cut off in age's header"
        case .payloadCutOff: "cut off: the end of the encrypted text is missing"
        case .armorCutOff: "cut off: the last line of age's armor is missing"
        case .headerChanged: "age's header was changed after the file was encrypted"
        case .payloadChanged(let piece):
            "piece \(piece) of the encrypted text does not open: it was changed, or cut off"
        case .emptyLastPiece:
            "the encrypted text ends with an empty piece, as nothing that encrypts leaves it"
        case .trailingData: "something follows the end of the encrypted text"
        case .noIdentity(let types): "encrypted for \(Self.list(types)), and no identity is given"
        case .noMatch(let types, let recipients):
            "encrypted for \(Self.list(types)): \(recipients.count == 1 ? "the identity does" : "the \(recipients.count) identities do") not open it"
        case .wrongPassphrase: "not the passphrase that the file was encrypted with"
        case .notAnIdentity(let line, let reason): "line \(line) is no age identity: it \(reason)"
        case .noUsableIdentity(let found):
            found.isEmpty
                ? "no age identity in it" : "no identity in it that can be used here, but \(Self.list(found))"
        case .notARecipient(let line, let reason):
            "\(line.map { "line \($0) is no" } ?? "not an") age recipient: it \(reason)"
        case .noRecipients: "no age recipient in it"
        case .tooManyRecipients: "more than \(AgeHeaderDecoder.maximumStanzas) recipients"
        case .passphraseBesideRecipients: "a file opens with a passphrase, or for recipients, not both"
        case .emptyPassphrase: "no passphrase was given"
        case .cryptography(let reason): reason
        }
    }

    /// What to do next.
    package var hint: String {
        switch self {
        case .unsupportedVersion: "a newer age may open it: age -d -i KEY FILE"
        case .malformedHeader, .malformedArmor, .headerCutOff, .payloadCutOff, .armorCutOff, .headerChanged,
            .payloadChanged, .trailingData:
            "get the file once more, as an attachment or by another way that changes no byte of it"
        case .headerTooLong, .tooManyStanzas, .passphraseBesideOthers, .malformedStanza, .smallOrderShare,
            .emptyLastPiece:
            "age does not write such a file: ask who made it, and with what"
        case .workFactorTooHigh(let logN):
            "if you trust who sent it, age -d FILE opens it with \(Self.memory(logN)) of memory"
        case .noIdentity: "--identity FILE names your key; AUTHREEL_IDENTITY=FILE does it for every command"
        case .noMatch(_, let recipients): "have it encrypted for you, \(recipients.first ?? "age1…")"
        case .wrongPassphrase: "run it again, and type the passphrase exactly as it was given to you"
        case .notAnIdentity, .noUsableIdentity:
            "an identity file has lines that begin with AGE-SECRET-KEY-1; age-keygen -o FILE makes one"
        case .notARecipient, .noRecipients:
            "a recipient begins with age1; age-keygen -y FILE prints the one of an identity file"
        case .tooManyRecipients: "encrypt it several times, for some of them each"
        case .passphraseBesideRecipients: "leave the passphrase or the recipients out"
        case .emptyPassphrase: "run it again, and type one"
        case .cryptography: "free some memory, or use a machine that has more"
        }
    }

    private static func list(_ words: [String]) -> String {
        guard let last = words.last else { return "nobody" }
        let first = words.dropLast().joined(separator: ", ")
        return first.isEmpty ? last : "\(first) and \(last)"
    }

    /// `4 GiB`: what scrypt takes with blocks of a kibibyte.
    private static func memory(_ logN: Int) -> String {
        logN >= 60 ? "more memory than there is" : "\(1 << (logN - 20)) GiB"
    }
}
