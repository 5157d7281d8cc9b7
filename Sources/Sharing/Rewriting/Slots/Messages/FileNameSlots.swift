import Captures

/// Parameters of a `Content-Disposition` field (RFC 6266), in a header or in a part of a multipart body.
enum FileNameSlots {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        stems(in: text).map { Slot(name: SlotReader.fileName, range: $0, coding: .percent, kind: .text) }
    }

    /// The names of a file without their endings: that of all readers, and the one in the form of RFC 8187
    /// (`filename*=UTF-8''…`), which may stand beside it.
    static func stems(in text: ArraySlice<UInt8>) -> [Range<Int>] {
        let extended = value(of: "filename*", in: text).map { range in
            (text[range].lastIndex(of: 0x27).map { $0 + 1 } ?? range.lowerBound)..<range.upperBound
        }
        return [value(of: "filename", in: text), extended].compactMap(\.self).compactMap { range in
            let dot = text[range].lastIndex(of: 0x2e).flatMap { $0 > range.lowerBound ? $0 : nil }
            let stem = range.lowerBound..<(dot ?? range.upperBound)
            return stem.isEmpty ? nil : stem
        }
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
