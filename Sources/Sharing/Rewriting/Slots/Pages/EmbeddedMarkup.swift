import Captures

/// Documents of XML that stand among other words, as programs log the messages that they send and get:
/// `DEBUG decoded <samlp:Response xmlns:samlp="…">…</samlp:Response>`.
///
/// One that is cut is read to the end of its line.
enum EmbeddedMarkup {
    /// The slots of a text, with the documents in it in the place of what was found inside of them.
    static func beside(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        let documents = documents(in: text)
        return documents.isEmpty ? slots : WrappedTokens.apart(slots, from: documents, in: text) + documents
    }

    /// Whether a text may have such a document in it: namespaces are declared in its root.
    static func mayHold(_ text: ArraySlice<UInt8>) -> Bool { text.firstRange(of: declaration) != nil }

    /// In order.
    private static func documents(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.contains(0x3c), mayHold(text) else { return [] }
        let ends = ends(in: text)
        var slots: [Slot] = []
        var rest = text
        while let open = rest.firstIndex(of: 0x3c) {
            rest = text[(open + 1)...]
            guard let root = root(behind: rest) else { continue }
            let own = ends[root] ?? []
            let next = own.partitionPoint { $0 > root.endIndex }
            let end =
                next < own.count
                ? own[next] : text[root.endIndex...].firstIndex { $0 == 0x0a } ?? text.endIndex
            slots.append(Slot(name: "", range: open..<end, kind: .html))
            rest = text[end...]
        }
        return slots
    }

    /// Where elements end, by their names, in order: behind their last tags.
    private static func ends(in text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>: [Int]] {
        var ends: [ArraySlice<UInt8>: [Int]] = [:]
        var rest = text
        while let open = rest.firstIndex(of: 0x3c) {
            rest = text[(open + 1)...]
            guard rest.first == 0x2f else { continue }
            let name = name(behind: rest.dropFirst())
            guard !name.isEmpty, text[name.endIndex...].first == 0x3e else { continue }
            ends[name, default: []].append(name.endIndex + 1)
        }
        return ends
    }

    private static let declaration = Array("xmlns".utf8)
    /// In bytes, of the name of an element.
    private static let longestName = 64

    /// The name of the element that begins with a text, if a namespace is declared in its tag; nil for others.
    private static func root(behind text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let tag = text.prefix { $0 != 0x3e && $0 != 0x3c }
        let name = name(behind: tag)
        guard name.first?.isASCIILetter ?? false, tag.endIndex < text.endIndex, text[tag.endIndex] == 0x3e,
            tag.firstRange(of: declaration) != nil
        else { return nil }
        return name
    }

    private static func name(behind text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        text.prefix(longestName).prefix {
            $0.isASCIIWordByte || $0 == 0x2d || $0 == 0x2e || $0 == 0x3a
        }
    }
}
