import Provider
import TestSupport
import Testing

/// Made-up values look like the recorded ones, and are others.
struct ValueTemplateTests {
    private func make(_ model: String, seed: UInt64 = 1) -> String {
        var generator = SeededGenerator(seed: seed)
        return ValueTemplate(like: model).make { count in
            (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
    }

    private func matches(_ value: String, _ pattern: String) -> Bool {
        value.utf8.count == pattern.utf8.count
            && zip(value.utf8, pattern.utf8).allSatisfy { byte, kind in
                switch kind {
                case UInt8(ascii: "9"): (0x30...0x39).contains(byte)
                case UInt8(ascii: "x"): (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
                case UInt8(ascii: "A"): (0x41...0x5a).contains(byte)
                case UInt8(ascii: "z"):
                    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte)
                        || (0x61...0x7a).contains(byte)
                default: byte == kind
                }
            }
    }

    @Test(
        arguments: [
            // GitHub's prefix, Google's, a UUID with its version and variant, a device's user code, session state.
            ("gho_16C7e42F292c6912E7710c838347Ae178B4a", "gho_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"),
            ("ya29.A0ARrdaM9qx7V1kT4", "ya29.zzzzzzzzzzzzzzzzz"),
            ("4/0AX4XfWjxK1b2c3d4", "4/zzzzzzzzzzzzzzzzz"),
            ("95e7be4b-4a86-4622-a709-fa6992c15fb3", "xxxxxxxx-xxxx-4xxx-axxx-xxxxxxxxxxxx"),
            ("8a8c3dfe2d7908dc3c2d", "xxxxxxxxxxxxxxxxxxxx"), ("JPCM-JDJN", "AAAA-AAAA"),
            ("277856569323", "999999999999"),
            (
                "urn:ietf:params:oauth:request_uri:XcCReVYn2kgi",
                "urn:ietf:params:oauth:request_uri:zzzzzzzzzzzz"
            ),
        ]
    )
    func keepsLengthAlphabetAndPrefix(model: String, pattern: String) {
        let made = make(model)
        #expect(matches(made, pattern), "\(made)")
        #expect(made != model && made != make(model, seed: 2))
    }

    @Test func tokenKeepsItsHeader() {
        let made = make("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P")
        #expect(made.hasPrefix("eyJhbGciOiJIUzI1NiJ9.") && made.split(separator: ".").count == 3)
    }

    @Test func whatLeavesNoChoiceIsNoSecret() {
        #expect(!ValueTemplate(like: "01").isUnguessable && !ValueTemplate(like: "node-1").isUnguessable)
        #expect(ValueTemplate(like: "J5LIStxcOe-TRvZEm-OJcsbkdu").isUnguessable)
    }
}
