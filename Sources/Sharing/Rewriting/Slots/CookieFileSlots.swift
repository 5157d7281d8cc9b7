import Captures

/// Cookies as curl and its like save them, a line each: host, whether its subdomains have it, path, whether it is for TLS only, when
/// it expires, name and value, with tabs between them.
enum CookieFileSlots {
    /// In order.
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.contains(0x09), text.firstRange(of: mark) != nil else { return [] }
        return text.split { $0 == 0x0a || $0 == 0x0d }.compactMap { line in
            guard line.count <= longest else { return nil }
            let fields = line.split(separator: 0x09, maxSplits: 6, omittingEmptySubsequences: false)
            guard fields.count == 7, isFlag(fields[1]), isFlag(fields[3]),
                isTime(fields[4]), fields[6].count > 1
            else { return nil }
            return Slot(name: name, range: fields[6].startIndex..<fields[6].endIndex, kind: .text)
        }
    }

    /// Whatever it is called it is a cookie's, in a file of settings as well.
    private static let name = "jsessionid"
    private static let mark = Array("TRUE\t".utf8)
    /// In bytes, of a line.
    private static let longest = 1 << 13

    /// In seconds; some programs write parts of them, and less than none for a cookie of the session.
    private static func isTime(_ field: ArraySlice<UInt8>) -> Bool {
        field.contains(where: \.isASCIIDigit)
            && field.allSatisfy { $0.isASCIIDigit || $0 == 0x2d || $0 == 0x2e }
    }

    private static func isFlag(_ field: ArraySlice<UInt8>) -> Bool {
        field.elementsEqual("TRUE".utf8) || field.elementsEqual("FALSE".utf8)
    }
}
