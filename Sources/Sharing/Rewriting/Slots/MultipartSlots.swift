import Captures

/// The parts of a multipart body (RFC 2046, section 5.1), the fields of a form (RFC 7578) among them.
enum MultipartSlots {
    struct Part {
        /// Of the field; nil where the part has none.
        var name: String?
        /// Of a file that was uploaded, without its ending; none where there is none.
        var fileNames: [Range<Int>] = []
        /// Empty where it says none.
        var mediaType: String
        /// Behind the empty line, without the line break at its end.
        var value: Range<Int>
    }

    static func slots(in text: ArraySlice<UInt8>, boundary: [UInt8]) -> [Slot] {
        let slots = parts(in: text, boundary: boundary).flatMap { part -> [Slot] in
            let value = Slot(name: part.name ?? "", range: part.value)
            return part.fileNames.map { Slot(name: SlotReader.fileName, range: $0, kind: .text) } + [value]
        }
        return GraphQLVariables.named(slots, in: text)
    }

    static func parts(in text: ArraySlice<UInt8>, boundary: [UInt8]) -> [Part] {
        guard !boundary.isEmpty else { return [] }
        let delimiter = [0x2d, 0x2d] + boundary
        var parts: [Part] = []
        var rest = text
        while let start = rest.firstRange(of: delimiter)?.upperBound {
            rest = text[start...]
            let end = rest.firstRange(of: delimiter)?.lowerBound ?? text.endIndex
            if let part = part(text[start..<end]) { parts.append(part) }
        }
        return parts
    }

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
            default: continue
            }
        }
        return part
    }
}
