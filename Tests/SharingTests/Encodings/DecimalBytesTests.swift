import TestSupport
import Testing

@testable import Sharing

/// Lists of bytes by their numbers.
struct DecimalBytesTests {
    private static let letters = "113,55,90,114,50,76,107,88,57,118,84,98"

    @Test(arguments: [
        letters, "String.fromCharCode(\(letters))", letters.replacing(",", with: ", "),
        letters.replacing(",", with: " "), "1000 \(letters)", "\(letters), 256",
    ])
    func listIsRead(text: String) {
        let lists = DecimalBytes.all(in: Array(text.utf8))
        #expect(lists.map { String(decoding: $0.bytes, as: UTF8.self) } == ["q7Zr2LkX9vTb"])
        #expect(lists.first?.places.count == 12)
    }

    @Test(arguments: [
        "113,55,90,114,50,76,107,88,57,118,84", letters.replacing("76,", with: "76;"),
        letters.replacing("76", with: "256"), letters.replacing("76", with: "076"), "", "1", "1,",
        "x\(letters.prefix(30))",
    ])
    func otherTextHasNone(text: String) { #expect(DecimalBytes.all(in: Array(text.utf8)).isEmpty) }

    @Test(arguments: ["1,2,3,x", "1 "]) func timeGrowsWithTheText(unit: String) {
        func seconds(_ count: Int) -> Double {
            let text = Array(String(repeating: unit, count: count).utf8)
            return ProcessorTime.seconds { _ = DecimalBytes.all(in: text) }
        }
        let small = seconds(1_000)
        // Sixteen times the text: linear is 16, quadratic 256.
        #expect(seconds(16_000) < 50 * max(small, 0.004))
    }
}
