import Foundation
import JSON

/// Does to a HAR what the sanitizers that people use before they hand one on do: values of certain names become marks,
/// signatures of tokens too.
package struct HARSanitizer {
    package enum Mode: String, CaseIterable {
        /// Names of OAuth and `Authorization`: `[code redacted]`.
        case names
        /// All of them the same: `REDACTED`.
        case oneMark
        /// Nothing but signatures: `header.claims.redacted`.
        case signatures
    }

    package let mode: Mode

    package init(mode: Mode) { self.mode = mode }

    private static let names = [
        "access_token", "assertion", "auth", "challenge", "client_assertion", "client_id", "client_secret",
        "code",
        "code_challenge", "code_verifier", "device_code", "email", "id_token", "id_token_hint", "nonce",
        "password",
        "refresh_token", "session_state", "state", "token", "user_code",
    ]
    private static let anyName = names.joined(separator: "|")
    private static let token = regex(#"\b(ey[A-Za-z0-9_-]+\.ey[A-Za-z0-9_-]+)\.[A-Za-z0-9_-]*"#)
    /// In a query, a form, a cookie, and once more encoded inside of one.
    private static let field = regex(##"(?<![A-Za-z0-9_])(\##(anyName))=(?!ey)([^&\s"\\#;,|]+)"##)
    private static let encoded = regex(#"(?<![A-Za-z0-9_])(\#(anyName))%3D(?!ey)((?:(?!%26|&)[^\s"\\])+)"#)
    private static let member = regex(#""(\#(anyName))"(\s*:\s*)"(?!ey)(?:[^"\\]|\\.)*""#)

    private static func regex(_ pattern: String) -> NSRegularExpression {
        do {
            return try NSRegularExpression(pattern: pattern)
        } catch {
            preconditionFailure("\(pattern): \(error)")
        }
    }

    package func sanitized(_ har: [UInt8]) throws -> [UInt8] {
        Array(JSONWriter.text(of: sanitized(try JSONParser.parse(har))).utf8)
    }

    private func sanitized(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): return .string(sanitized(text))
        case .array(let elements): return .array(elements.map(sanitized))
        case .object(var object):
            let name = object["name"]?.string
            for index in object.members.indices {
                let member = object.members[index]
                object.members[index].value =
                    if member.name == "value", let name, let text = member.value.string, isSecret(name) {
                        .string(text.hasPrefix("ey") ? sanitized(text) : mark(name))
                    } else {
                        sanitized(member.value)
                    }
            }
            return .object(object)
        default: return value
        }
    }

    private func isSecret(_ name: String) -> Bool {
        mode != .signatures && (Self.names.contains(name) || name.lowercased() == "authorization")
    }

    private func mark(_ name: String) -> String { mode == .oneMark ? "REDACTED" : "[\(name) redacted]" }

    private func sanitized(_ text: String) -> String {
        var text = replacing(Self.token, in: text, by: "$1.redacted")
        guard mode != .signatures else { return text }
        text = replacing(Self.field, in: text, by: "$1=\(mark("$1"))")
        text = replacing(Self.encoded, in: text, by: "$1%3D\(mark("$1"))")
        return replacing(Self.member, in: text, by: "\"$1\"$2\"\(mark("$1"))\"")
    }

    private func replacing(_ regex: NSRegularExpression, in text: String, by template: String) -> String {
        let whole = NSRange(text.startIndex..., in: text)
        return regex.stringByReplacingMatches(in: text, range: whole, withTemplate: template)
    }
}
