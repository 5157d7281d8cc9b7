import Foundation
import JOSE
import JSON

/// Tokens in what somebody copied: alone, out of a header field, a line of JSON, a token response, an address.
enum CopiedTokens {
    /// The words that are tokens, or have them inside, and those that are meant to be one and are none.
    ///
    /// Of a JSON object only the tokens in it; none of a capture, which `view` takes apart.
    static func texts(in text: String) -> [String] {
        if text.first(where: { !$0.isWhitespace }) == "{", let value = try? JSONParser.parse(Array(text.utf8))
        {
            return value["log"] == nil ? strings(in: value).flatMap(tokens) : []
        }
        let schemes: Set<String> = ["authorization:", "bearer", "dpop"]
        return text.split(whereSeparator: \.isWhitespace)
            .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "\"',;")) }
            // A name stands before what it names.
            .filter { !$0.isEmpty && !$0.hasSuffix(":") && !schemes.contains($0.lowercased()) }
            .flatMap { word in
                let found = tokens(in: word)
                return found.isEmpty ? [word] : found
            }
    }

    /// The text itself where it is one, else the pieces of it that are.
    private static func tokens(in text: String) -> [String] {
        guard JSONWebToken.parse(text) == nil else { return [text] }
        return text.split { character in
            !(character.isASCII && (character.isLetter || character.isNumber) || "-_.".contains(character))
        }
        .map(String.init)
        .filter { JSONWebToken.parse($0) != nil }
    }

    private static func strings(in value: JSONValue) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(strings)
        case .object(let object): object.members.flatMap { strings(in: $0.value) }
        default: []
        }
    }
}
