import Testing

@testable import authreel

/// Arguments whose bytes are no UTF-8.
struct ArgumentBytesTests {
    /// `%` stands for a byte that is none.
    private static func bytes(_ arguments: [String]) -> [[UInt8]] {
        arguments.map { $0.utf8.map { $0 == UInt8(ascii: "%") ? 0xff : $0 } }
    }

    @Test(arguments: [
        ["share", "a.har", "--out", "b%.har"], ["show", "-o", "%"], ["import", "a.har", "--out=%.har"],
        ["record", "--", "cat", "%"], ["record", "--out", "é.har", "--", "%"], ["record", "-o%"],
    ])
    func whatWouldBecomeSomethingElseIsRefused(arguments: [String]) {
        #expect(throws: CommandFailure.self) { try ArgumentBytes.check(Self.bytes(arguments)) }
    }

    /// Among several captures one that is not found does not stop the others.
    @Test(arguments: [
        ["diagnose", "a.har", "%.har"], ["show", "-", "%.har"], ["share", "é.har", "--out", "\u{fffd}.har"],
        ["record", "--", "cat", "é"], [],
    ])
    func whatIsReadAndWhatIsTextStays(arguments: [String]) throws {
        try ArgumentBytes.check(Self.bytes(arguments))
    }
}
