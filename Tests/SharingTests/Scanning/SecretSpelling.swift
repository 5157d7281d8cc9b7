import Foundation

/// Ways to write a text, made by Foundation or by hand, never by the decoders of the scan.
enum SecretSpelling: String, CaseIterable {
    case percent, percentEverything, percentLowerCase, form, percentU
    case json, jsonSlashes, jsonEverything, javaScript, javaScriptBraces
    case html, htmlDecimal, htmlHexadecimal, htmlWithoutSemicolon
    case base64, base64WithoutPadding, base64URL, base64Lines, base64UTF16, base64UTF16BigEndian
    case hexadecimal, hexadecimalUpperCase
    case style

    func write(_ text: String) -> String {
        let bytes = Data(text.utf8)
        switch self {
        case .percent: return percentEncoded(text)
        case .percentEverything: return bytes.map { String(format: "%%%02X", $0) }.joined()
        case .percentLowerCase: return bytes.map { String(format: "%%%02x", $0) }.joined()
        case .form: return percentEncoded(text).replacingOccurrences(of: "%20", with: "+")
        case .percentU: return text.utf16.map { String(format: "%%u%04X", $0) }.joined()
        case .json: return jsonText(text, [.withoutEscapingSlashes])
        case .jsonSlashes: return jsonText(text, [])
        case .jsonEverything: return text.utf16.map { String(format: "\\u%04x", $0) }.joined()
        case .javaScript:
            return text.unicodeScalars.map {
                $0.value < 256
                    ? String(format: "\\x%02x", $0.value)
                    : String($0).utf16.map { String(format: "\\u%04X", $0) }.joined()
            }.joined()
        case .javaScriptBraces:
            return text.unicodeScalars.map { String(format: "\\u{%x}", $0.value) }.joined()
        case .html:
            return text.replacingOccurrences(of: "&", with: "&amp;")
                .replacingOccurrences(of: "<", with: "&lt;").replacingOccurrences(of: ">", with: "&gt;")
                .replacingOccurrences(of: "\"", with: "&quot;").replacingOccurrences(of: "'", with: "&#39;")
                .replacingOccurrences(of: "/", with: "&sol;").replacingOccurrences(of: "=", with: "&equals;")
                .replacingOccurrences(of: "+", with: "&#43;").replacingOccurrences(of: "ü", with: "&uuml;")
        case .htmlDecimal: return text.unicodeScalars.map { "&#\($0.value);" }.joined()
        case .htmlHexadecimal:
            return text.unicodeScalars.map { String(format: "&#x%04X;", $0.value) }.joined()
        case .htmlWithoutSemicolon: return text.unicodeScalars.map { "&#\($0.value)" }.joined()
        case .base64: return bytes.base64EncodedString()
        case .base64WithoutPadding: return withoutPadding(bytes.base64EncodedString())
        case .base64URL:
            return withoutPadding(bytes.base64EncodedString())
                .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
        case .base64Lines:
            return bytes.base64EncodedString(options: [
                .lineLength64Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
            ])
        case .base64UTF16: return (text.data(using: .utf16LittleEndian) ?? Data()).base64EncodedString()
        case .base64UTF16BigEndian: return (text.data(using: .utf16BigEndian) ?? Data()).base64EncodedString()
        case .hexadecimal: return bytes.map { String(format: "%02x", $0) }.joined()
        case .style: return text.unicodeScalars.map { String(format: "\\%06x", $0.value) }.joined()
        case .hexadecimalUpperCase: return bytes.map { String(format: "%02X", $0) }.joined()
        }
    }

    private func percentEncoded(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
        )
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    /// The inside of the JSON string.
    private func jsonText(_ text: String, _ options: JSONEncoder.OutputFormatting) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = options
        let quoted = (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return String(quoted.dropFirst().dropLast())
    }

    private func withoutPadding(_ text: String) -> String {
        String(text.prefix { $0 != "=" })
    }
}

extension SecretSpelling {
    /// Bytes that are no text, as base64.
    func write(bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
