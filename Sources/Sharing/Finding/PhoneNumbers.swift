import Captures

/// Phone numbers that are known, as they are written elsewhere: with and without the country, in groups or not.
struct PhoneNumbers {
    /// The numbers by their last digits.
    private var numbers: [[UInt8]: (digits: [UInt8], text: String)] = [:]

    /// Two numbers that end in so many same digits are one number.
    private static let tail = 7
    private static let most = 15

    init(_ values: [String]) {
        for value in values where Self.isNumber(value.utf8) {
            let digits = value.utf8.filter(\.isASCIIDigit)
            guard digits.count > Self.tail, digits.count <= Self.most else { continue }
            let tail = Array(digits.suffix(Self.tail))
            if numbers[tail].map({ $0.digits.count < digits.count }) ?? true {
                numbers[tail] = (digits, value)
            }
        }
    }

    var isEmpty: Bool { numbers.isEmpty }

    /// Whether a text is digits, six at least, with nothing but what stands between the groups of a phone number.
    static func isNumber(_ text: some Collection<UInt8>) -> Bool {
        guard text.count <= 32 else { return false }
        let digits = text.reduce(0) { $0 + ($1.isASCIIDigit ? 1 : 0) }
        return digits >= 6 && text.allSatisfy { $0.isASCIIDigit || isSeparator($0) || $0 == 0x2b }
    }

    /// The places of the digits of each known number in a text, with the number as it is known.
    ///
    /// As many digits of the known one as there are in the text agree, but for the zero in front of a national number.
    func matches(in text: [UInt8]) -> [(places: [Int], number: String)] {
        guard !isEmpty else { return [] }
        var found: [(places: [Int], number: String)] = []
        var index = 0
        while index < text.count {
            guard text[index].isASCIIDigit, index == 0 || !text[index - 1].isASCIIWordByte else {
                index += 1
                continue
            }
            var places: [Int] = []
            var end = index
            while end < text.count, places.count <= Self.most {
                if text[end].isASCIIDigit {
                    places.append(end)
                } else if !Self.isSeparator(text[end]) || end - (places.last ?? end) > 2 {
                    break
                }
                end += 1
            }
            defer { index = max(index + 1, (places.last ?? index) + 1) }
            guard let last = places.last, places.count >= Self.tail, places.count <= Self.most,
                last + 1 == text.count || !text[last + 1].isASCIIWordByte
            else { continue }
            let digits = places.map { text[$0] }
            guard let number = numbers[Array(digits.suffix(Self.tail))] else { continue }
            let national = digits.first == 0x30 ? Array(digits.drop { $0 == 0x30 }) : digits
            let (one, other) = (number.digits.reversed(), national.reversed())
            guard one.starts(with: other) || other.starts(with: one) else { continue }
            found.append((places, number.text))
        }
        return found
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        [0x20, 0x2d, 0x28, 0x29, 0x2f, 0x2e].contains(byte)
    }
}
