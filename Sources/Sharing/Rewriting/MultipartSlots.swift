/// The fields of a `multipart/form-data` body (RFC 7578), with the places of their values.
enum MultipartSlots {
    static func slots(in text: ArraySlice<UInt8>, boundary: [UInt8]) -> [Slot] {
        guard !boundary.isEmpty else { return [] }
        let delimiter = [0x2d, 0x2d] + boundary
        var slots: [Slot] = []
        var rest = text
        while let start = rest.firstRange(of: delimiter)?.upperBound {
            rest = text[start...]
            let end = rest.firstRange(of: delimiter)?.lowerBound ?? text.endIndex
            if let slot = slot(of: text[start..<end]) { slots.append(slot) }
        }
        return slots
    }

    private static func slot(of part: ArraySlice<UInt8>) -> Slot? {
        let crlf = part.firstRange(of: Array("\r\n\r\n".utf8))
        let lf = part.firstRange(of: Array("\n\n".utf8))
        guard let gap = crlf ?? lf else { return nil }
        let head = String(decoding: part[..<gap.lowerBound], as: UTF8.self)
        guard let name = name(in: head) else { return nil }
        let end = part.lastIndex { $0 != 0x0a && $0 != 0x0d }.map { $0 + 1 } ?? part.startIndex
        return Slot(name: name, range: gap.upperBound..<max(gap.upperBound, end))
    }

    private static func name(in head: String) -> String? {
        // Quoted or not, behind a space or a line break.
        for parameter in head.split(whereSeparator: { $0 == ";" || $0.isNewline }) {
            let pair = parameter.drop { $0 == " " || $0 == "\t" }
            guard pair.lowercased().hasPrefix("name=") else { continue }
            return String(pair.dropFirst(5).filter { $0 != "\"" })
        }
        return nil
    }
}
