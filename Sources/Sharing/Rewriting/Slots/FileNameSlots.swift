import Captures

/// Parameters of a `Content-Disposition` field (RFC 6266), in a header or in a part of a multipart body.
enum FileNameSlots {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        stem(in: text).map { [Slot(name: SlotReader.fileName, range: $0, coding: .percent, kind: .text)] }
            ?? []
    }

    /// The name of a file without its ending, also in the form of RFC 8187 (`filename*=UTF-8''…`).
    static func stem(in text: ArraySlice<UInt8>) -> Range<Int>? {
        var range: Range<Int>
        if let plain = value(of: "filename", in: text) {
            range = plain
        } else if let extended = value(of: "filename*", in: text) {
            let mark = text[extended].lastIndex(of: 0x27).map { $0 + 1 } ?? extended.lowerBound
            range = mark..<extended.upperBound
        } else {
            return nil
        }
        if let dot = text[range].lastIndex(of: 0x2e), dot > range.lowerBound {
            range = range.lowerBound..<dot
        }
        return range.isEmpty ? nil : range
    }

    /// The value of a parameter, quoted or not.
    ///
    /// `name`: in small letters.
    static func value(of name: StaticString, in text: ArraySlice<UInt8>) -> Range<Int>? {
        var rest = text
        while let mark = rest.firstIndex(where: { $0 == 0x3b || $0 == 0x3a }) {
            rest = text[(mark + 1)...].drop { $0 <= 0x20 }
            let equals = rest.startIndex + name.utf8CodeUnitCount
            guard equals < text.endIndex, text[equals] == 0x3d,
                rest[..<equals].withUnsafeBufferPointer({ ASCIICase.areEqual($0, name) })
            else { continue }
            let value = rest[(equals + 1)...]
            if value.first == 0x22 {
                let inner = value.dropFirst()
                return inner.startIndex..<(inner.firstIndex(of: 0x22) ?? text.endIndex)
            }
            let end = value.firstIndex { $0 == 0x3b || $0 <= 0x20 } ?? text.endIndex
            return value.startIndex..<end
        }
        return nil
    }
}
