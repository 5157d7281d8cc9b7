import Captures
import Foundation
import JOSE
import JSON

/// Tokens in what somebody copied: alone, out of a header field, a line of JSON, a token response, an address.
enum CopiedTokens {
    /// The words that are tokens, or have them inside, and those that are meant to be one and are none.
    ///
    /// Of a JSON object only the tokens in it; none of a capture, which `view` takes apart. Of what is no text, as a database or the
    /// environment of a process, only the tokens as well.
    static func texts(in text: String) -> [String] {
        if text.first(where: { !$0.isWhitespace }) == "{", let value = try? JSONParser.parse(Array(text.utf8))
        {
            return value["log"] == nil ? strings(in: value).flatMap(tokens) : []
        }
        let isText = !text.utf8.contains(0)
        return unfolded(text).split(whereSeparator: \.isWhitespace)
            .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "\"',;")) }
            .filter { !$0.isEmpty && !isLabel($0) }
            .flatMap { word in
                let found = tokens(in: word)
                return found.isEmpty && isText ? [word] : found
            }
    }

    /// Whether a word stands before a token, and is none: a name before what it names, an authentication scheme.
    static func isLabel(_ word: String) -> Bool {
        word.hasSuffix(":") || ["bearer", "dpop"].contains(word.lowercased())
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

    /// The text with each token in one line that a mail or a terminal broke over several.
    ///
    /// What quotes a mail stands before a line (`>`), what says that it goes on behind it (`=`; RFC 2045, section 6.7).
    private static func unfolded(_ text: String) -> String {
        guard text.contains(where: \.isNewline) else { return text }
        let lines = text.split(whereSeparator: \.isNewline).map { line in
            line.drop { $0 == ">" || $0.isWhitespace }.trimmingCharacters(in: .whitespaces)
        }
        var unfolded: [String] = []
        var rest = lines[...]
        while let first = rest.popFirst() {
            guard isOpen(first) else {
                unfolded.append(first)
                continue
            }
            var run = [first]
            // Lines are broken where they are full: a shorter one is a token's last.
            while let last = run.last, last.utf8.count >= first.utf8.count, let next = rest.first,
                isPart(next)
            {
                run.append(next)
                rest.removeFirst()
            }
            let whole = run.dropLast().map(withoutMark).joined() + (run.last ?? "")
            let word = whole.split(whereSeparator: \.isWhitespace).last ?? ""
            unfolded += tokens(in: String(word)).isEmpty ? run : [whole]
        }
        return unfolded.joined(separator: "\n")
    }

    /// Whether a token may begin at the end of a line, and go on in the next one.
    private static func isOpen(_ line: String) -> Bool {
        guard let word = line.split(whereSeparator: \.isWhitespace).last else { return false }
        return word.contains("eyJ") && tokens(in: String(word)).isEmpty
    }

    /// Whether a line is nothing but what tokens are made of, and not a whole one.
    private static func isPart(_ line: String) -> Bool {
        let part = withoutMark(line)
        return !part.isEmpty && part.utf8.allSatisfy { $0.isBase64URLCharacter || $0 == UInt8(ascii: ".") }
            && JSONWebToken.parse(part) == nil
    }

    private static func withoutMark(_ line: String) -> String {
        line.hasSuffix("=") ? String(line.dropLast()) : line
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
