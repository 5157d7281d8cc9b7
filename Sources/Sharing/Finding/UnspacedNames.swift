/// Names in the scripts of China, Japan and Korea, which stand among other words without a space: `山田太郎さん`, `用户张伟已登录`.
struct UnspacedNames {
    /// By their first characters, the longest of each first.
    private var names: [[UInt8]: [[UInt8]]] = [:]

    /// Takes a word of somebody's name, if it is of such a script and long enough to be told from other words.
    mutating func insert(_ name: [UInt8]) {
        guard name.count.isMultiple(of: Self.width), name.count >= Self.shortest, Self.isOfSuchScript(name)
        else { return }
        let first = Array(name.prefix(Self.width))
        guard !names[first, default: []].contains(name) else { return }
        names[first, default: []].append(name)
        names[first]?.sort { $0.count > $1.count }
    }

    /// Those that stand in a run of letters of such scripts, which is no name as a whole.
    ///
    /// Of Korean names those at its beginning: between its words there are spaces, and endings stand behind them.
    func matches(in text: [UInt8], _ run: Range<Int>) -> [(range: Range<Int>, name: [UInt8])] {
        guard !names.isEmpty else { return [] }
        var found: [(range: Range<Int>, name: [UInt8])] = []
        var index = run.lowerBound
        while index + Self.shortest <= run.upperBound {
            let first = Array(text[index..<(index + Self.width)])
            let name = names[first]?.first { text[index..<run.upperBound].starts(with: $0) }
            if let name, index == run.lowerBound || !Self.isHangul(first) {
                found.append((index..<(index + name.count), name))
                index += name.count
            } else {
                index += text[index] < 0xf0 ? Self.width : Self.width + 1
            }
        }
        return found
    }

    /// In bytes, of a character.
    private static let width = 3
    /// Two characters: a single one is a part of many words.
    private static let shortest = 6

    /// Whether all characters are of these scripts, and some no Hiragana, of which the endings of words are made, too.
    private static func isOfSuchScript(_ name: [UInt8]) -> Bool {
        let characters = stride(from: 0, to: name.count, by: width).map { Array(name[$0..<($0 + width)]) }
        return characters.allSatisfy { isHan($0) || isKana($0) || isHangul($0) }
            && characters.contains { !isHiragana($0) }
    }

    /// U+3400–U+9FFF.
    private static func isHan(_ character: [UInt8]) -> Bool {
        (0xe4...0xe9).contains(character[0]) || character[0] == 0xe3 && character[1] >= 0x90
    }

    /// U+3040–U+30FF.
    private static func isKana(_ character: [UInt8]) -> Bool {
        character[0] == 0xe3 && (0x81...0x83).contains(character[1])
    }

    /// U+3040–U+309F.
    private static func isHiragana(_ character: [UInt8]) -> Bool {
        character[0] == 0xe3 && (character[1] == 0x81 || character[1] == 0x82 && character[2] < 0xa0)
    }

    /// U+AC00–U+D7AF.
    private static func isHangul(_ character: [UInt8]) -> Bool {
        character[0] == 0xea && character[1] >= 0xb0 || [0xeb, 0xec].contains(character[0])
            || character[0] == 0xed && character[1] < 0x9f
    }
}
