/// The two forms of an ECDSA signature (RFC 7518, section 3.4; SEC 1, C.5).
enum ECDSASignature {
    /// r and s side by side, as DER.
    static func der(_ signature: [UInt8]) -> [UInt8] {
        let half = signature.count / 2
        func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            var value = Array(bytes.drop { $0 == 0 })
            if value.first.map({ $0 & 0x80 != 0 }) ?? true { value.insert(0, at: 0) }
            return [0x02, UInt8(value.count)] + value
        }
        let body = integer(signature[..<half]) + integer(signature[half...])
        return [0x30] + (body.count > 127 ? [0x81] : []) + [UInt8(body.count)] + body
    }
}
