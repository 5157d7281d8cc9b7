import Captures

/// Numbers that states give their people, told from other numbers by their shape and their check digits: of Austria, Belgium, Brazil,
/// Canada, Chile, China, Czechia, Denmark, the Emirates, Estonia, Finland, France, Germany, Hong Kong, India, Ireland, Italy, Japan,
/// Korea, Lithuania, Malaysia, Mexico, Norway, Poland, Romania, Slovakia, South Africa, Spain, Switzerland, Taiwan, Turkey and the
/// United Kingdom.
///
/// Of nine digits or ten in a row too many pass a check of one digit; numbers of errors look like insured people's without their spaces.
enum NationalNumbers {
    /// Where a number ends that begins here, at the beginning of a word; nil for none.
    static func end(in text: [UInt8], at start: Int) -> Int? {
        let first = text[start]
        let isSmall = first.isASCIILetter && first & 0x20 != 0
        // Most words: `Mozilla`.
        if isCapital(first), start + 1 < text.count, text[start + 1] >= 0x61 { return nil }
        let shapes = first.isASCIIDigit ? shapesOfDigits : isSmall ? longShapes : shapesOfLetters
        let found = shapes.first { shape in
            let end = start + shape.pattern.count
            guard end <= text.count, isWhole(start..<end, of: shape, in: text) else { return false }
            let number = text[start..<end]
            guard isSmall else {
                return zip(shape.pattern, number).allSatisfy(fits) && shape.isOne(Array(number))
            }
            // People write it in small letters, too.
            guard number.allSatisfy({ $0.isASCIIDigit || $0 & 0x20 != 0 }) else {
                return false
            }
            let capitals = number.map { $0.isASCIIDigit ? $0 : $0 & 0xdf }
            return zip(shape.pattern, capitals).allSatisfy(fits) && shape.isOne(capitals)
        }
        return found.map { start + $0.pattern.count }
    }

    /// What goes on is another number, in groups as well.
    private static func isWhole(_ range: Range<Int>, of shape: Shape, in text: [UInt8]) -> Bool {
        /// Whether a mark that the shape has stands at a place, and a digit at the next one.
        func goesOn(_ mark: Int, _ next: Int) -> Bool {
            text.indices.contains(next) && text[next].isASCIIDigit && shape.pattern.contains(text[mark])
        }
        let (start, end) = (range.lowerBound, range.upperBound)
        guard end == text.count || !text[end].isASCIIWordByte else { return false }
        return !goesOn(end, end + 1) && !goesOn(start - 1, start - 2)
    }

    private struct Shape: Sendable {
        var pattern: [UInt8]
        var isOne: @Sendable ([UInt8]) -> Bool

        init(_ pattern: String, _ isOne: @escaping @Sendable ([UInt8]) -> Bool) {
            self.pattern = Array(pattern.utf8)
            self.isOne = isOne
        }
    }

    /// `9` stands for a digit, `A` for a capital letter, `X` for either, `s` for the mark of a century, `o` for a digit or what Italy
    /// writes for one; what else there is for itself.
    private static let shapesOfDigits = [
        Shape("999.999.999-99") { isBrazilian(digits($0)) }, Shape("999999s999X", isFinnish),
        Shape("99999999999") { number in
            let own = digits(number)
            return isNorwegian(own) || isBaltic(own) || isPolish(own) || isBrazilian(own) || isTurkish(own)
                || isGerman(own)
        }, Shape("99.99.99-999.99") { isBelgian(digits($0)) }, Shape("99999999A", isSpanish),
        Shape("784-9999-9999999-9") { passesLuhn(digits($0)) },
        Shape("784999999999999") { passesLuhn(digits($0)) },
        Shape("999999999999999") { isFrench(digits($0)) },
        Shape("9 99 99 99 999 999 99") { isFrench(digits($0)) },
        Shape("756.9999.9999.99") { isSwiss(digits($0)) }, Shape("7569999999999") { isSwiss(digits($0)) },
        Shape("9999999999999") { isSouthAfrican(digits($0)) || isRomanian(digits($0)) },
        Shape("99999999999999999X", isChinese), Shape("999999-9999999") { isKorean(digits($0)) },
        Shape("9999-9999-9999") { isJapanese(digits($0)) || isIndian(digits($0)) },
        Shape("9999 9999 9999") { isJapanese(digits($0)) || isIndian(digits($0)) },
        Shape("999999/9999") { isCzech(digits($0)) }, Shape("999999-9999") { isDanish(digits($0)) },
        Shape("999999-99-9999") { isMalaysian(digits($0)) }, Shape("999 999 9999") { isBritish(digits($0)) },
        Shape("999-999-999") { passesLuhn(digits($0)) }, Shape("99.999.999-X", isChilean),
        Shape("9999 999999") { isAustrian(digits($0)) }, Shape("9999999A", isIrish),
        Shape("9999999AA", isIrish),
    ]

    private static let shapesOfLetters = [
        Shape("AAAAAAooAooAoooA", isItalian), Shape("A9999999A", isSpanish), Shape("A999999999", isTaiwanese),
        Shape("A999999(X)", isOfHongKong), Shape("AAAA999999AAAAAAX9", isMexican),
        Shape("AAAAA9999A", isOfTax), Shape("AA 99 99 99 A") { isInsured($0.filter { $0 != 0x20 }) },
    ]

    /// Of so many letters that they are told from other words in small ones as well.
    private static let longShapes = shapesOfLetters.filter { $0.pattern.count >= 16 }

    private static func fits(_ pattern: UInt8, _ byte: UInt8) -> Bool {
        switch pattern {
        case 0x39: byte.isASCIIDigit
        case 0x41: isCapital(byte)
        case 0x58: byte.isASCIIDigit || isCapital(byte)
        case 0x6f: byte.isASCIIDigit || italianDigits.contains(byte)
        case 0x73: Self.centuries.contains(byte)
        default: pattern == byte
        }
    }

    private static let centuries = Array("-+ABCDEFUVWXY".utf8)

    static func isCapital(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte) }

    static func digits(_ bytes: [UInt8]) -> [Int] {
        bytes.filter(\.isASCIIDigit).map { Int($0 - 0x30) }
    }

    static func number(_ digits: some Sequence<Int>) -> Int { digits.reduce(0) { $0 * 10 + $1 } }

    static func sum(_ digits: [Int], _ weights: [Int]) -> Int {
        zip(digits, weights).reduce(0) { $0 + $1.0 * $1.1 }
    }

    static func isDay(_ day: Int, of month: Int) -> Bool {
        (1...31).contains(day) && (1...12).contains(month)
    }

    // MARK: - Check digits

    private static func isBrazilian(_ digits: [Int]) -> Bool {
        let checks = [Array((2...10).reversed()), Array((2...11).reversed())].map { weights in
            sum(digits, weights) * 10 % 11 % 10
        }
        return checks == Array(digits[9...]) && Set(digits).count > 1
    }

    /// Where two people would have the same number letters stand for digits of one of them, from the last one on.
    private static func isItalian(_ bytes: [UInt8]) -> Bool {
        let values = bytes.map { Int($0.isASCIIDigit ? $0 - 0x30 : $0 - 0x41) }
        let sum = values.dropLast().enumerated().reduce(0) { sum, pair in
            sum + (pair.offset % 2 == 0 ? oddPlaces[pair.element] : pair.element)
        }
        let day = number(bytes[9...10].map { italianDigits.firstIndex(of: $0) ?? Int($0) - 0x30 })
        // Of women 40 more.
        return sum % 26 == values[15] && "ABCDEHLMPRST".utf8.contains(bytes[8]) && (1...31).contains(day % 40)
    }

    private static let italianDigits = Array("LMNPQRSTUV".utf8)

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
