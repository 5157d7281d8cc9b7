import Testing

@testable import Sharing

/// Phone numbers in other forms than the one in which they are known.
struct PhoneNumbersTests {
    private static func found(_ numbers: [String], _ text: String) -> [String] {
        let bytes = Array(text.utf8)
        return PhoneNumbers(numbers).matches(in: bytes).map { match in
            String(decoding: match.places.map { bytes[$0] }, as: UTF8.self)
        }
    }

    @Test(arguments: [
        ("call 0151 23456789 now", ["015123456789"]), ("(0151) 234-56789", ["015123456789"]),
        ("0049 151 23456789", ["004915123456789"]), ("+4915123456789", ["4915123456789"]),
        ("23456789", ["23456789"]), ("0151/23456789.", ["015123456789"]),
        // Lest a line ends there.
        ("0151\u{a0}2345\u{a0}6789", ["015123456789"]), ("0151\u{2011}234\u{2009}56789", ["015123456789"]),
        ("+49\u{202f}151\u{a0}23456789", ["4915123456789"]),
    ])
    func formsOfANumber(text: String, expected: [String]) {
        #expect(Self.found(["+49 151 23456789"], text) == expected)
    }

    /// Nothing but a space, or what stands inside of numbers, is between it and the other one.
    @Test(arguments: [
        ("0151 23456789 24/7", ["015123456789"]), ("0151 23456789 (1 of 2)", ["015123456789"]),
        ("0151 23456789 2026-03-09", ["015123456789"]), ("24/7 0151 23456789", ["015123456789"]),
        ("12.03 0151 23456789", ["015123456789"]), ("2 23456789 3", ["23456789"]),
        ("0151 23456789 / +49 151 23456789", ["015123456789", "4915123456789"]),
        ("030 1234567 0151 23456789 0171 23456789", ["015123456789"]),
    ])
    func numberBesideAnotherOne(text: String, expected: [String]) {
        #expect(Self.found(["+49 151 23456789"], text) == expected)
    }

    @Test(arguments: [
        "0151 23456788", "123456789123456789", "x23456789", "6789", "2026-03-15 09:15", "0171 23456789", "",
    ])
    func otherNumbers(text: String) {
        #expect(Self.found(["+49 151 23456789"], text).isEmpty)
    }

    @Test(arguments: [
        ("0151 234", true), ("true", false), ("sms", false), ("+65 9123 4567", true), ("****4567", false),
        ("+65\u{a0}9123\u{2011}4567", true), ("•••• 123456", false),
        ("+49 30 1234567 ext. 891", true), ("+1 (604) 555-0134;ext=5678", true), ("604 555 0134x12", true),
        ("030 1234567#89", true), ("030 1234567 (Durchwahl 12)", false), ("030 1234567 DW 12", true),
        ("030 1234567 or 12", false), ("0301 x12345678", false), ("12 x1", false), ("x12", false),
        ("ext", false), ("", false),
    ])
    func numbersAreToldFromWords(text: String, isNumber: Bool) {
        #expect(PhoneNumbers.isNumber(text.utf8) == isNumber)
    }
}
