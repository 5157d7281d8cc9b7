package import Captures

/// One challenge of a `WWW-Authenticate` header (RFC 9110, section 11.6.1), as `Bearer error="invalid_token"`
/// (RFC 6750, section 3).
///
/// Never fails: what is no parameter is passed over.
package struct AuthenticationChallenge: Sendable, Hashable {
    /// In lower case; empty where parameters came without one.
    package var scheme: String
    /// In order, quotes removed.
    package var parameters: [HeaderFields.Field]

    init(scheme: String, parameters: [HeaderFields.Field] = []) {
        self.scheme = scheme
        self.parameters = parameters
    }

    /// The value of the first parameter of this name.
    package subscript(name: String) -> String? {
        parameters.first { $0.name.equalsIgnoringASCIICase(name) }?.value
    }

    /// The challenges of an answer, in order.
    package static func all(in headers: HeaderFields) -> [AuthenticationChallenge] {
        headers.all("www-authenticate").flatMap { all(in: $0) }
    }

    private static func all(in field: String) -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        var rest = Array(field.utf8)[...]
        while let word = nextWord(&rest) {
            guard rest.first == 0x3d else {
                challenges.append(AuthenticationChallenge(scheme: word.lowercased()))
                continue
            }
            rest = rest.dropFirst().drop(while: \.isBlank)
            let value = value(&rest)
            // Some servers send the parameters alone.
            if challenges.isEmpty { challenges.append(AuthenticationChallenge(scheme: "")) }
            challenges[challenges.count - 1].parameters.append(HeaderFields.Field(name: word, value: value))
        }
        return challenges
    }

    /// A scheme or the name of a parameter; spaces behind it are passed over.
    private static func nextWord(_ rest: inout ArraySlice<UInt8>) -> String? {
        rest = rest.drop { $0.isBlank || $0 == 0x2c || $0 == 0x3d || $0 == 0x22 }
        guard !rest.isEmpty else { return nil }
        let word = rest.prefix { !$0.isBlank && $0 != 0x2c && $0 != 0x3d && $0 != 0x22 }
        rest = rest[word.endIndex...].drop(while: \.isBlank)
        return String(decoding: word, as: UTF8.self)
    }

    private static func value(_ rest: inout ArraySlice<UInt8>) -> String {
        guard rest.first == 0x22 else {
            let word = rest.prefix { !$0.isBlank && $0 != 0x2c }
            rest = rest[word.endIndex...]
            return String(decoding: word, as: UTF8.self)
        }
        var text: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst(), byte != 0x22 {
            // A quoted pair (RFC 9110, section 5.6.4).
            text.append(byte == 0x5c ? rest.popFirst() ?? byte : byte)
        }
        return String(decoding: text, as: UTF8.self)
    }
}
