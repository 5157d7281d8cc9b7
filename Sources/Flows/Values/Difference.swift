import Captures
import JSON

/// The smallest explanation that turns one value into another, in words for the note of an evidence.
///
/// One mechanism for all rules. It says nothing of the characters of a secret, only where they differ.
package struct Difference {
    /// What it ought to be.
    private let expected: String
    /// What it is.
    private let seen: String
    /// Whether no character of it may be shown.
    private let isSecret: Bool

    package init(expected: String, seen: String, isSecret: Bool = false) {
        self.expected = expected
        self.seen = seen
        self.isSecret = isSecret
    }

    /// What happened to the expected value on its way, as `"/" is missing at the end`.
    package static func note(expected: String, seen: String, isSecret: Bool = false) -> String {
        Difference(expected: expected, seen: seen, isSecret: isSecret).note
    }

    /// The plainest explanation that holds.
    package var note: String { form ?? affix ?? invisible ?? coding ?? spelling ?? cut ?? url ?? position }

    /// Whether somebody who reads the two takes them for the same: another form of Unicode, white space, characters that cannot be
    /// seen, quotation marks, percent-encoding, upper and lower case.
    package var isSpelling: Bool {
        !seen.isEmpty && !expected.isEmpty && (form ?? affix ?? invisible ?? coding ?? spelling) != nil
    }

    // MARK: - Kinds, from the plainest to the last resort

    /// What Unicode calls equal is not the same (Unicode Standard Annex 15): é as one code point, and as two.
    private var form: String? {
        guard seen == expected, !seen.equalsBytes(of: expected) else { return nil }
        return "the same text in another Unicode normal form, \(place)"
    }

    private var affix: String? {
        if seen.isEmpty { return "empty" }
        if seen.equalsBytes(of: expected + "/") { return "a \"/\" too many at the end" }
        if expected.equalsBytes(of: seen + "/") { return "the \"/\" at the end is missing" }
        if Self.withoutPadding(seen).equalsBytes(of: Self.withoutPadding(expected)) {
            return seen.utf8.count > expected.utf8.count
                ? "padded with \"=\"" : "the \"=\" at the end are missing"
        }
        if expected.equalsBytes(of: Self.unquoted(seen)) { return "in quotation marks" }
        if seen.equalsBytes(of: Self.unquoted(expected)) {
            return "the quotation marks around it were removed"
        }
        if Self.trimmed(seen).equalsBytes(of: Self.trimmed(expected)) {
            return seen.utf8.count > expected.utf8.count
                ? "white space around it" : "white space around it was removed"
        }
        return nil
    }

    /// Nil where there are none around it.
    private static func unquoted(_ text: String) -> String? {
        guard text.utf8.count > 2, let first = text.utf8.first, first == 0x22 || first == 0x27,
            text.utf8.last == first
        else { return nil }
        return String(text.dropFirst().dropLast())
    }

    /// Characters that are not to be seen: on a screen, and in the settings of a provider, the values look the same.
    private var invisible: String? {
        guard Self.visible(seen) == Self.visible(expected) else { return nil }
        let (more, fewer) = (Self.invisible(in: seen), Self.invisible(in: expected))
        if fewer.isEmpty { return "has \(more.joined(separator: ", ")), which cannot be seen, \(place)" }
        if more.isEmpty { return "lacks \(fewer.joined(separator: ", ")), which cannot be seen, \(place)" }
        return "has other characters that cannot be seen, \(place)"
    }

    private var coding: String? {
        let once = PercentEncoding.decode(seen)
        if once.equalsBytes(of: expected) { return "percent-encoded once too often" }
        if PercentEncoding.decode(once).equalsBytes(of: expected) { return "percent-encoded twice too often" }
        let decoded = PercentEncoding.decode(expected)
        if decoded.equalsBytes(of: seen) { return "percent-decoded once too often" }
        if PercentEncoding.decode(decoded).equalsBytes(of: seen) { return "percent-decoded twice too often" }
        if seen.equalsBytes(of: expected.replacing(0x2b, by: 0x20)) {
            return "\"+\" was read as a space"
        }
        if seen.equalsBytes(of: PercentEncoding.decode(expected, plusIsSpace: true)) {
            return "form-decoded once too often: \"+\" became a space"
        }
        if seen.equalsBytes(of: expected.replacing(0x20, by: 0x2b)) {
            return "a space came back as \"+\""
        }
        if Self.inURLAlphabet(expected).equalsBytes(of: Self.inURLAlphabet(seen)) {
            return "the other Base64 alphabet"
        }
        return nil
    }

    private var spelling: String? {
        seen.lowercased().equalsBytes(of: expected.lowercased())
            ? "differs in upper and lower case only, \(place)" : nil
    }

    private var cut: String? {
        if expected.utf8.starts(with: seen.utf8) {
            return
                "cut off after \(seen.unicodeScalars.count) of \(expected.unicodeScalars.count.counted("character"))"
        }
        guard seen.utf8.starts(with: expected.utf8), !expected.isEmpty else { return nil }
        let rest = String(Substring(seen.utf8.dropFirst(expected.utf8.count)))
        if let mark = rest.utf8.first, mark == 0x3f || mark == 0x26 || mark == 0x23 {
            let names = QueryItems(rest.dropFirst()).items.map(\.name)
            if !names.isEmpty { return "still carries \(names.prefix(6).joined(separator: ", "))" }
        }
        return "\(rest.unicodeScalars.count.counted("character")) too many at the end"
    }

    /// The one part of a URL that differs.
    private var url: String? {
        let left = RecordedURL(expected)
        let right = RecordedURL(seen)
        guard let scheme = left.scheme, let otherScheme = right.scheme, left.authority != nil,
            right.authority != nil
        else { return nil }
        var parts: [String] = []
        if scheme.lowercased() != otherScheme.lowercased() {
            parts.append("scheme \(otherScheme) instead of \(scheme)")
        }
        if left.host != right.host {
            let names = "\(right.host ?? "") instead of \(left.host ?? "")"
            parts.append(
                Self.areBothLoopback(left, right)
                    ? "host \(names): both are this machine, but not the same string" : "host \(names)"
            )
        }
        if left.explicitPort != right.explicitPort, left.port != right.port || scheme == otherScheme {
            parts.append("port \(Self.name(right.explicitPort)) instead of \(Self.name(left.explicitPort))")
        }
        if !left.path.equalsBytes(of: right.path) {
            parts.append(
                "path: " + Difference(expected: left.path, seen: right.path, isSecret: isSecret).pathNote
            )
        }
        if left.query.map(ByteText.init) != right.query.map(ByteText.init) {
            parts.append("query differs" + Self.queryNote(left.queryItems.items, right.queryItems.items))
        }
        if left.fragment.map(ByteText.init) != right.fragment.map(ByteText.init) {
            parts.append("fragment differs")
        }
        return parts.isEmpty || parts.count > 3 ? nil : parts.joined(separator: "; ")
    }

    /// In what two queries differ, by the names of their parameters.
    private static func queryNote(_ expected: [QueryItems.Item], _ seen: [QueryItems.Item]) -> String {
        let pairs = { (items: [QueryItems.Item]) in items.map { [ByteText($0.name), ByteText($0.value)] } }
        let (left, right) = (pairs(expected), pairs(seen))
        if left == right { return " in how it is encoded" }
        if Set(left) == Set(right), left.count == right.count { return " in the order of its parameters" }
        let values = { (items: [QueryItems.Item]) in
            items.reduce(into: [:]) { $0[ByteText($1.name), default: []].append(ByteText($1.value)) }
        }
        let (was, now) = (values(expected), values(seen))
        var known: Set<ByteText> = [ByteText("")]
        var names: [String] = []
        for name in (expected + seen).lazy.map({ ByteText($0.name) })
        where names.count < 6 && known.insert(name).inserted && was[name] != now[name] {
            names.append(name.text)
        }
        return names.isEmpty ? "" : " in " + names.joined(separator: ", ")
    }

    private var pathNote: String { form ?? affix ?? invisible ?? coding ?? spelling ?? cut ?? position }

    private var position: String {
        if isSecret {
            return
                "differs \(place); \(seen.unicodeScalars.count.counted("character")), \(expected.unicodeScalars.count) expected"
        }
        let skipped = commonPrefix
        let was = Self.excerpt(expected, from: skipped)
        let now = Self.excerpt(seen, from: skipped)
        return "differs \(place): \"\(now)\" instead of \"\(was)\"" + lookAlike
    }

    /// Many letters of other alphabets look like Latin ones.
    private var lookAlike: String {
        let skipped = commonPrefix
        let (was, now) = (
            expected.unicodeScalars.dropFirst(skipped).first, seen.unicodeScalars.dropFirst(skipped).first
        )
        guard let was, let now, was.isASCII != now.isASCII else { return "" }
        return "; the first of them is \(now.codePoint) instead of \(was.codePoint)"
    }

    private var place: String { "from character \(commonPrefix + 1) on" }

    private var commonPrefix: Int {
        zip(expected.unicodeScalars, seen.unicodeScalars).prefix { $0 == $1 }.count
    }

    // MARK: - Characters

    private static func visible(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { !$0.isInvisible }
    }

    /// Each kind once, at most four, as `U+200B`.
    private static func invisible(in text: String) -> [String] {
        var codes: [String] = []
        for scalar in text.unicodeScalars where scalar.isInvisible && codes.count < 4 {
            if !codes.contains(scalar.codePoint) { codes.append(scalar.codePoint) }
        }
        return codes
    }

    // MARK: - Respellings

    private static func excerpt(_ text: String, from count: Int) -> String {
        let rest = text.unicodeScalars.dropFirst(count)
        return String(String.UnicodeScalarView(rest.prefix(12))) + (rest.count > 12 ? "…" : "")
    }

    private static func name(_ port: Int?) -> String { port.map { "\($0)" } ?? "(none)" }

    private static func areBothLoopback(_ left: RecordedURL, _ right: RecordedURL) -> Bool {
        left.isOnLoopback && right.isOnLoopback
    }

    private static func withoutPadding(_ text: String) -> String {
        String(decoding: Array(text.utf8).reversed().drop { $0 == 0x3d }.reversed(), as: UTF8.self)
    }

    private static func trimmed(_ text: String) -> String {
        let rest = text.utf8.drop(while: \.isASCIIWhiteSpace)
        return String(
            decoding: Array(rest).reversed().drop(while: \.isASCIIWhiteSpace).reversed(),
            as: UTF8.self
        )
    }

    private static func inURLAlphabet(_ text: String) -> String {
        String(decoding: text.utf8.map { $0 == 0x2b ? 0x2d : $0 == 0x2f ? 0x5f : $0 }, as: UTF8.self)
    }
}
