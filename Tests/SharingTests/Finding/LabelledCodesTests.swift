import Testing

@testable import Sharing

/// Codes in lines of their own: those that somebody was sent, and those of errors.
struct LabelledCodesTests {
    @Test(arguments: [
        ("Code: 481303", ["481303"]), ("Shop\nCode: 481303\n", ["481303"]),
        ("Hi Ada,\n\nCode: 481 303\n\nIt expires in ten minutes.", ["481 303"]),
        (#"{"subject":"Sign in","text":"Hi,\n\nCode: 481303\n\nIt expires soon."}"#, ["481303"]),
        (#"{"from":"+15005550006","error_code":null,"body":"Code: 481303"}"#, ["481303"]),
        ("<p>To sign in, use this.</p><p>Code: 481303</p>", ["481303"]),
        // Of errors, of something else, of another length.
        ("Login failed.\nCode: 700016", []), ("Error\nCode: 700016", []),
        ("To sign in again, see the log.\nAn error came back.\nCode: 700016", []),
        (#"{"message":"Code: 700016"}"#, []), (#"{"message":"Sign in failed.\nCode: 700016"}"#, []),
        ("The refresh token has expired.\nCode: 700082", []),
        ("<p>You tried to sign in, and were blocked.</p><p>Code: 530003</p>", []),
        ("Hello,\nCode: 481303\nWhere it has expired, sign in again.", ["481303"]),
        ("Postal Code: 750201", []), ("Code: 70001", []), ("Code: 7000161", []), ("Code: IDX102", []),
        ("Code: 700016-b", []), ("Node: 700016", []), ("ode: 700016", []), ("Code:", []),
        ("A long line about what was ordered, and when.\nCode: 481303", []),
    ])
    func codesAreTold(text: String, codes: [String]) {
        let bytes = Array(text.utf8)
        #expect(
            LabelledCodes.ranges(in: bytes).map { String(decoding: bytes[$0], as: UTF8.self) } == codes
        )
    }

    /// A mail may speak of errors behind its code.
    @Test(arguments: [
        ("Login failed.\nCode: 700016", "error_code"), ("Error\nCode: 700016\nMessage: bad", "error_code"),
        ("Hello\nCode: 481303\nIs this an error? Tell us.", "Code"), ("Hello\nCode: 481303", "Code"),
        ("Your token has expired.\nCode: 700082\nTime: 9", "error_code"),
        ("A login failed.\nCode: 481303\nIt expires soon.", "Code"), ("Error\nCode: IDX102", "Code"),
    ])
    func codeBehindAnErrorIsItsOwn(text: String, name: String) {
        let bytes = Array(text.utf8)
        let slots = LabelledCodes.named(SlotReader.fields(bytes[...]), in: bytes[...])
        #expect(slots.map(\.name).first { $0.hasSuffix("ode") } == name)
    }

    @Test func timeIsLinear() {
        let text = Array(String(repeating: "Code: 481303\n", count: 20_000).utf8)
        let clock = ContinuousClock()
        #expect(clock.measure { _ = LabelledCodes.ranges(in: text) } < .seconds(30))
    }
}
