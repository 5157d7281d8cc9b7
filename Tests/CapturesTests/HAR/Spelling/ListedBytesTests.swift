@testable import Captures
import JSON
import TestSupport
import Testing

/// Bodies that stand as the numbers of their bytes, and header fields as a text or a list.
struct ListedBytesTests {
    /// What is read of a text, and of what `import` writes of it.
    private func readings(_ text: String) throws -> [Exchange] {
        try [text, JSONWriter.text(of: try OriginalEntryTests.imported([text]))].map {
            try CaptureReader.read(bytes: Array($0.utf8), name: "login.har")[0]
        }
    }

    private static let json = #""headers":[{"name":"Content-Type","value":"application/json"}]"#

    /// `{"a":"ä"}`, of Java with its sign.
    @Test(arguments: [
        #""text":[123,34,97,34,58,34,195,164,34,125]"#, #""text":[123,34,97,34,58,34,-61,-92,34,125]"#,
        #""size":10,"text":[123,34,97,34,58,34,195,164,34,125]"#,
        #""text":{"type":"Buffer","data":[123,34,97,34,58,34,195,164,34,125]}"#,
        #""text":"{\"type\":\"Buffer\",\"data\":[123,34,97,34,58,34,195,164,34,125]}""#,
        #""text":{"0":123,"1":34,"2":97,"3":34,"4":58,"5":34,"6":195,"7":164,"8":34,"9":125}"#,
    ]) func numbersAreTheBytes(_ text: String) throws {
        let content = #""content":{"mimeType":"application/json",\#(text)}"#
        for exchange in try readings(EntrySpellingTests.har(Self.json, "\(Self.json),\(content)")) {
            #expect(exchange.response?.body?.text == #"{"a":"ä"}"#)
        }
    }

    /// Numbers that are the body, and what a server in Node has sent by mistake.
    @Test(arguments: [
        ("", "[123,34,97]"), (#""size":11,"#, "[123,34,97]"), ("", "[1,2,300]"), ("", #"{"0":1,"2":2}"#),
        (#""size":35,"#, #"{"type":"Buffer","data":[99,61,49]}"#),
    ]) func numbersOfJSONStay(_ size: String, _ text: String) throws {
        let content = #""content":{\#(size)"mimeType":"application/json","text":\#(text)}"#
        for exchange in try readings(EntrySpellingTests.har(Self.json, "\(Self.json),\(content)")) {
            #expect(exchange.response?.body?.text == text)
        }
    }

    /// `c=1`, as long as its field says.
    @Test func formOfARequestIsRead() throws {
        let fields =
            #""headers":[{"name":"Content-Type","value":"application/x-www-form-urlencoded"},{"name":"Content-Length","value":"3"}]"#
        for body in [#""postData":{"text":[99,61,49]}"#, #""body":{"type":"Buffer","data":[99,61,49]}"#] {
            for exchange in try readings(EntrySpellingTests.har("\(fields),\(body)", Self.json)) {
                #expect(FormBody.items(of: exchange.request.body)?.first("c") == "1")
            }
        }
    }

    @Test(arguments: [
        #"["Cache-Control","no-store",":status","200","Set-Cookie","a=1","Set-Cookie","b=2"]"#,
        #"["Cache-Control: no-store","Set-Cookie: a=1","Set-Cookie: b=2"]"#,
        #""{\"Cache-Control\": \"no-store\", \"Set-Cookie\": [\"a=1\", \"b=2\"]}""#,
        #""{'Cache-Control': 'no-store', 'Set-Cookie': ['a=1', 'b=2']}""#,
        #""Cache-Control: no-store\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2""#,
    ]) func fieldsAreReadFromTextsAndLists(_ headers: String) throws {
        for exchange in try readings(EntrySpellingTests.har(Self.json, #""headers":\#(headers)"#)) {
            #expect(exchange.response?.headers.first("cache-control") == "no-store")
            #expect(exchange.response?.setCookies.map(\.name) == ["a", "b"])
        }
    }
}
