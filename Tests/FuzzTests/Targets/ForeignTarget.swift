@testable import Captures
import JSON

/// Files of other programs, in whatever they are packed.
enum ForeignTarget {
    static func check(_ input: [UInt8]) throws(FuzzFinding) {
        try lenientAgrees(input)
        guard let capture = try? CaptureReader.read(bytes: input, name: "capture") else { return }
        for index in capture.indices {
            let exchange = capture[index]
            _ = (exchange.request.body?.bytes, exchange.response?.body?.bytes, capture.line(ofEntry: index))
            guard let text = capture.text(ofEntry: index), let entry = try? JSONParser.parse(text) else {
                throw FuzzFinding("entry \(index) has no text")
            }
            try require(entry.object != nil, "entry \(index) is no object")
        }
        try RoundTrip.isStable(capture)
    }

    /// What is JSON is the same to the lenient reader; what that takes comes out as JSON.
    private static func lenientAgrees(_ input: [UInt8]) throws(FuzzFinding) {
        var reader = LenientReader(CaptureSource(bytes: input))
        var json: [UInt8] = []
        let isTaken = (try? reader.value(into: &json)) != nil
        let tree = try? JSONParser.parse(input)
        if isTaken {
            guard let read = try? JSONParser.parse(json) else {
                throw FuzzFinding("what was mended is no JSON: \(String(decoding: json, as: UTF8.self))")
            }
            if let tree { try require(read == tree, "\(read) instead of \(tree)") }
        } else {
            try require(tree == nil || input.count > 400, "JSON is refused")
        }
    }
}
