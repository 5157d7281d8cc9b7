import Captures
import JSON
import Testing

struct JSONBodyTests {
    @Test(arguments: [
        ("{\"state\":\"s\"}", true), (" \r\n\t{\"state\":\"s\"}\n", true), ("[{\"state\":\"s\"}]", false),
        ("<html>{\"state\":\"s\"}", false), ("{\"state\":\"s\"", false), ("{\"state\":\"s\"}}", false),
        ("", false),
    ])
    func anObjectIsReadWhateverItsMediaType(text: String, isObject: Bool) {
        for mediaType in ["application/json", "text/plain", nil] {
            let object = JSONBody.object(of: Body(text: text, mediaType: mediaType), below: 100)
            #expect(object?["state"]?.string == (isObject ? "s" : nil), "\(mediaType ?? "none")")
        }
    }

    @Test func whatIsTooLargeIsLeftUnread() {
        let body = Body(text: "{\"a\":1}")
        #expect(JSONBody.object(of: body, below: 8)?.members.count == 1)
        #expect(JSONBody.object(of: body, below: 7) == nil)

        let large = Body(
            content: .deferred {
                Issue.record("a body of this size is not to be loaded")
                return nil
            },
            size: 7
        )
        #expect(JSONBody.object(of: large, below: 7) == nil)
    }

    @Test func whatIsNotRecordedIsNone() {
        #expect(JSONBody.object(of: nil, below: 100) == nil)
        #expect(JSONBody.object(of: Body(content: .missing), below: 100) == nil)
    }
}
