extension JSONWebToken {
    /// Whether an ECDSA signature has the form of a DER sequence over its whole length, where a JWT has two numbers of a fixed length
    /// (RFC 7518, section 3.4).
    package var isSignedInDER: Bool {
        guard algorithm?.hasPrefix("ES") ?? false, signature.count > 8,
            ![64, 96, 132].contains(signature.count),
            signature[0] == 0x30
        else { return false }
        // A length of 128 and more takes a byte of its own.
        let start = signature[1] == 0x81 ? 3 : 2
        return Int(signature[start - 1]) == signature.count - start && signature[start] == 0x02
    }
}
