import Captures

/// Documents that frameworks write as one list, in which objects say where the value of each member stands:
/// `[{"given_name": 1}, "Ada"]` (devalue, as SvelteKit and Nuxt have it), `[{"_1": 2}, "given_name", "Ada"]` (turbo-stream),
/// `"objs": [{"given_name": "1"}, "Ada"]` (Qwik).
struct FlattenedLists {
    /// The slots, of which those are called by a member that says something secret or personal and stands elsewhere in the list.
    static func named(_ slots: [Slot], in text: ArraySlice<UInt8>) -> [Slot] {
        guard text.firstRange(of: Array("},\"".utf8)) != nil else { return slots }
        var reader = FlattenedLists(text)
        while reader.readToken() {}
        guard !reader.names.isEmpty else { return slots }
        return slots.map { slot in
            guard let name = reader.names[slot.range.lowerBound] else { return slot }
            var slot = slot
            slot.name = name
            return slot
        }
    }

    private enum Element {
        /// Between its quotation marks.
        case string(Range<Int>)
        case object([Member])
        case other
    }

    /// One whose value is a whole number, in the list of Qwik in base 36 and a string: the place of it in the list.
    private struct Member {
        var name: Range<Int>
        var place: Int
        /// Where the number begins.
        var start: Int
    }

    /// A list or an object that is being read.
    private struct Container {
        let isList: Bool
        /// It is a list in which places are written as strings, or stands in one.
        let isOfStrings: Bool
        var elements: [Element] = []
        var members: [Member] = []
        /// The last string in an object.
        var name: Range<Int>?
    }

    private let text: ArraySlice<UInt8>
    private var index: Int
    private var containers: [Container] = []
    /// By where a value begins.
    private var names: [Int: String] = [:]
    private var telling: [String: Bool] = [:]

    private init(_ text: ArraySlice<UInt8>) {
        self.text = text
        index = text.startIndex
    }

    /// Deeper ones are nobody's document.
    private static let deepest = 256

    // MARK: - Tokens

    /// Reads on; false at the end, and where a string has none.
    private mutating func readToken() -> Bool {
        guard index < text.endIndex, containers.count < Self.deepest else { return false }
        let byte = text[index]
        switch byte {
        case 0x5b, 0x7b:
            open(byte)
        case 0x5d, 0x7d:
            close()
            index += 1
        case 0x22: return readString()
        case _ where Self.isOfWord(byte): readWord()
        default: index += 1
        }
        return true
    }

    private mutating func open(_ byte: UInt8) {
        let isNamed = containers.last?.name.map { text[$0].elementsEqual("objs".utf8) } ?? false
        let isOfStrings = byte == 0x5b && isNamed || containers.last?.isOfStrings ?? false
        containers.append(Container(isList: byte == 0x5b, isOfStrings: isOfStrings))
        index += 1
    }

    private mutating func close() {
        guard let container = containers.popLast() else { return }
        if container.isList { name(container.elements) }
        add(container.isList ? .other : .object(container.members))
    }

    private mutating func readString() -> Bool {
        var end = index + 1
        while end < text.endIndex, text[end] != 0x22 { end += text[end] == 0x5c ? 2 : 1 }
        guard end < text.endIndex else { return false }
        let string = (index + 1)..<end
        index = end + 1
        guard let last = containers.indices.last else { return true }
        if containers[last].isList {
            add(.string(string))
        } else if containers[last].isOfStrings, let name = containers[last].name,
            text[..<(string.lowerBound - 1)].last(where: { $0 > 0x20 }) == 0x3a
        {
            if string.count <= Self.longestPlace, let place = Int(SlotReader.string(text[string]), radix: 36)
            {
                containers[last].members.append(Member(name: name, place: place, start: string.lowerBound))
            }
            containers[last].name = nil
        } else {
            containers[last].name = string
        }
        return true
    }

    /// A number, or `true` and its like.
    private mutating func readWord() {
        let word = text[index...].prefix(while: Self.isOfWord)
        index = word.endIndex
        guard let last = containers.indices.last else { return }
        if containers[last].isList { return add(.other) }
        if let name = containers[last].name, word.count <= Self.longestPlace,
            word.allSatisfy(\.isASCIIDigit), let place = Int(SlotReader.string(word))
        {
            containers[last].members.append(Member(name: name, place: place, start: word.startIndex))
        }
        containers[last].name = nil
    }

    /// In digits.
    private static let longestPlace = 7

    private static func isOfWord(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == 0x2b || byte == 0x2d || byte == 0x2e
    }

    private mutating func add(_ element: Element) {
        guard let last = containers.indices.last, containers[last].isList else { return }
        containers[last].elements.append(element)
    }

    // MARK: - Names

    /// Names the values of a list that is read.
    private mutating func name(_ elements: [Element]) {
        func string(_ place: Int) -> Range<Int>? {
            guard elements.indices.contains(place), case .string(let range) = elements[place] else {
                return nil
            }
            return range
        }
        for case .object(let members) in elements {
            for member in members where elements.indices.contains(member.place) {
                let own = SlotReader.string(text[member.name])
                let isPlace = own.utf8.first == 0x5f && own.utf8.count <= Self.longestPlace
                let said = isPlace ? Int(own.dropFirst()).flatMap(string).map { text[$0] } : nil
                let name = said.map(SlotReader.string) ?? own
                guard isTelling(name) else { continue }
                switch elements[member.place] {
                case .string(let value): names[value.lowerBound] = name
                case .object: break
                case .other: continue
                }
                // Nobody is called by the number itself.
                names[member.start] = ""
            }
        }
    }

    private mutating func isTelling(_ name: String) -> Bool {
        if let known = telling[name] { return known }
        var isTelling = false
        if name.utf8.count <= 64, case .secret = SecretRoles.role(of: name, in: .claims) { isTelling = true }
        telling[name] = isTelling
        return isTelling
    }
}
