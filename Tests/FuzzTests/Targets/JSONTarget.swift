@testable import JSON

/// JSON as it comes from the wire.
enum JSONTarget {
    static func check(_ input: [UInt8]) throws(FuzzFinding) {
        let value = try? JSONParser.parse(input)
        let isWalkedOver = input.withUnsafeBufferPointer { bytes in
            var cursor = JSONCursor(bytes)
            return cursor.skipValue() && cursor.isAtEnd
        }
        try require(!isWalkedOver || value != nil, "the cursor takes what the parser refuses")
        let isObject = input.withUnsafeBufferPointer { bytes in
            var cursor = JSONCursor(bytes)
            return cursor.members { $1.skipValue() } && cursor.isAtEnd
        }
        try require(
            !isObject || value?.object != nil,
            "the cursor takes for an object what is none to the parser"
        )
        guard let value else { return }
        for isIndented in [false, true] {
            let text = JSONWriter.bytes(of: value, indented: isIndented)
            let again: JSONValue
            do { again = try JSONParser.parse(text) } catch {
                throw FuzzFinding("what was written is no JSON: \(error)")
            }
            // Bytes, for texts are equal to Swift when they look the same.
            try require(
                JSONWriter.bytes(of: again, indented: isIndented) == text && again == value,
                "written: \(String(decoding: text.prefix(200), as: UTF8.self))"
            )
            try require(
                isIndented || !text.contains { $0 < 0x20 },
                "a control character, or a line end, within one line"
            )
        }
        if let object = value.object { _ = object.duplicateNames }
        _ = value.int
    }
}
