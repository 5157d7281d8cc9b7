import Captures

/// Phone numbers that are known, as they are written elsewhere: with and without the country, in groups or not.
struct PhoneNumbers {
    /// The numbers by their last digits.
    private var numbers: [Int: (digits: [UInt8], text: String)] = [:]

    /// Two numbers that end in so many same digits are one number.
    private static let tail = 7
    private static let most = 15

    init(_ values: [String]) {
        for value in values where Self.isNumber(value.utf8) {
            let digits = value.utf8.filter(\.isASCIIDigit)
            guard digits.count > Self.tail, digits.count <= Self.most else { continue }
            let tail = Self.number(of: digits.suffix(Self.tail))
            if numbers[tail].map({ $0.digits.count < digits.count }) ?? true {
                numbers[tail] = (digits, value)
            }
        }
    }

    var isEmpty: Bool { numbers.isEmpty }

    /// Whether a text is digits, six at least, with nothing but what stands between the groups of a phone number, or before its
    /// extension.
    static func isNumber(_ text: some Collection<UInt8>) -> Bool {
        isPlain(text.prefix(lengthBeforeExtension(in: text) ?? text.count))
    }

    /// How long a number is without the extension behind it: `;ext=12` (RFC 3966, section 5.3), `ext. 12`, `x12`, `#12`; nil for
    /// one that has none.
    static func lengthBeforeExtension(in text: some Collection<UInt8>) -> Int? {
        let bytes = Array(text.suffix(longestExtension))
        let own = bytes.reversed().prefix(while: \.isASCIIDigit).count
        let label = bytes.dropLast(own).reversed().prefix { !$0.isASCIIDigit }
        let word = label.reversed().filter { $0.isASCIILetter || $0 == 0x23 }.map(\.asciiLowercased)
        guard (1...7).contains(own), extensions.contains(String(decoding: word, as: UTF8.self)),
            label.allSatisfy({ $0.isASCIILetter || marksOfExtensions.contains($0) })
        else { return nil }
        let count = text.count - own - label.count
        return isPlain(text.prefix(count)) ? count : nil
    }

    /// In bytes, with what says that it is one.
    private static let longestExtension = 24
    private static let extensions: Set<String> = [
        "#", "dw", "durchwahl", "ext", "extension", "interno", "poste", "ramal", "x",
    ]
    private static let marksOfExtensions = Set(" #(),.:;=".utf8)

    private static func isPlain(_ text: some Collection<UInt8>) -> Bool {
        guard text.count <= 32 else { return false }
        let digits = text.reduce(0) { $0 + ($1.isASCIIDigit ? 1 : 0) }
        return digits >= 6
            && text.allSatisfy {
                $0.isASCIIDigit || isSeparator($0) || $0 == 0x2b || $0 >= 0x80 && isOfSpace($0)
            }
    }

    /// The places of the digits of each known number in a text, with the number as it is known.
    ///
    /// As many digits of the known one as there are in the text agree, but for the zero in front of a national number. What is
    /// parted from it by no more than its own groups are may be another number: a time, a date, a count.
    func matches(in text: [UInt8]) -> [(places: [Int], number: String)] {
        guard !isEmpty else { return [] }
        var found: [(places: [Int], number: String)] = []
        var index = 0
        /// Where the group begins that follows the area code of a number.
        var rest: Int?
        while index < text.count {
            guard text[index].isASCIIDigit, index == 0 || !text[index - 1].isASCIIWordByte else {
                index += 1
                continue
            }
            let (places, ends) = Self.groups(from: index, in: text)
            let isBeginning = text[index] == 0x30 || index > 0 && text[index - 1] == 0x2b
            if isBeginning || rest != index, let (count, number) = number(in: text, at: places, ends) {
                found.append((Array(places.prefix(count)), number))
                index = places[count - 1] + 1
                continue
            }
            index = text[index...].firstIndex { !$0.isASCIIDigit } ?? text.count
            rest = isBeginning ? places.first { $0 >= index } : nil
        }
        return found
    }

    /// The digits from a place on, as many as a number has at most, and how many of them there are at the end of each group.
    private static func groups(from start: Int, in text: [UInt8]) -> (places: [Int], ends: [Int]) {
        var places: [Int] = []
        var ends: [Int] = []
        var index = start
        var gap = 0
        while index < text.count, places.count <= most {
            guard text[index].isASCIIDigit else {
                let length = lengthOfSeparator(at: index, in: text)
                gap += 1
                guard length > 0, gap <= 2 else { break }
                index += length
                continue
            }
            places.append(index)
            gap = 0
            index += 1
            if index == text.count || !text[index].isASCIIWordByte { ends.append(places.count) }
        }
        return (places, ends.filter { $0 <= most })
    }

    /// The known number that the longest of so many groups are, and how many digits they have.
    private func number(in text: [UInt8], at places: [Int], _ ends: [Int]) -> (count: Int, number: String)? {
        for count in ends.reversed() where count >= Self.tail {
            let last = places[(count - Self.tail)..<count]
            guard let number = numbers[Self.number(of: last.lazy.map { text[$0] })] else { continue }
            let digits = places.prefix(count).map { text[$0] }
            let national = digits.first == 0x30 ? Array(digits.drop { $0 == 0x30 }) : digits
            let (one, other) = (number.digits.reversed(), national.reversed())
            if one.starts(with: other) || other.starts(with: one) { return (count, number.text) }
        }
        return nil
    }

    private static func number(of digits: some Sequence<UInt8>) -> Int {
        digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// Of what may stand between two digits, in bytes: of a mark, or of a space or a dash that pages have lest a line ends there.
    static func lengthOfSeparator(at index: Int, in text: [UInt8]) -> Int {
        if isSeparator(text[index]) { return 1 }
        let rest = text[index...].prefix(3)
        if rest.starts(with: [0xc2, 0xa0]) { return 2 }
        // U+2007–U+2014, U+202F.
        guard rest.count == 3, rest.starts(with: [0xe2, 0x80]), let last = rest.last else { return 0 }
        return (0x87...0x94).contains(last) || last == 0xaf ? 3 : 0
    }

    /// Whether such a space or dash has a byte in it.
    private static func isOfSpace(_ byte: UInt8) -> Bool {
        [0x80, 0xa0, 0xaf, 0xc2, 0xe2].contains(byte) || (0x87...0x94).contains(byte)
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        [0x20, 0x2d, 0x28, 0x29, 0x2f, 0x2e].contains(byte)
    }
}
