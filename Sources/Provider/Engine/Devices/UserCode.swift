import Captures

/// What the user of a device types (RFC 8628, section 6.1).
enum UserCode {
    /// Whether a code is meant, however somebody types it: in small letters, without its hyphen (RFC 8628, section 6.1).
    static func isSame(_ own: String, _ typed: String) -> Bool {
        func bare(_ text: String) -> [UInt8] { text.asciiLowercased().utf8.filter(\.isASCIIAlphanumeric) }
        return bare(own) == bare(typed)
    }
}
