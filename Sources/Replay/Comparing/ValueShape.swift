import Captures
import JOSE

/// What can be said of a value that is made anew each time: its alphabet and its length.
struct ValueShape: Equatable {
    enum Form: Equatable {
        case empty
        case uuid
        case decimal
        case hexadecimal
        /// Letters and digits: what base64url and standard Base64 give by chance.
        case alphanumeric
        case base64URL
        case base64
        /// The characters of a code verifier (RFC 7636, section 4.1) that are not of base64url, too.
        case unreserved
        case token
        case text
    }

    let form: Form
    let length: Int

    init(_ value: String) {
        length = value.unicodeScalars.count
        form = Self.form(of: value)
    }

    private static func form(of value: String) -> Form {
        guard !value.isEmpty else { return .empty }
        if value.utf8.isUUID { return .uuid }
        var hasUpper = false
        var hasLower = false
        var hasDigit = false
        var hasOtherThanHex = false
        var hasDash = false
        var hasUnreserved = false
        var hasSlash = false
        for byte in value.utf8 {
            switch byte {
            case 0x30...0x39: hasDigit = true
            case 0x41...0x5a:
                hasUpper = true
                if byte > 0x46 { hasOtherThanHex = true }
            case 0x61...0x7a:
                hasLower = true
                if byte > 0x66 { hasOtherThanHex = true }
            case 0x2d, 0x5f: hasDash = true
            case 0x2e, 0x7e: hasUnreserved = true
            case 0x2b, 0x2f, 0x3d: hasSlash = true
            default: return .text
            }
        }
        if hasUnreserved {
            if hasSlash { return .text }
            return JSONWebToken.parse(value) == nil ? .unreserved : .token
        }
        if hasSlash { return hasDash ? .text : .base64 }
        if hasDash { return .base64URL }
        if !hasUpper && !hasLower { return .decimal }
        if hasDigit && !hasOtherThanHex && value.utf8.count >= 16 && hasUpper != hasLower {
            return .hexadecimal
        }
        return .alphanumeric
    }

    /// Whether two values could have been made in the same way.
    func isLike(_ other: ValueShape) -> Bool { isOfForm(other) && isAsLong(as: other) }

    private func isOfForm(_ other: ValueShape) -> Bool {
        if form == other.form { return true }
        // What happens to hold no mark of its alphabet belongs to each of them.
        let loose: Set<Form> = [.alphanumeric, .base64URL, .base64, .unreserved]
        guard loose.contains(form), loose.contains(other.form) else { return false }
        if form == .alphanumeric || other.form == .alphanumeric { return true }
        return form != .base64 && other.form != .base64
    }

    /// Signatures, sealed cookies and numbers vary by a little; ways of making a value by more.
    private func isAsLong(as other: ValueShape) -> Bool {
        switch form {
        case .token, .text: return true
        default:
            let difference = abs(length - other.length)
            return difference <= 4 || difference * 5 <= max(length, other.length)
        }
    }

    var words: String {
        switch form {
        case .empty: "empty"
        case .uuid: "a UUID"
        case .decimal: "\(length) digits"
        case .hexadecimal: "\(length) hexadecimal digits"
        case .alphanumeric: "\(length) letters and digits"
        case .base64URL: "\(length.counted("character")) of base64url"
        case .base64: "\(length.counted("character")) of Base64"
        case .unreserved, .text: length.counted("character")
        case .token: "a token"
        }
    }
}

extension ValueShape {
    /// Whether a value looks drawn at random: long, and its letters and digits in no order that words have.
    static func looksRandom(_ value: String) -> Bool {
        guard value.utf8.count >= 16, value.utf8.count <= 1 << 16 else { return false }
        let shape = ValueShape(value)
        switch shape.form {
        case .uuid, .token, .hexadecimal: return true
        case .empty, .decimal, .text: return false
        case .alphanumeric, .base64URL, .base64, .unreserved: break
        }
        var changes = 0
        var counts = (digits: 0, upper: 0, lower: 0)
        var previous = 0
        for byte in value.utf8 {
            let kind: Int
            switch byte {
            case 0x30...0x39: (kind, counts.digits) = (1, counts.digits + 1)
            case 0x41...0x5a: (kind, counts.upper) = (2, counts.upper + 1)
            case 0x61...0x7a: (kind, counts.lower) = (3, counts.lower + 1)
            default: kind = 0
            }
            // Separators stand between words: a change across one says nothing.
            if kind != previous, kind != 0, previous != 0 { changes += 1 }
            previous = kind
        }
        let length = value.utf8.count
        // A quarter of the letters of names in camel case are followed by one of the other case, of drawn ones half.
        if counts.upper > 3, counts.lower > 3, changes * 5 >= 2 * length { return true }
        let isMixed = counts.digits >= 2 || counts.digits == 1 && counts.upper > 3 && counts.lower > 3
        return isMixed && counts.upper + counts.lower >= 2 && changes * 10 >= 3 * length
    }

    /// The moment that a value names: seconds or milliseconds since the epoch, RFC 3339, or a date of HTTP; nil for other values.
    static func time(_ value: String) -> Timestamp? {
        guard value.utf8.count >= 10, value.utf8.count <= 40, let first = value.utf8.first else { return nil }
        if value.utf8.allSatisfy({ $0.isASCIIDigit }) {
            guard let number = Int64(value) else { return nil }
            switch value.utf8.count {
            case 10: return Timestamp(seconds: number)
            case 13: return Timestamp(seconds: number / 1000)
            default: return nil
            }
        }
        guard first.isASCIIDigit || (0x41...0x5a).contains(first) else { return nil }
        return Timestamp(rfc3339: value) ?? Timestamp(httpDate: value)
    }
}
