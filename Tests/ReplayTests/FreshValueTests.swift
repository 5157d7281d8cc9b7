import Replay
import Testing

struct FreshValueTests {
    private static let random: @Sendable (Int) -> [UInt8] = { count in
        (0..<count).map { UInt8($0 &* 37 & 0xff) }
    }

    @Test(arguments: [
        "XyUVCrfCGTNHUIagrnJ65M5w_4U", "d4b8cc85-0a2a-4b06-a54f-c7533e052665", "0123456789",
        "9f86d081884c7d65",
        "QZw7j09ZFN7YcSFnm0H9ak",
    ])
    func freshValueHasTheSameShape(_ recorded: String) throws {
        let fresh = try #require(FreshValue.fresh(like: recorded, random: Self.random))
        #expect(fresh != recorded && fresh.utf8.count == recorded.utf8.count)
        func shape(_ text: String) -> [String] {
            text.utf8.map { byte in
                switch byte {
                case 0x30...0x39: "9"
                case 0x61...0x7a: "a"
                case 0x41...0x5a: "A"
                default: String(UnicodeScalar(byte))
                }
            }
        }
        #expect(shape(fresh) == shape(recorded))
        let hex: (String) -> Bool = { $0.utf8.allSatisfy { "0123456789abcdef-".utf8.contains($0) } }
        #expect(hex(fresh) == hex(recorded))
    }

    @Test(arguments: [
        "/account/orders", "https://app.example/back", "eyJyZXR1cm5UbyI6Ii8ifQ", "{\"a\":1}", "dashboard",
        "abc",
    ])
    func valueThatSaysSomethingIsKept(_ recorded: String) {
        #expect(FreshValue.fresh(like: recorded, random: Self.random) == nil)
    }

    @Test func uuidKeepsItsVersionAndVariant() throws {
        let fresh = try #require(
            FreshValue.fresh(like: "d4b8cc85-0a2a-4b06-a54f-c7533e052665", random: Self.random)
        )
        #expect(fresh.utf8.dropFirst(14).first == 0x34 && fresh.utf8.dropFirst(19).first == 0x61)
    }
}
