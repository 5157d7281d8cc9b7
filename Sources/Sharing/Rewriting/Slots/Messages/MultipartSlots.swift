import Captures

/// The parts of a multipart body (RFC 2046, section 5.1), the fields of a form (RFC 7578) among them.
enum MultipartSlots {
    struct Part {
        /// Of the field; nil where the part has none.
        var name: String?
        /// Of a file that was uploaded, without its ending; none where there is none.
        var fileNames: [Range<Int>] = []
        /// Of the other fields in its head.
        var fields: [Slot] = []
        /// Empty where it says none.
        var mediaType: String
        /// Behind the empty line, without the line break at its end.
        var value: Range<Int>
    }

    static func slots(in text: ArraySlice<UInt8>, boundary: [UInt8]) -> [Slot] {
        guard !boundary.isEmpty else { return [] }
        let (before, pieces) = pieces(of: text, boundary: boundary)
        let slots = pieces.reduce(into: tornPart(before) ?? beside(before)) { slots, piece in
            if let epilogue = epilogue(piece) {
                slots += beside(epilogue)
            } else if let part = part(piece) {
                slots += part.fileNames.map { Slot(name: SlotReader.fileName, range: $0, kind: .text) }
                slots += part.fields + [Slot(name: part.name ?? "", range: part.value)]
            } else {
                slots += beside(piece)
            }
        }
        return GraphQLVariables.named(slots, in: text)
    }

    static func parts(in text: ArraySlice<UInt8>, boundary: [UInt8]) -> [Part] {
        guard !boundary.isEmpty else { return [] }
        return pieces(of: text, boundary: boundary).behind.compactMap(part)
    }

    /// What stands before the first delimiter, and behind each of them.
    private static func pieces(
        of text: ArraySlice<UInt8>,
        boundary: [UInt8]
    ) -> (before: ArraySlice<UInt8>, behind: [ArraySlice<UInt8>]) {
        let delimiter = [0x2d, 0x2d] + boundary
        guard let first = text.firstRange(of: delimiter) else { return (text, []) }
        var pieces: [ArraySlice<UInt8>] = []
        var rest = text[first.upperBound...]
        while let next = rest.firstRange(of: delimiter) {
            pieces.append(rest[..<next.lowerBound])
            rest = rest[next.upperBound...]
        }
        return (text[..<first.lowerBound], pieces + [rest])
    }

    // MARK: - Beside the parts

    /// What stands behind the delimiter that ends a body (RFC 2046, section 5.1.1); nil for a part.
    private static func epilogue(_ piece: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard piece.starts(with: [0x2d, 0x2d]) else { return nil }
        let rest = piece.dropFirst(2)
        return rest.first.map { $0 <= 0x20 } ?? true ? rest : nil
    }

    /// What nobody is to read, and some write into all the same: a text by itself; none where there is none.
    private static func beside(_ text: ArraySlice<UInt8>) -> [Slot] {
        let rest = text.drop { $0 <= 0x20 }
        guard let last = rest.lastIndex(where: { $0 > 0x20 }) else { return [] }
        return [Slot(name: "", range: rest.startIndex..<(last + 1))]
    }

    /// The value of a first part that begins within its head, `"phone"`, an empty line and what it is; nil for others.
    private static func tornPart(_ text: ArraySlice<UInt8>) -> [Slot]? {
        guard text.first == 0x22, let close = text.dropFirst().firstIndex(of: 0x22),
            text[(close + 1)...].first.map({ $0 == 0x0a || $0 == 0x0d }) ?? false, let part = part(text)
        else { return nil }
        let name = SlotReader.string(text[(text.startIndex + 1)..<close])
        return part.fields + [Slot(name: name, range: part.value)]
    }

    // MARK: - Parts

    private static func part(_ text: ArraySlice<UInt8>) -> Part? {
        let crlf = text.firstRange(of: Array("\r\n\r\n".utf8))
        let lf = text.firstRange(of: Array("\n\n".utf8))
        guard let gap = crlf ?? lf else { return nil }
        let end = text.lastIndex { $0 != 0x0a && $0 != 0x0d }.map { $0 + 1 } ?? text.startIndex
        var part = Part(mediaType: "", value: gap.upperBound..<max(gap.upperBound, end))
        let head = text[..<gap.lowerBound]
        for line in head.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            guard let colon = line.firstIndex(of: 0x3a) else { continue }
            switch SlotReader.string(line[..<colon]).lowercased() {
            case "content-type":
                part.mediaType = SlotReader.string(line[(colon + 1)...].drop { $0 <= 0x20 })
            case "content-disposition":
                part.name = FileNameSlots.value(of: "name", in: line).map { SlotReader.string(line[$0]) }
                part.fileNames = FileNameSlots.stems(in: line)
            default: part.fields += SlotReader.fields(line)
            }
        }
        return part
    }
}
