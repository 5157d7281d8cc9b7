import Captures

/// The words a person reads on a page: tags, scripts and styles left out, white space run together.
enum PageText {
    /// Of at most the first `limit` bytes.
    static func words(of body: Body?, limit: Int = 1 << 18) -> String {
        guard let bytes = body?.bytes?.prefix(limit) else { return "" }
        let isMarkup = body?.essence == "text/html" || bytes.first { $0 > 0x20 } == 0x3c
        guard isMarkup else { return collapsed(bytes) }
        let lower = bytes.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
        var output: [UInt8] = []
        var index = 0
        while index < lower.count {
            guard lower[index] == 0x3c else {
                output.append(bytes[bytes.startIndex + index])
                index += 1
                continue
            }
            output.append(0x20)
            let closing = hidden.first { lower[index...].starts(with: "<\($0)".utf8) }.map { "</\($0)" }
            index = end(of: closing ?? ">", in: lower, after: index)
        }
        let text = HTMLText.decode(output)
        // The Entra pages keep their message in a script and write it from there.
        guard let start = ByteSearch.index(of: Array("aadsts".utf8), in: lower),
            !text.containsBytes("AADSTS")
        else { return collapsed(text.utf8) }
        let message = bytes[(bytes.startIndex + start)...].prefix(400).prefix { $0 != 0x22 && $0 != 0x3c }
        return collapsed(Array(text.utf8) + [0x20] + message)
    }

    private static let hidden = ["script", "style"]

    private static func end(of mark: String, in bytes: [UInt8], after index: Int) -> Int {
        let wanted = Array(mark.utf8)
        var place = index
        while place < bytes.count {
            if bytes[place] == wanted[0], bytes[place...].starts(with: wanted) {
                // Of a closing tag the rest is a tag of its own.
                return wanted.count == 1 ? place + 1 : end(of: ">", in: bytes, after: place)
            }
            place += 1
        }
        return place
    }

    private static func collapsed(_ bytes: some Collection<UInt8>) -> String {
        let words = bytes.split { $0 <= 0x20 }
        return String(decoding: Array(words.joined(separator: [0x20])), as: UTF8.self)
    }
}
