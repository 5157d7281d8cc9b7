import JSON

/// The scripts that stand in a page.
package enum HTMLScripts {
    /// Whether one of them is loaded from somewhere else.
    package static func areLoaded(by page: [UInt8]) -> Bool {
        HTMLTags(page, of: ["script"]).contains { $0.attribute("src") != nil }
    }

    /// The texts that they call a function with while the page loads, as in `show("Saved.")`, in order, the first few.
    ///
    /// Only calls that are a statement of their own, in no braces: what stands in a function, behind a condition, in a table of
    /// texts or in an error to be thrown is for a case that may never come. What goes to the console nobody sees.
    package static func saidTexts(in page: [UInt8]) -> [String] {
        guard HTMLTags.isBegun("script", in: page) else { return [] }
        var texts: [String] = []
        var tags = HTMLTags(page, of: ["script"])
        while texts.count < most, let tag = tags.next() {
            let script = tags.script()
            if runs(tag) { add(saidIn: script, to: &texts) }
        }
        return texts
    }

    /// What the data that Grafana's and pgAdmin's pages begin with says of a sign-in that failed, for their scripts to show.
    ///
    /// Of those pages alone: elsewhere a member of this name may be one of the texts for what may happen yet.
    package static func failedSignIn(in page: [UInt8]) -> String? {
        page.withUnsafeBufferPointer { page in
            for (data, name) in startingData {
                guard let start = ByteSearch.index(of: data, in: page) else { continue }
                let rest = UnsafeBufferPointer(rebasing: page[start...])
                guard let found = ByteSearch.index(of: name, in: rest) else { return nil }
                let text = Array(rest[(found + name.utf8CodeUnitCount - 1)...].prefix(longest))
                let words = try? JSONParser.parse(text[..<end(ofString: text[...])]).string
                return words.flatMap { $0.isEmpty ? nil : $0 }
            }
            return nil
        }
    }

    /// What calls the data by name, and the member before the words, up to their quote.
    private static let startingData: [(StaticString, StaticString)] = [
        ("grafanaBootData", "\"loginError\":\""),
        ("renderSecurityPage('login_user'", "[[\"Error\"], \""),
    ]

    /// Whether a browser takes it for a script: others are data and templates.
    private static func runs(_ tag: HTMLTags.Tag) -> Bool {
        guard let type = tag.attribute("type")?.lowercased(), !type.isEmpty else { return true }
        return type == "module" || type.containsBytes("javascript") || type.containsBytes("ecmascript")
    }

    private static func add(saidIn script: ArraySlice<UInt8>, to texts: inout [String]) {
        var depth = 0
        var index = script.startIndex
        while texts.count < most, index < script.endIndex {
            let byte = script[index]
            switch byte {
            case 0x7b: depth += 1
            case 0x7d: depth = max(0, depth - 1)
            case 0x22, 0x27, 0x60:
                index = end(ofString: script[index...])
                continue
            case 0x2f:
                if let end = end(ofComment: script[index...]) {
                    index = end
                    continue
                }
            case 0x28 where depth == 0:
                if let text = text(in: script[(index + 1)...]), isStatement(script[..<index]) {
                    texts.append(String(decoding: text, as: UTF8.self))
                }
            default: break
            }
            index += 1
        }
    }

    /// What stands between the quotes that a list of arguments begins with, where it is more than a word.
    private static func text(in arguments: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let quote = arguments.first, quote == 0x22 || quote == 0x27 else { return nil }
        let text = arguments.dropFirst().prefix(longest)
        guard let end = text.firstIndex(of: quote), text[..<end].contains(0x20) else { return nil }
        return text[..<end]
    }

    /// Whether a script ends in the name of a function, with those of its objects, that begins a statement.
    private static func isStatement(_ script: ArraySlice<UInt8>) -> Bool {
        let name = script.suffix(longest).reversed().prefix { isOfName($0) || $0 == 0x2e }
        guard !name.isEmpty, name.count < longest else { return false }
        let text = String(decoding: name.reversed(), as: UTF8.self)
        guard !text.hasPrefix("console."), !text.hasSuffix("Error") else { return false }
        let before = script.dropLast(name.count).suffix(longest).last { $0 != 0x20 && $0 != 0x09 }
        return before.map { [0x0a, 0x0d, 0x3b, 0x7d].contains($0) } ?? true
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIIWordByte || byte == 0x24
    }

    /// Behind the string that begins here; one that is left open ends with its line.
    private static func end(ofString text: ArraySlice<UInt8>) -> Int {
        let quote = text[text.startIndex]
        var index = text.startIndex + 1
        while index < text.endIndex {
            switch text[index] {
            case quote: return index + 1
            case 0x5c: index += 1
            case 0x0a where quote != 0x60: return index
            default: break
            }
            index += 1
        }
        return text.endIndex
    }

    /// Behind the comment that begins here; nil where none does.
    private static func end(ofComment text: ArraySlice<UInt8>) -> Int? {
        switch text.dropFirst().first {
        case 0x2f: text.firstIndex(of: 0x0a) ?? text.endIndex
        case 0x2a: text.dropFirst(2).firstRange(of: [0x2a, 0x2f])?.upperBound ?? text.endIndex
        default: nil
        }
    }

    private static let most = 50
    /// In bytes of a text.
    private static let longest = 300
}
