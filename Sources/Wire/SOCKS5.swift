/// What both sides of SOCKS 5 say (RFC 1928).
package enum SOCKS5 {
    /// A reply code in words; nil for those that section 6 does not name.
    package static func words(ofReply code: UInt8) -> String? {
        switch code {
        case 1: "general failure"
        case 2: "not allowed by its rules"
        case 3: "network unreachable"
        case 4: "host unreachable"
        case 5: "connection refused"
        case 6: "time to live expired"
        case 7: "command not supported"
        case 8: "kind of address not supported"
        default: nil
        }
    }

    /// The length of the address in a request or a reply of five bytes or more, a name's own length included; nil where
    /// its kind does not exist (section 5).
    package static func addressLength(_ message: [UInt8]) -> Int? {
        switch message[3] {
        case 1: 4
        case 3: 1 + Int(message[4])
        case 4: 16
        default: nil
        }
    }
}
