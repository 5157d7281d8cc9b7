import Captures

/// What Next.js streams into a page, a piece in a script of its own each, wherever the stream was cut:
/// `self.__next_f.push([1,"5:{\"given_name\":\"Ad"])</script><script>self.__next_f.push([1,"a\"}\n"])</script>`.
enum StreamedScripts {
    /// The text of all pieces from one script on, from behind the first quotation mark to before the last one, or to where the page
    /// was cut off; nil where it is none of them, or the last.
    static func range(from start: Int, in text: ArraySlice<UInt8>) -> Range<Int>? {
        let first = text[start...].drop { $0.isASCIIWhiteSpace }
        guard first.starts(with: opening) else { return nil }
        let begin = first.startIndex + opening.count
        var (end, isSeveral) = (begin, false)
        while let close = endOfString(from: end, in: text) {
            guard let length = lengthOfJoint(at: close, in: text) else {
                return isSeveral ? begin..<close : nil
            }
            (end, isSeveral) = (close + length, true)
        }
        return isSeveral ? begin..<text.endIndex : nil
    }

    private static let opening = Array("self.__next_f.push([1,\"".utf8)
    private static let closing = Array("\"])</script>".utf8)
    /// In bytes, of the tag between two pieces, which may have a `nonce`.
    private static let longestTag = 256

    private static func endOfString(from start: Int, in text: ArraySlice<UInt8>) -> Int? {
        var index = start
        while index < text.endIndex, text[index] != 0x22 { index += text[index] == 0x5c ? 2 : 1 }
        return index < text.endIndex ? index : nil
    }

    /// Of what ends one piece and begins the next; nil where there is none.
    static func lengthOfJoint(at index: Int, in text: ArraySlice<UInt8>) -> Int? {
        guard text[index...].starts(with: closing) else { return nil }
        let tag = text[(index + closing.count)...].drop { $0.isASCIIWhiteSpace }
        guard tag.starts(with: "<script".utf8), let end = tag.prefix(longestTag).firstIndex(of: 0x3e),
            text[(end + 1)...].starts(with: opening)
        else { return nil }
        return end + 1 + opening.count - index
    }
}
