import Captures

/// Whose tokens are kept under a name that has their account in it, in a browser's storage and in cookies, as AWS Amplify does it:
/// `CognitoIdentityServiceProvider.CLIENT.ada.idToken`.
enum StoredAccounts {
    /// The names in a text, each with the account in it; nil for those of a client alone.
    static func keys(in text: [UInt8]) -> [(key: String, account: String?)] {
        var keys: [(key: String, account: String?)] = []
        var start = 0
        while let place = Bytes.index(of: mark, in: text, from: start) {
            let key = text[place...].prefix(longest).prefix(while: isOfKey)
            start = key.endIndex
            let parts = key.split(separator: 0x2e, omittingEmptySubsequences: false)
            guard parts.count > 2 else { continue }
            // An account may have dots in it, what is kept of it has none.
            let account =
                parts.count > 3 ? key[parts[2].startIndex..<parts[parts.count - 2].endIndex] : nil
            keys.append((SlotReader.string(key), account.flatMap(name)))
        }
        return keys
    }

    private static let mark = Array("CognitoIdentityServiceProvider.".utf8)
    /// In bytes: a client has 26 of them, an account 128 at most.
    private static let longest = 256

    private static func isOfKey(_ byte: UInt8) -> Bool {
        byte.isASCIIWordByte || [0x2b, 0x2d, 0x2e].contains(byte)
    }

    private static func name(_ account: ArraySlice<UInt8>) -> String? {
        let own = SlotReader.string(account)
        return PairSlots.isAccount(account) && !AccountNames.isWord(own) ? own : nil
    }
}
