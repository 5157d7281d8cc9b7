import Captures
import JOSE

/// How a value may be spelled on its way, besides as it is.
enum Spelling: CaseIterable, Sendable {
    /// In a URL, and in a URL inside of one (RFC 3986, section 2.1).
    case percent, percentTwice
    /// The same with hexadecimal digits in lower case, as some frameworks write them.
    case percentLowercase, percentLowercaseTwice
    case form
    /// Decoded once too often, as a URL and as a form.
    case decoded, formDecoded
    case base64URL

    func callAsFunction(_ value: String) -> String {
        switch self {
        case .percent: PercentEncoding.encode(value)
        case .percentTwice: PercentEncoding.encode(PercentEncoding.encode(value))
        case .percentLowercase: PercentEncoding.encodeLowercase(value)
        case .percentLowercaseTwice:
            PercentEncoding.encodeLowercase(PercentEncoding.encodeLowercase(value))
        case .form: FormBody.encode([("", value)]).dropFirst().description
        case .decoded: PercentEncoding.decode(value)
        case .formDecoded: PercentEncoding.decode(value, plusIsSpace: true)
        case .base64URL: Base64URL.encode(value.utf8)
        }
    }

    /// The spellings of a value that differ from it and from one another, with what it becomes.
    static func all(of value: String) -> [(spelling: Spelling, text: String)] {
        // Tokens and identifiers mostly look the same everywhere.
        let isPlain = value.utf8.allSatisfy(\.isUnreserved)
        var seen: Set<String> = [value]
        return allCases.compactMap { spelling in
            guard spelling == .base64URL ? value.utf8.count >= 12 : !isPlain else { return nil }
            let text = spelling(value)
            return seen.insert(text).inserted ? (spelling, text) : nil
        }
    }
}
