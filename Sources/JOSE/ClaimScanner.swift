import JSON

/// Looks at the claims of a token without making values of them.
struct ClaimScanner {
    /// The names seen so far, as they stand in the text; kept for its storage.
    private var names: [UnsafeBufferPointer<UInt8>] = []
    /// More members than any token has are left to the parser.
    private static let maximumNames = 64

    /// Whether the bytes are an object whose claims meet the expectations beyond doubt.
    ///
    /// False is no verdict: the token may be good all the same, and is looked at again with care.
    mutating func accepts(_ bytes: UnsafeBufferPointer<UInt8>, _ expected: TokenExpectations) -> Bool {
        var cursor = JSONCursor(bytes)
        var seen: UInt8 = 0
        names.removeAll(keepingCapacity: true)
        defer { names.removeAll(keepingCapacity: true) }
        let isObject = cursor.members { name, cursor in
            guard isNew(name) else { return false }
            switch name.count {
            case 3 where name.elementsEqual("iss".utf8):
                seen |= 1
                return expected.issuer.map { cursor.string(equals: $0) } ?? cursor.skipValue()
            case 3 where name.elementsEqual("aud".utf8):
                seen |= 2
                return expected.audience.map { cursor.string(equals: $0) } ?? cursor.skipValue()
            case 3 where name.elementsEqual("exp".utf8):
                guard let time = cursor.integer() else { return false }
                return expected.now.map { $0 - expected.leeway < time } ?? true
            case 3 where name.elementsEqual("nbf".utf8):
                guard let time = cursor.integer() else { return false }
                return expected.now.map { $0 + expected.leeway >= time } ?? true
            case 3 where name.elementsEqual("iat".utf8):
                guard let time = cursor.integer() else { return false }
                return expected.now.map { $0 + expected.leeway >= time } ?? true
            case 5 where name.elementsEqual("nonce".utf8):
                seen |= 32
                return expected.nonce.map { cursor.string(equals: $0) } ?? cursor.skipValue()
            default: return cursor.skipValue()
            }
        }
        guard isObject, cursor.isAtEnd, JSONWebToken.isUTF8(bytes) else { return false }
        return (expected.issuer == nil || seen & 1 != 0) && (expected.audience == nil || seen & 2 != 0)
            && (expected.nonce == nil || seen & 32 != 0)
    }

    /// False when the name was there already (RFC 7519, section 4, wants them unique).
    private mutating func isNew(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        // What is no ASCII may be no UTF-8 either, and two such names one to the parser.
        guard names.count < Self.maximumNames, name.allSatisfy({ $0 < 0x80 }) else { return false }
        for other in names where other.count == name.count && other.elementsEqual(name) { return false }
        names.append(name)
        return true
    }
}
