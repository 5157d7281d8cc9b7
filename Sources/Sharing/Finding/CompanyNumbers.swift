import Captures

/// The numbers that Singapore gives businesses and others (Unique Entity Number), by which Corppass and MyInfo Business call
/// whom somebody signs in for: `53123456E`, `201912345D`, `T08GB0046G`.
enum CompanyNumbers {
    /// Where a number ends that begins here, at the beginning of a word; nil for none.
    static func end(in text: [UInt8], at start: Int) -> Int? {
        let word = text[start...].prefix(longest + 1).prefix(while: \.isASCIIAlphanumeric)
        guard let last = word.last, (0x41...0x5a).contains(last) else { return nil }
        let number = word.dropLast()
        let isOne =
            switch number.count {
            case 8: isBusiness(number, last)
            case 9: isCompany(number, last) || isOther(number, last)
            default: false
            }
        return isOne ? word.endIndex : nil
    }

    private static let longest = 10

    /// Eight digits and a letter that is computed of them.
    private static func isBusiness(_ number: ArraySlice<UInt8>, _ last: UInt8) -> Bool {
        guard number.allSatisfy(\.isASCIIDigit) else { return false }
        let sum = zip(number, [10, 4, 9, 3, 8, 2, 7, 1]).reduce(0) { $0 + Int($1.0 - 0x30) * $1.1 }
        return Array("XMKECAWLJDB".utf8)[sum % 11] == last
    }

    /// The year, five digits and a letter.
    private static func isCompany(_ number: ArraySlice<UInt8>, _ last: UInt8) -> Bool {
        guard number.allSatisfy(\.isASCIIDigit),
            ["18", "19", "20"].contains(where: { number.starts(with: $0.utf8) })
        else { return false }
        let sum = zip(number, [10, 8, 6, 4, 9, 7, 5, 3, 1]).reduce(0) { $0 + Int($1.0 - 0x30) * $1.1 }
        return Array("ZKCMDNERGWH".utf8)[sum % 11] == last
    }

    /// The century, the year, what it is in two letters, four digits and a letter.
    private static func isOther(_ number: ArraySlice<UInt8>, _ last: UInt8) -> Bool {
        let places = Array(number)
        guard [0x52, 0x53, 0x54].contains(places[0]), places[1...2].allSatisfy(\.isASCIIDigit),
            places[3].isASCIILetter, places[5...8].allSatisfy(\.isASCIIDigit)
        else { return false }
        let values = places.compactMap { alphabet.firstIndex(of: $0) }
        guard values.count == places.count else { return false }
        let sum = zip(values, [4, 3, 5, 3, 10, 2, 2, 5, 7]).reduce(0) { $0 + $1.0 * $1.1 }
        return alphabet[(sum + 6) % 11] == last
    }

    private static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWX0123456789".utf8)
}
