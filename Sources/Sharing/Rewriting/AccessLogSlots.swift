import Captures

/// Who signed in, in the lines of a web server's log: `198.51.100.17 - ada [25/Mar/2026:09:15:20 +0000] "GET …`.
enum AccessLogSlots {
    static func slots(in text: ArraySlice<UInt8>) -> [Slot] {
        guard let first = text.first, first > 0x20 else { return [] }
        return text.indices.compactMap { mark in
            guard text[mark] == 0x5b, isTime(text[mark...]) else { return nil }
            return user(before: mark, in: text).map {
                Slot(name: "username", range: $0.startIndex..<$0.endIndex, kind: .text)
            }
        }
    }

    /// Whether a time begins there as such logs write it: `[25/Mar/2026:`.
    private static func isTime(_ text: ArraySlice<UInt8>) -> Bool {
        let parts = text.dropFirst().prefix(12).split(separator: 0x2f, omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0].count == 2 && parts[0].allSatisfy(\.isASCIIDigit)
            && parts[1].count == 3 && parts[1].allSatisfy(\.isASCIILetter)
            && parts[2].count == 5 && parts[2].dropLast().allSatisfy(\.isASCIIDigit) && parts[2].last == 0x3a
    }

    /// The word before the time, behind the host and the mark for what no `ident` told; nil where it says that nobody did.
    ///
    /// Logs of HAProxy's and of S3 have an address or a bucket before the time.
    private static func user(before mark: Int, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let words = text[..<mark].suffix(longest).split(
            separator: 0x20,
            omittingEmptySubsequences: false
        ).suffix(4)
        guard words.count == 4, let end = words.last, end.isEmpty, let user = words.dropLast().last,
            !user.isEmpty, !user.elementsEqual("-".utf8), let host = words.first, !host.isEmpty,
            words.dropFirst().first?.elementsEqual("-".utf8) == true,
            user.allSatisfy({ $0 > 0x20 })
        else { return nil }
        return user
    }

    /// In bytes, of what stands before the time.
    private static let longest = 192
}
