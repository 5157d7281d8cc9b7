import Captures
import JOSE
import JSON

/// Stand-ins of values that are made of others: of their parts, of a token around them, of the value that they were before a change.
extension StandIns {
    /// A part of a token, as a cookie carries it that is too long for one.
    func slice(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count >= FragmentIndex.shortestPiece, let match = tokenIndex.matches(in: bytes).first,
            match.range == bytes.indices
        else { return nil }
        let token = tokens[match.secret]
        let whole = Array(standIn(for: token).utf8)
        guard whole.count == token.utf8.count else { return nil }
        return String(decoding: whole[match.offset..<(match.offset + bytes.count)], as: UTF8.self)
    }

    /// A value that was another one before somebody changed it: the other one's stand-in with the same change.
    func changed(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        return relatives.nearest(to: bytes).flatMap { changing(bytes, $0) }
    }

    /// A token that no key verifies, and that is one that a key verifies but for its signature.
    func changedToken(_ text: String, _ token: JSONWebToken) -> String? {
        let bytes = Array(text.utf8)
        guard let relative = relatives.nearest(to: bytes), let dot = bytes.lastIndex(of: 0x2e),
            relative.prefix > dot,
            isVerified(relative.value), !isVerified(text)
        else { return nil }
        return changing(bytes, relative)
    }

    /// A token that is another one with padding behind it: that one's stand-in, with as much.
    func paddedToken(_ text: String) -> String? {
        let padding = text.utf8.reversed().prefix { $0 == 0x3d }.count
        let bare = String(decoding: text.utf8.dropLast(padding), as: UTF8.self)
        guard padding > 0, found.tokens[bare] != nil else { return nil }
        return standIn(for: bare) + String(repeating: "=", count: padding)
    }

    func isVerified(_ text: String) -> Bool {
        let verified = verification(of: text)
        return verified.key != nil || verified.secret != nil
    }

    func changing(_ bytes: [UInt8], _ relative: Relatives.Relative) -> String? {
        let other = Array(standIn(for: relative.value).utf8)
        guard other.count == relative.value.utf8.count else { return nil }
        var middle = cipher(Array(bytes[relative.prefix..<(bytes.count - relative.suffix)]))
        // Where the two differ, their stand-ins do.
        if let first = middle.first, relative.prefix < other.count {
            let (old, known) = (bytes[relative.prefix], Array(relative.value.utf8)[relative.prefix])
            let isCase = old.asciiLowercased == known.asciiLowercased
            let next = other[relative.prefix]
            // In the case alone, or by more than the case.
            if isCase {
                middle[0] = UInt8.inCase(old, next)
            } else if first.asciiLowercased == next.asciiLowercased {
                middle[0] = Self.following(first)
            }
        }
        return String(
            decoding: other.prefix(relative.prefix) + middle + other.suffix(relative.suffix),
            as: UTF8.self
        )
    }

    /// Another digit or letter of the same case.
    private static func following(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 0x39, 0x5a, 0x7a: byte - 1
        case 0x30..<0x39, 0x41..<0x5a, 0x61..<0x7a: byte + 1
        default: byte
        }
    }

    /// What of a value is its own, where the rest of its stand-in is that of a token or of another value: those runs of it
    /// that became others.
    func ownPieces(of text: String) -> [String]? {
        let (bytes, other) = (Array(text.utf8), Array(standIn(for: text).utf8))
        guard bytes.count == other.count,
            JSONWebToken.parse(text) == nil,
            aroundToken(text) != nil || relatives.nearest(to: bytes) != nil
        else { return nil }
        var pieces: [String] = []
        var start = 0
        for index in 0...bytes.count {
            let isOwn = index < bytes.count && bytes[index] != other[index]
            if isOwn { continue }
            if index > start { pieces.append(String(decoding: bytes[start..<index], as: UTF8.self)) }
            start = index + 1
        }
        return pieces
    }

    /// `code=3D…`, as mail has it whose encoding was not undone (RFC 2045, section 6.7): what stands behind the escape is a secret
    /// elsewhere, and keeps being that one; nil for others.
    func quoted(_ text: String) -> String? {
        guard text.hasPrefix(Self.quotedEquals), found.tokens[text] == nil else { return nil }
        let own = String(text.dropFirst(Self.quotedEquals.count))
        guard !own.isEmpty, found.kind(of: own) != nil || namedKinds[own] != nil else { return nil }
        return Self.quotedEquals + standIn(for: own)
    }

    /// Of an equals sign, what stands behind it where it is written as `=3D`.
    private static let quotedEquals = "3D"

    /// A token with line breaks in it: the stand-in of the token, with the same line breaks and what stands around them.
    func wrappedToken(_ text: String) -> String? {
        guard let token = found.wrapped[text] else { return nil }
        var rest = standIn(for: token).utf8[...]
        var output: [UInt8] = []
        for byte in text.utf8 {
            if !WrappedTokens.isOfToken(byte) {
                output.append(byte)
            } else if let next = rest.popFirst() {
                output.append(next)
            }
        }
        return String(decoding: output + rest, as: UTF8.self)
    }

    /// A token with something before or behind it that does not belong there: a line break, padding.
    func aroundToken(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        let whole = tokenIndex.matches(in: bytes).filter { $0.range.count == tokens[$0.secret].utf8.count }
        guard !whole.isEmpty else { return nil }
        var output: [UInt8] = []
        var end = 0
        for match in whole {
            output +=
                cipher(Array(bytes[end..<match.range.lowerBound])) + standIn(for: tokens[match.secret]).utf8
            end = match.range.upperBound
        }
        return String(decoding: output + cipher(Array(bytes[end...])), as: UTF8.self)
    }

    /// A value that has parts: each gets its own stand-in, and what holds them together stays.
    func structured(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard hasParts(bytes) else { return nil }
        let walker = TextWalker { [unowned self] value in
            value.bytes == bytes ? nil : part(value)
        }
        // Known as it is inside of base64.
        if let inner = Base64Text(bytes, where: isKnown) {
            let known = String(decoding: inner.text, as: UTF8.self)
            return String(decoding: inner.encoding(Array(standIn(for: known).utf8)), as: UTF8.self)
        }
        let value = NamedText(name: "", bytes: bytes, container: .text)
        if let other = walker.rewritingValue(value) { return String(decoding: other, as: UTF8.self) }
        // Where no part is secret, nothing is; but what a document stands in the middle of has more than its parts.
        return TextKind.guessed(bytes[...]) == .json && !TextKind.opensDocument(bytes[...]) ? nil : text
    }

    /// Whether something of a value that was drawn is left: it stands where a name would, or is no part that is known.
    func keepsDrawn(of text: String, in other: String) -> Bool {
        let bytes = Self.readable(Array(other.utf8))
        return drawnRuns(of: text).contains { Bytes.index(of: Array($0.utf8), in: bytes, from: 0) != nil }
    }

    /// Runs of a value that look drawn, twelve characters and more, and that not everybody may know; of a document in base64
    /// those of the document.
    func drawnRuns(of text: String) -> [String] {
        Self.readable(Array(text.utf8)).split { !WrittenStandIns.isTokenByte($0) || $0 == 0x2f }.filter {
            run in
            run.count >= FragmentIndex.shortestPiece && Drawn.looks(run)
        }.map { Array($0) }.filter { !open.isPublic($0) && Base64Text($0) == nil }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private static func readable(_ bytes: [UInt8]) -> [UInt8] { Base64Text(bytes)?.text ?? bytes }

    /// The secret parts of a value that has parts, each by itself; nil for one without.
    func parts(of text: String) -> [String]? {
        let bytes = Array(text.utf8)
        guard hasParts(bytes) else { return nil }
        var parts: [String] = []
        let walker = TextWalker { [unowned self] value in
            guard value.bytes != bytes, let other = part(value) else { return nil }
            if other != value.bytes { parts.append(value.text) }
            return other
        }
        _ = walker.rewritingValue(NamedText(name: "", bytes: bytes, container: .text))
        return parts.isEmpty ? nil : parts
    }

    /// Whether a value is a piece of a token.
    func isPiece(_ text: String) -> Bool { slice(text) != nil }

    func hasParts(_ bytes: [UInt8]) -> Bool {
        switch TextKind.guessed(bytes[...]) {
        case .json, .url, .form: return true
        default: break
        }
        let decoded = TextCoding.percent.decoded(bytes[...]).bytes
        if decoded != bytes { return true }
        if Base64Text(bytes, where: isKnown) != nil { return true }
        guard let inner = Base64Text(bytes) else { return false }
        return hasParts(inner.text) && TextKind.guessed(inner.text[...]) != .html
    }

    func isKnown(_ text: [UInt8]) -> Bool {
        found.kind(of: String(decoding: text, as: UTF8.self)) != nil
    }

    /// Whether a document breaks off, as it stands or in base64.
    func isTorn(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        let document = Base64Text(bytes)?.text ?? bytes
        return TextKind.guessed(document[...]) == .json && (try? JSONParser.parse(document)) == nil
    }

    func part(_ value: NamedText) -> [UInt8]? {
        guard let text = String(validating: value.bytes, as: UTF8.self), !text.isEmpty else { return nil }
        if keys.replacements[text] != nil || found.kind(of: text) != nil {
            return Array(standIn(for: text).utf8)
        }
        if found.wellKnown.contains(text) || found.open.contains(text) && !Drawn.looks(value.bytes) {
            return value.bytes
        }
        if value.isNumber {
            return isTime(text) ? sweeper.shifting(value.bytes) ?? value.bytes : cipher(value.bytes)
        }
        if hasParts(value.bytes) { return nil }
        let isPage =
            value.name == SlotReader.pathSegment
            || value.name == SlotReader.personSegment && !found.accountWords.contains(text)
        if isPage, !Drawn.looks(value.bytes) {
            // Somebody's page is called as they are, and no sweep looks into a stand-in.
            let known = sweeper.replacingWords(in: value.bytes) ?? value.bytes
            return sweeper.replacingNames(in: known) ?? known
        }
        return subject(value) ?? Array(standIn(for: text).utf8)
    }

    /// What stands behind `s=` in a subject of Singpass, `s=S1234567D,u=…`: each of its parts by itself; nil for others.
    private func subject(_ value: NamedText) -> [UInt8]? {
        let parts = value.bytes.split(separator: 0x2c, maxSplits: 8, omittingEmptySubsequences: false)
        guard value.name == "s", (2...8).contains(parts.count), !parts[0].isEmpty else { return nil }
        var output = Array(standIn(for: SlotReader.string(parts[0])).utf8)
        for part in parts.dropFirst() {
            let name = part.prefix(while: \.isASCIILetter)
            let own = part[name.endIndex...].dropFirst()
            guard (1...4).contains(name.count), name.endIndex < part.endIndex, part[name.endIndex] == 0x3d,
                !own.isEmpty
            else { return nil }
            output += [0x2c] + name + [0x3d] + standIn(for: SlotReader.string(own)).utf8
        }
        return output
    }

    func isTime(_ text: String) -> Bool {
        guard let number = Int64(text) else { return false }
        return (1_000_000_000..<4_000_000_000).contains(number)
            || (1_000_000_000_000..<4_000_000_000_000).contains(number)
    }
}
