import Testing

@testable import Sharing

/// Codes that are typed a digit a field, and digits that are something else.
struct TypedDigitsTests {
    @Test(arguments: [
        ("d1=4&d2=8&d3=2&d4=9", 4), ("a=1&otp_1=4&otp_2=8&otp_3=2&otp_4=9&b=2", 4),
        ("digit[]=4&digit[]=8&digit[]=2&digit[]=9&digit[]=1&digit[]=3", 6),
        ("c[0]=4&c[1]=8&c[2]=2&c[3]=9", 4), ("ids[]=4&ids[]=8&ids[]=2&ids[]=9", 0), ("d1=4&d2=8&d3=2", 0),
        ("d1=4&d3=8&d5=2&d7=9", 0), ("d9223372036854775807=4&d0=8&d1=2&d2=9&d3=1", 4),
        ("d1=40&d2=80&d3=20&d4=90", 0), ("page=1&size=2&x=3&y=4", 0),
    ])
    func digitsOfACodeAreTold(form: String, count: Int) {
        let slots = SlotReader.slots(in: Array(form.utf8)[...], as: .form)
        #expect(slots.count { $0.name == TypedDigits.name } == count)
    }

    @Test(arguments: [
        (#"{"code":["4","8","2","9","1","3"]}"#, 6), (#"{"days":["1","2","3","4","5"]}"#, 0),
        (#"{"otp":[4,8,2,9]}"#, 4),
    ])
    func digitsInAListAreTold(document: String, count: Int) {
        let slots = SlotReader.slots(in: Array(document.utf8)[...], as: .json)
        #expect(slots.count { $0.name == TypedDigits.name } == count)
    }
}
