import JSON
import Testing

@testable import Sharing

struct BodySizesTests {
    /// What said how long a body was says how long it is; what said something else goes on to say that.
    @Test(arguments: [
        ("content-length", "3", "5"), ("Content-Length", "9", "9"), ("Age", "3", "3"),
    ])
    func lengthFollowsTheBody(header: String, value: String, expected: String) {
        var part: JSONObject = [
            "headers": [["name": .string(header), "value": .string(value)]], "bodySize": 3,
            "content": ["size": 3, "text": "ab\u{e4}d"],
        ]
        BodySizes.adjust(&part, "content", before: ["content": ["size": 3, "text": "abc"]])
        #expect(part["headers"]?.array?.first?["value"] == .string(expected))
        #expect(part["bodySize"] == 5 && part["content"]?["size"] == 5)
    }
}
