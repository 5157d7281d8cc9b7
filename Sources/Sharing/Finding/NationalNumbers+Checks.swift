import Captures

/// The checks of numbers of states: of digits, and of what has letters as well.
extension NationalNumbers {
    // MARK: - Digits

    /// Of the first digit that is left a check of the ones before it (ISO/IEC 7064, MOD 11,10).
    static func isGerman(_ digits: [Int]) -> Bool {
        let counts = Dictionary(grouping: digits.dropLast(), by: { $0 }).values.map(\.count).filter { $0 > 1 }
        guard digits[0] != 0, counts == [2] || counts == [3] else { return false }
        let product = digits.dropLast().reduce(10) { product, digit in
            let rest = (product + digit) % 10
            return (rest == 0 ? 10 : rest) * 2 % 11
        }
        return (11 - product) % 10 == digits[10]
    }

    static func isTurkish(_ digits: [Int]) -> Bool {
        let odd = sum(digits, [1, 0, 1, 0, 1, 0, 1, 0, 1])
        let even = sum(digits, [0, 1, 0, 1, 0, 1, 0, 1])
        return digits[0] != 0 && (odd * 7 - even + 100) % 10 == digits[9]
            && digits.dropLast().reduce(0, +) % 10 == digits[10]
    }

    /// Sex, year, month, where somebody was born, and what is left of 97.
    static func isFrench(_ digits: [Int]) -> Bool {
        [1, 2, 7, 8].contains(digits[0]) && (1...12).contains(number(digits[3..<5]))
            && 97 - number(digits[..<13]) % 97 == number(digits[13...])
    }

    /// As the numbers of goods have it (EAN-13).
    static func isSwiss(_ digits: [Int]) -> Bool {
        sum(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 == 0
    }

    static func isSouthAfrican(_ digits: [Int]) -> Bool {
        isDay(number(digits[4..<6]), of: number(digits[2..<4])) && digits[10] <= 1 && digits[11] >= 8
            && passesLuhn(digits)
    }

    /// `S YYMMDD CC NNN K`: sex and century, day, county.
    static func isRomanian(_ digits: [Int]) -> Bool {
        let check = sum(digits, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11
        return (1...8).contains(digits[0]) && isDay(number(digits[5..<7]), of: number(digits[3..<5]))
            && (1...52).contains(number(digits[7..<9])) && (check == 10 ? 1 : check) == digits[12]
    }

    static func isKorean(_ digits: [Int]) -> Bool {
        isDay(number(digits[4..<6]), of: number(digits[2..<4])) && (1...8).contains(digits[6])
            && (11 - sum(digits, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11) % 10 == digits[12]
    }

    static func isJapanese(_ digits: [Int]) -> Bool {
        let rest = sum(digits, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11
        return (rest <= 1 ? 0 : 11 - rest) == digits[11]
    }

    /// By Verhoeff's scheme: turns and mirrorings of a pentagon, one after the other.
    static func isIndian(_ digits: [Int]) -> Bool {
        guard digits[0] >= 2 else { return false }
        let moved = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]
        let rest = digits.reversed().enumerated().reduce(0) { rest, pair in
            let digit = (0..<(pair.offset % 8)).reduce(pair.element) { digit, _ in moved[digit] }
            return rest < 5
                ? (rest + digit) % 5 + (digit < 5 ? 0 : 5)
                : digit < 5 ? (rest - digit) % 5 + 5 : (rest - digit + 5) % 5
        }
        return rest == 0
    }

    /// Of women 50 is added to the month, of others of a full day 20.
    static func isCzech(_ digits: [Int]) -> Bool {
        isDay(number(digits[4..<6]), of: number(digits[2..<4]) % 50 % 20) && number(digits) % 11 == 0
    }

    static func isDanish(_ digits: [Int]) -> Bool {
        isDay(number(digits[..<2]), of: number(digits[2..<4]))
            && sum(digits, [4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 == 0
    }

    /// No check digit, but a day and a place between two dashes.
    static func isMalaysian(_ digits: [Int]) -> Bool {
        isDay(number(digits[4..<6]), of: number(digits[2..<4])) && (1...59).contains(number(digits[6..<8]))
    }

    /// Of the National Health Service.
    static func isBritish(_ digits: [Int]) -> Bool {
        sum(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11 == 0 && digits[0] != 0
    }

    /// The check digit stands before the day.
    static func isAustrian(_ digits: [Int]) -> Bool {
        digits[0] != 0 && isDay(number(digits[4..<6]), of: number(digits[6..<8]))
            && sum(digits, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 == digits[3]
    }

    // MARK: - Letters among digits

    /// The last one may be the sign for ten (GB 11643).
    static func isChinese(_ bytes: [UInt8]) -> Bool {
        let own = digits(Array(bytes.dropLast()))
        guard (18...21).contains(number(own[6..<8])), isDay(number(own[12..<14]), of: number(own[10..<12]))
        else {
            return false
        }
        let weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
        return Array("10X98765432".utf8)[sum(own, weights) % 11] == bytes[17]
    }

    static func isChilean(_ bytes: [UInt8]) -> Bool {
        let own = digits(Array(bytes.dropLast()))
        let check = (11 - sum(own, [3, 2, 7, 6, 5, 4, 3, 2]) % 11) % 11
        return Array("0123456789K".utf8)[check] == bytes.last
    }

    /// One letter more counts nine times (Ireland).
    static func isIrish(_ bytes: [UInt8]) -> Bool {
        let more = bytes.count == 9 ? Int(bytes[8] - 0x40) % 23 * 9 : 0
        let rest = (sum(digits(Array(bytes[..<7])), [8, 7, 6, 5, 4, 3, 2]) + more) % 23
        return Array("WABCDEFGHIJKLMNOPQRSTUV".utf8)[rest] == bytes[7]
    }

    static func isTaiwanese(_ bytes: [UInt8]) -> Bool {
        guard [1, 2, 8, 9].contains(bytes[1] - 0x30),
            let place = Array("ABCDEFGHJKLMNPQRSTUVXYWZIO".utf8).firstIndex(of: bytes[0])
        else { return false }
        let own = [(place + 10) / 10, (place + 10) % 10] + digits(bytes)
        return sum(own, [1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1]) % 10 == 0
    }

    /// `A123456(3)`: letters count from ten on, before them is a space that counts 36.
    static func isOfHongKong(_ bytes: [UInt8]) -> Bool {
        guard bytes[8].isASCIIDigit || bytes[8] == 0x41 else { return false }
        let check = bytes[8] == 0x41 ? 10 : Int(bytes[8] - 0x30)
        let own = [36, Int(bytes[0]) - 0x37] + digits(Array(bytes[1..<7])) + [check]
        return sum(own, [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11 == 0
    }

    /// A name in four letters, a day, a sex and a state.
    static func isMexican(_ bytes: [UInt8]) -> Bool {
        let day = digits(Array(bytes[4..<10]))
        guard isDay(number(day[4...]), of: number(day[2..<4])), "HMX".utf8.contains(bytes[10]) else {
            return false
        }
        // The alphabet has a letter more behind N.
        let values = bytes.map { $0.isASCIIDigit ? Int($0 - 0x30) : Int($0 - 0x37) + ($0 > 0x4e ? 1 : 0) }
        let rest = sum(values, Array((2...18).reversed())) % 10
        return (10 - rest) % 10 == values[17]
    }

    /// India's number for taxes: the fourth letter says of what kind somebody is.
    static func isOfTax(_ bytes: [UInt8]) -> Bool { "PCHFATBLJG".utf8.contains(bytes[3]) }

    /// Of the United Kingdom's insurance: no check digit, but letters that are not given out.
    static func isInsured(_ bytes: [UInt8]) -> Bool {
        let (first, second, last) = (bytes[0], bytes[1], bytes[8])
        return !"DFIQUV".utf8.contains(first) && !"DFIOQUV".utf8.contains(second)
            && (0x41...0x44).contains(last)
            && !["BG", "GB", "KN", "NK", "NT", "TN", "ZZ"].contains(SlotReader.string(bytes[..<2]))
    }
}
