package import Captures
package import JSON

/// Whether a shared capture tells the same story as the one that it was made of: the same findings, outcomes, steps and
/// links, but for values and the numbers of the entries.
///
/// Knows no rule: what a capture tells comes from a function that is handed in.
package struct VerdictCheck {
    /// What differs, and where.
    package struct Difference: Sendable, Equatable, CustomStringConvertible {
        /// In the document, as `flows[0].findings[1].rule`.
        package var place: String
        package var original: String
        package var shared: String

        package var description: String { "\(place): \(shared) instead of \(original)" }
    }

    /// A capture's diagnosis and its timeline, as the documents that `diagnose` and `show` print.
    private let tell: (Capture) -> [JSONValue]

    package init(_ tell: @escaping (Capture) -> [JSONValue]) { self.tell = tell }

    // MARK: - Before: which entries are needed

    /// What the original tells, and which of its entries tell it.
    package struct Original {
        /// In order.
        package var entries: [Int]
        fileprivate var story: [JSONValue]
    }

    /// A capture of which everything is shared.
    package func original(all capture: Capture) -> Original {
        Original(entries: Array(capture.indices), story: tell(capture))
    }

    /// The entries without which the story would be another one: those of the flows, those that a finding points at, and
    /// what else has to stay.
    ///
    /// `flows`: entries of the flows. Of the rest first nothing is taken, then what went to the same hosts, then
    /// everything.
    package func original(_ capture: Capture, flows: Set<Int>) -> Original {
        let whole = tell(capture)
        let pointedAt = whole.reduce(into: Set<Int>()) { Self.collectEntries($1, &$0) }
        let first = flows.union(pointedAt).filter(capture.indices.contains)
        let hosts = Set(first.compactMap { capture[$0].request.url.host })
        let near = capture.indices.filter { index in
            first.contains(index) || capture[index].request.url.host.map(hosts.contains) ?? true
        }
        for kept in [first.sorted(), near] where kept.count < capture.count {
            let part = Capture(kept.map { capture[$0] })
            let told = tell(part)
            let differences = zip(whole, told).flatMap {
                Self.differences($0, $1, Leave(entries: Self.numbers(kept), isExact: true))
            }
            if differences.isEmpty { return Original(entries: kept, story: whole) }
        }
        return Original(entries: Array(capture.indices), story: whole)
    }

    // MARK: - After: whether it is the same

    /// What is told otherwise; none where the shared capture may be written.
    ///
    /// `times`: how the times of the shared capture were moved.
    /// `asked`: writes a text of the original without what somebody asked to be taken out.
    package func differences(
        _ original: Original,
        _ shared: Capture,
        times: TimeShift? = nil,
        asked: @escaping (String) -> String = { $0 }
    ) -> [Difference] {
        let leave = Leave(entries: Self.numbers(original.entries), times: times, asked: asked)
        return zip(original.story, tell(shared)).flatMap { Self.differences($0, $1, leave) }
    }

    // MARK: - Documents

    private static func numbers(_ entries: [Int]) -> [Int64: Int64] {
        Dictionary(uniqueKeysWithValues: entries.enumerated().map { (Int64($1), Int64($0)) })
    }

    private static func collectEntries(_ value: JSONValue, _ entries: inout Set<Int>) {
        switch value {
        case .array(let elements): for element in elements { collectEntries(element, &entries) }
        case .object(let object):
            for member in object.members {
                if member.name == "exchange", let entry = member.value.int { entries.insert(Int(entry)) }
                collectEntries(member.value, &entries)
            }
        default: return
        }
    }

    /// What may differ between two documents.
    private struct Leave {
        /// Numbers of entries in the one, by those in the other.
        var entries: [Int64: Int64]
        /// Values are the same, too.
        var isExact = false
        var times: TimeShift?
        var asked: (String) -> String = { $0 }

        /// A text of the original as the other one ought to have it.
        func moved(_ text: String) -> String {
            let text = asked(text)
            return times?.shifting(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } ?? text
        }
    }

    private static func differences(_ original: JSONValue, _ shared: JSONValue, _ leave: Leave)
        -> [Difference]
    {
        var found: [Difference] = []
        compare(original, shared, "", "", leave, &found)
        return found
    }

    private static func compare(
        _ original: JSONValue,
        _ shared: JSONValue,
        _ place: String,
        _ name: String,
        _ leave: Leave,
        _ found: inout [Difference]
    ) {
        func differ(_ one: String, _ other: String) {
            guard found.count < 100 else { return }
            found.append(Difference(place: place, original: one, shared: other))
        }
        switch (original, shared) {
        case (.object(let one), .object(let other)):
            let names = one.members.map(\.name)
            guard leave.isExact || !holdsValues(name) else {
                if names.count != other.members.count { differ("\(names.count)", "\(other.members.count)") }
                return
            }
            for name in Set(names).union(other.members.map(\.name)).sorted() {
                let inner = place.isEmpty ? name : place + "." + name
                compare(one[name] ?? .null, other[name] ?? .null, inner, name, leave, &found)
            }
        case (.array(let one), .array(let other)):
            guard one.count == other.count else {
                return differ("\(one.count)", "\(other.count)")
            }
            for (index, pair) in zip(one, other).enumerated() {
                compare(pair.0, pair.1, "\(place)[\(index)]", name, leave, &found)
            }
        case (.number(let one), .number(let other)) where name == "exchange" || name == "exchanges":
            let expected = one.int.flatMap { leave.entries[$0] }
            if expected != other.int { differ(one.text, other.text) }
        case (.number(let one), .number(let other)):
            if one != other, leave.isExact || !isValue(name) && leave.moved(one.text) != other.text {
                differ(one.text, other.text)
            }
        case (.string(let one), .string(let other)):
            if one == other { return }
            if leave.isExact || !isValue(name) && !areAlike(words(leave.moved(one)), words(other)) {
                differ(one, other)
            }
        default:
            if original != shared, leave.isExact || !isValue(name) {
                differ(JSONWriter.text(of: original), JSONWriter.text(of: shared))
            }
        }
    }

    private static func holdsValues(_ name: String) -> Bool {
        ["parameters", "repeated_parameters", "claims", "header", "encryption"].contains(name)
    }

    private static func isValue(_ name: String) -> Bool { name == "value" }

    /// Words are the same, but for values with a quotation mark inside, which end outside of theirs.
    private static func areAlike(_ one: [String], _ other: [String]) -> Bool {
        let (one, other) = (withoutRuns(one), withoutRuns(other))
        guard one.count == other.count else { return false }
        return zip(one, other).allSatisfy { word, standIn in
            if word == standIn || isCharacter(word) && isCharacter(standIn) { return true }
            guard word.utf8.count == standIn.utf8.count else { return false }
            let isCut = word.contains("…")
            guard isCut || word.utf8.count >= 8 && word.utf8.contains(where: { $0.isASCIIDigit })
            else {
                return false
            }
            return zip(word.utf8, standIn.utf8).allSatisfy { Self.outline($0) == Self.outline($1) }
        }
    }

    /// Whether a word is `U+1F600`: a character that has no place in a value.
    private static func isCharacter(_ word: String) -> Bool { word.hasPrefix("U+") }

    /// Several characters in a row as one: what is listed of them is each kind once, and two may have the same stand-in.
    private static func withoutRuns(_ words: [String]) -> [String] {
        words.enumerated().filter { place, word in
            place == 0 || !isCharacter(word) || !isCharacter(words[place - 1])
        }.map(\.element)
    }

    /// Whether a word may be a hash in base64url, of which no two have the same outline.
    private static func isHash(_ word: some Collection<UInt8>) -> Bool {
        let letters = word.filter { $0.isASCIILetter }
        return word.count >= 20
            && word.allSatisfy(\.isBase64URLCharacter)
            && letters.contains { $0 & 0x20 == 0 } && letters.contains { $0 & 0x20 != 0 }
    }

    /// What of a character a stand-in keeps.
    private static func outline(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 0x30...0x39: 0x30
        case 0x41...0x5a: 0x41
        case 0x61...0x7a: 0x61
        default: byte
        }
    }

    /// A text without the values in it: what stands in quotation marks, and what no person would have written.
    private static func words(_ text: String) -> [String] {
        var isQuoted = false
        var bare: [UInt8] = []
        for byte in text.utf8 {
            if byte == 0x22 { isQuoted.toggle() }
            if !isQuoted { bare.append(byte) }
        }
        return bare.split { $0 == 0x20 || $0 == 0x2c || $0 == 0x3a }.map { word in
            Drawn.looks(word) || isHash(word)
                || word.count >= 12 && word.contains { $0.isASCIIDigit }
                ? "…" : String(decoding: word, as: UTF8.self)
        }
    }
}
