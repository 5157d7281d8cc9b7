/// The scripts that stand in a page.
package enum HTMLScripts {
    /// The texts that they call a function with, as in `show("Saved.")`, in order, the first few; those of tables of texts, which
    /// a page may have for every case, are none.
    package static func saidTexts(in page: [UInt8]) -> [String] {
        guard HTMLTags.isBegun("script", in: page) else { return [] }
        var texts: [String] = []
        var tags = HTMLTags(page, of: ["script"])
        while texts.count < most, tags.next() != nil { add(saidIn: tags.script(), to: &texts) }
        return texts
    }

    private static func add(saidIn script: ArraySlice<UInt8>, to texts: inout [String]) {
        var rest = script
        while texts.count < most, let call = rest.firstIndex(of: 0x28) {
            let isOfFunction = call > script.startIndex && isOfName(script[call - 1])
            rest = script[(call + 1)...]
            guard isOfFunction, let quote = rest.first, quote == 0x22 || quote == 0x27,
                let end = rest.dropFirst().prefix(longest).firstIndex(of: quote)
            else { continue }
            let text = String(decoding: script[(call + 2)..<end], as: UTF8.self)
            if text.contains(" ") { texts.append(text) }
            rest = script[(end + 1)...]
        }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || (0x30...0x39).contains(byte) || byte == 0x5f || byte == 0x24
    }

    private static let most = 50
    /// In bytes of a text.
    private static let longest = 300
}
