import Captures

/// Numbers that states give their people, told from other numbers by their shape and their check digits: Brazil's CPF, Italy's codice
/// fiscale, Finland's, Norway's, Estonia's, Lithuania's and Poland's, Belgium's and Spain's, those of the Emirates.
enum NationalNumbers {
    /// Where a number ends that begins here, at the beginning of a word; nil for none.
    static func end(in text: [UInt8], at start: Int) -> Int? {
        let found = shapes.first { shape in
            let end = start + shape.pattern.count
            // What goes on is another number.
            guard end <= text.count, end == text.count || !text[end].isASCIIWordByte,
                zip(shape.pattern, text[start..<end]).allSatisfy(fits)
            else { return false }
            return shape.isOne(Array(text[start..<end]))
        }
        return found.map { start + $0.pattern.count }
    }

    private struct Shape: Sendable {
        var pattern: [UInt8]
        var isOne: @Sendable ([UInt8]) -> Bool

        init(_ pattern: String, _ isOne: @escaping @Sendable ([UInt8]) -> Bool) {
            self.pattern = Array(pattern.utf8)
            self.isOne = isOne
        }
    }

    /// `9` stands for a digit, `A` for a capital letter, `X` for either, `s` for the mark of a century; what else there is for itself.
    private static let shapes = [
        Shape("999.999.999-99") { isBrazilian(digits($0)) }, Shape("AAAAAA99A99A999A", isItalian),
        Shape("999999s999X", isFinnish),
        Shape("99999999999") {
            isNorwegian(digits($0)) || isBaltic(digits($0)) || isPolish(digits($0))
        }, Shape("99.99.99-999.99") { isBelgian(digits($0)) }, Shape("99999999A", isSpanish),
        Shape("A9999999A", isSpanish), Shape("784-9999-9999999-9") { passesLuhn(digits($0)) },
        Shape("784999999999999") { passesLuhn(digits($0)) },
    ]

    private static func fits(_ pattern: UInt8, _ byte: UInt8) -> Bool {
        switch pattern {
        case 0x39: byte.isASCIIDigit
        case 0x41: isCapital(byte)
        case 0x58: byte.isASCIIDigit || isCapital(byte)
        case 0x73: Self.centuries.contains(byte)
        default: pattern == byte
        }
    }

    private static let centuries = Array("-+ABCDEFUVWXY".utf8)

    private static func isCapital(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte) }

    private static func digits(_ bytes: [UInt8]) -> [Int] {
        bytes.filter(\.isASCIIDigit).map { Int($0 - 0x30) }
    }

    private static func number(_ digits: some Sequence<Int>) -> Int { digits.reduce(0) { $0 * 10 + $1 } }

    private static func sum(_ digits: [Int], _ weights: [Int]) -> Int {
        zip(digits, weights).reduce(0) { $0 + $1.0 * $1.1 }
    }

    private static func isDay(_ day: Int, of month: Int) -> Bool {
        (1...31).contains(day) && (1...12).contains(month)
    }

    // MARK: - Check digits

    private static func isBrazilian(_ digits: [Int]) -> Bool {
        let checks = [Array((2...10).reversed()), Array((2...11).reversed())].map { weights in
            sum(digits, weights) * 10 % 11 % 10
        }
        return checks == Array(digits[9...])
    }

    private static func isItalian(_ bytes: [UInt8]) -> Bool {
        let values = bytes.map { Int($0.isASCIIDigit ? $0 - 0x30 : $0 - 0x41) }
        let sum = values.dropLast().enumerated().reduce(0) { sum, pair in
            sum + (pair.offset % 2 == 0 ? oddPlaces[pair.element] : pair.element)
        }
        return sum % 26 == values[15]
    }

    /// What a digit or a letter counts at the first place, the third and so on.
    private static let oddPlaces = [
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
    ]

    private static func isFinnish(_ bytes: [UInt8]) -> Bool {
        let (date, serial) = (digits(Array(bytes[..<6])), digits(Array(bytes[7..<10])))
        let letters = Array("0123456789ABCDEFHJKLMNPRSTUVWXY".utf8)
        return isDay(number(date[..<2]), of: number(date[2..<4]))
            && letters[number(date + serial) % 31] == bytes[10]
    }

    /// Days of those without a number at birth have 40 added, months in tests as well.
    private static func isNorwegian(_ digits: [Int]) -> Bool {
        let (day, month) = (number(digits[..<2]), number(digits[2..<4]))
        return isDay(day > 40 ? day - 40 : day, of: month % 40)
            && sum(digits, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 == 0
            && sum(digits, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 == 0
    }

    private static func isBaltic(_ digits: [Int]) -> Bool {
        guard (1...8).contains(digits[0]), isDay(number(digits[5..<7]), of: number(digits[3..<5])) else {
            return false
        }
        let first = sum(digits, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11
        let check = first < 10 ? first : sum(digits, [3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11 % 10
        return check == digits[10]
    }

    /// Months have twenty added since the year 2000.
    private static func isPolish(_ digits: [Int]) -> Bool {
        let month = number(digits[2..<4])
        return isDay(number(digits[4..<6]), of: month > 20 ? month - 20 : month)
            && sum(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 == 0
    }

    private static func isBelgian(_ digits: [Int]) -> Bool {
        let (own, check) = (number(digits[..<9]), number(digits[9...]))
        return [own, 2_000_000_000 + own].contains { 97 - $0 % 97 == check }
    }

    /// Of citizens, and of others with X, Y or Z for the first digit.
    private static func isSpanish(_ bytes: [UInt8]) -> Bool {
        var own = digits(Array(bytes.dropLast()))
        if isCapital(bytes[0]) {
            guard (0x58...0x5a).contains(bytes[0]) else { return false }
            own.insert(Int(bytes[0] - 0x58), at: 0)
        }
        return Array("TRWAGMYFPDXBNJZSQVHLCKE".utf8)[number(own) % 23] == bytes[8]
    }

    /// Every second digit from the right doubled, the sum ends in zero (ISO/IEC 7812-1, annex B).
    static func passesLuhn(_ digits: [Int]) -> Bool {
        let sum = digits.reversed().enumerated().reduce(0) { sum, pair in
            let value = pair.offset % 2 == 0 ? pair.element : pair.element * 2
            return sum + (value > 9 ? value - 9 : value)
        }
        return sum % 10 == 0
    }
}
