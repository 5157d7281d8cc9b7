import TestSupport
import Testing

@testable import Sharing

/// Documents that are streamed into a page, cut anywhere.
struct StreamedScriptsTests {
    private static let joint = #""])</script><script>self.__next_f.push([1,""#
    private static let begin = #"<script>self.__next_f.push([1,""#
    private static let end = #""])</script>"#

    private static func told(_ page: String) -> [String] {
        let bytes = Array(page.utf8)
        return MarkupSlots.slots(in: bytes[...]).filter { $0.coding == .streamed }.map { slot in
            String(decoding: TextCoding.streamed.decoded(bytes[slot.range]).bytes, as: UTF8.self)
        }
    }

    @Test(arguments: [
        (#"\#(begin)5:{\"given_name\":\"Ki\#(joint)ra\"}\n\#(end)"#, ["5:{\"given_name\":\"Kira\"}\n"]),
        (#"\#(begin)a\#(joint)\\\#(joint)\"b\#(end)<p>x</p>"#, [#"a\"b"#]),
        ("\(begin)a\"])</script>\n<script nonce=\"x7\">self.__next_f.push([1,\"b\(end)", ["ab"]),
        (
            "\(begin)a\(joint)b\(end)<script>self.x=1</script>\(begin)c\(joint)d\(end)", ["ab", "cd"]
        ),
        ("\(begin)a\(joint)b", ["ab"]),
        // One piece is a script like any other.
        ("\(begin)a\(end)", []), ("<script>push([1,\"a\(joint)b\(end)", []),
        ("\(begin)", []), ("<script>", []),
    ])
    func piecesAreOneText(page: String, told: [String]) { #expect(Self.told(page) == told) }

    @Test func valueAcrossPiecesIsExchanged() {
        let walker = TextWalker { $0.name == "given_name" ? Array("Orla".utf8) : nil }
        let page = Array(#"\#(Self.begin)5:{\"given_name\":\"Ki\#(Self.joint)ra\"}\n\#(Self.end)"#.utf8)
        let other = walker.rewriting(page, as: .html)
        #expect(
            other.map { String(decoding: $0, as: UTF8.self) }
                == #"\#(Self.begin)5:{\"given_name\":\"Or\#(Self.joint)la\"}\n\#(Self.end)"#
        )
    }

    @Test func longerValueTakesItsPiecesTogether() {
        let walker = TextWalker { $0.name == "given_name" ? Array("Nora-Lee".utf8) : nil }
        let page = Array(#"\#(Self.begin)5:{\"given_name\":\"Ki\#(Self.joint)ra\"}\n\#(Self.end)"#.utf8)
        let other = walker.rewriting(page, as: .html)
        #expect(
            other.map { String(decoding: $0, as: UTF8.self) }
                == #"\#(Self.begin)5:{\"given_name\":\"Nora-Lee\"}\n\#(Self.end)"#
        )
    }

    @Test func timeGrowsWithThePieces() {
        func seconds(_ count: Int) -> Double {
            let text = Array((Self.begin + String(repeating: "a" + Self.joint, count: count) + "b").utf8)
            return ProcessorTime.seconds { _ = MarkupSlots.slots(in: text[...]) }
        }
        let small = seconds(50)
        // Sixteen times the text: linear is 16, quadratic 256.
        #expect(seconds(800) < 50 * max(small, 0.004))
    }
}
