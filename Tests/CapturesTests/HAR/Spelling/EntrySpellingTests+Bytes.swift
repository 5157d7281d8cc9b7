@testable import Captures
import JSON
import Testing

/// Bytes that programs wrote down in forms of their own, and texts that only look like them.
extension EntrySpellingTests {
    private static let gzip = #""headers":[{"name":"Content-Encoding","value":"gzip"}]"#

    /// Polly.JS, a reader of files, Python, and loggers that take bytes for text.
    @Test(arguments: [
        #""encoding":"base64","text":"[\"H4sIAAAAAAACA6tWSg==\",\"VLJSOrxEqRYA9pMoKAoAAAA=\"]""#,
        #""_isBinary":true,"text":"[\"1f8b0800000000000203ab564a\",\"54b2523abc44a91600f69328280a000000\"]""#,
        #""encoding":"hex","text":"1f8b0800000000000203ab564a54b2523abc44a91600f69328280a000000""#,
        #""encoding":"base64","text":"data:application/json;charset=utf-8;base64,H4sIAAAAAAACA6tWSlSyUjq8RKkWAPaTKCgKAAAA""#,
        #""text":"data:application/json;base64,H4sIAAAAAAACA6tWSlSyUjq8RKkWAPaTKCgKAAAA""#,
        #""encoding":"base64","text":"b'H4sIAAAAAAACA6tWSlSyUjq8RKkWAPaTKCgKAAAA'""#,
        #""text":"\u001f\u008b\u0008\u0000\u0000\u0000\u0000\u0000\u0002\u0003\u00ab\u0056\u004a\u0054\u00b2\u0052\u003a\u00bc\u0044\u00a9\u0016\u0000\u00f6\u0093\u0028\u0028\u000a\u0000\u0000\u0000""#,
    ]) func bytesInAnotherFormAreRead(_ members: String) throws {
        let content = #""content":{"size":9,"mimeType":"application/json",\#(members)}"#
        let text = Self.har(Self.form, "\(Self.gzip),\(content)")
        let imported = JSONWriter.text(of: try OriginalEntryTests.imported([text]))
        for text in [text, imported] {
            #expect(try read(text)[0].response?.body?.text == #"{"a":"ä"}"#)
        }
    }

    /// `size` tells of how many bytes; a server that answers in Base64 sends the text's own length.
    @Test(arguments: [
        ("14", #"{"name":"Ada"}"#), ("20", "eyJuYW1lIjoiQWRhIn0="), ("15", "eyJuYW1lIjoiQWRhIn0="),
    ])
    func base64ThatIsNotCalledSoIsKnownByItsSize(_ size: String, _ expected: String) throws {
        let content =
            #""content":{"size":\#(size),"mimeType":"application/json","text":"eyJuYW1lIjoiQWRhIn0="}"#
        let text = Self.har(Self.form, #""headers":[],\#(content)"#)
        for text in [text, JSONWriter.text(of: try OriginalEntryTests.imported([text]))] {
            #expect(try read(text)[0].response?.body?.text == expected)
        }
    }

    /// Of bytes that no program made a text of its language writes Base64; where nobody says how long they are the type shows it.
    @Test(arguments: [
        (#"[]"#, #""mimeType":"application/json","text":"eyJuYW1lIjoiQWRhIn0=""#, #"{"name":"Ada"}"#),
        (
            #"[]"#, #""size":-1,"mimeType":"application/json","text":"eyJuYW1lIjoiQWRhIn0=""#,
            #"{"name":"Ada"}"#
        ),
        (
            #"[{"name":"Content-Length","value":"14"}]"#,
            #""mimeType":"application/json","text":"eyJuYW1lIjoiQWRhIn0=""#, #"{"name":"Ada"}"#
        ),
        (
            #"[{"name":"Content-Length","value":"34"},{"name":"Content-Encoding","value":"gzip"}]"#,
            #""mimeType":"application/json","text":"eyJuYW1lIjoiQWRhIn0=""#, #"{"name":"Ada"}"#
        ),
        (
            #"[]"#,
            #""mimeType":"application/x-www-form-urlencoded","text":"Z3JhbnRfdHlwZT1yZWZyZXNoX3Rva2Vu""#,
            "grant_type=refresh_token"
        ),
        (#"[]"#, #""mimeType":"text/html; charset=utf-8","text":"PGh0bWw+PC9odG1sPgo=""#, "<html></html>\n"),
        (
            #"[]"#, #""mimeType":"application/samlmetadata+xml","text":"PGE+PGI+PC9iPjwvYT4K""#,
            "<a><b></b></a>\n"
        ),
        // As they were sent.
        (#"[]"#, #""mimeType":"text/html","text":"YWJjZGVmZ2hpamts""#, "YWJjZGVmZ2hpamts"),
        (
            #"[{"name":"Content-Length","value":"20"}]"#,
            #""mimeType":"text/html","text":"PGh0bWw+PC9odG1sPgo=""#,
            "PGh0bWw+PC9odG1sPgo="
        ),
        (
            #"[{"name":"Content-Length","value":"20"}]"#,
            #""mimeType":"application/json","text":"eyJuYW1lIjoiQWRhIn0=""#, "eyJuYW1lIjoiQWRhIn0="
        ), (#"[]"#, #""mimeType":"text/plain","text":"eyJuYW1lIjoiQWRhIn0=""#, "eyJuYW1lIjoiQWRhIn0="),
        (#"[]"#, #""mimeType":"application/json","text":"bm90IEpTT04gYXQgYWxs""#, "bm90IEpTT04gYXQgYWxs"),
        (
            #"[]"#, #""mimeType":"application/x-www-form-urlencoded","text":"YWJjZGVmZ2hpamts""#,
            "YWJjZGVmZ2hpamts"
        ),
    ])
    func base64ThatIsNotCalledSoIsKnownByItsType(_ headers: String, _ members: String, _ expected: String)
        throws
    {
        let request = #""headers":\#(headers),"postData":{\#(members)}"#
        let text = Self.har(request, #""headers":\#(headers),"content":{\#(members)}"#)
        for text in [text, JSONWriter.text(of: try OriginalEntryTests.imported([text]))] {
            let exchange = try read(text)[0]
            #expect(exchange.request.body?.text == expected && exchange.response?.body?.text == expected)
        }
    }

    /// A script's `str(response.content)`, and a server's own mistake, which is as long as its text.
    @Test(arguments: [
        (#""size":11,"#, #"b'{\"a\":\"\\xc3\\xa4\"}\\n'"#, true),
        (#""size":21,"#, #"b'{\"a\":\"\\xc3\\xa4\"}\\n'"#, false),
        ("", #"b'{\"a\":\"\\xc3\\xa4\"}\\n'"#, false),
        (#""size":11,"#, #"b'{\"a\":\"\\xc3\\xa4\"}\\n"#, false),
        (#""size":11,"#, #"b'{\"a\":\"\\xc3\\xa4\"}\\q'"#, false),
    ])
    func bytesThatPythonPrintedAreKnownByTheirLength(_ size: String, _ printed: String, _ isRead: Bool) throws
    {
        let content = #""content":{\#(size)"mimeType":"application/json","text":"\#(printed)"}"#
        let text = Self.har(Self.form, #""headers":[],\#(content)"#)
        for text in [text, JSONWriter.text(of: try OriginalEntryTests.imported([text]))] {
            let body = try read(text)[0].response?.body
            #expect((body?.text == "{\"a\":\"ä\"}\n") == isRead)
        }
    }

    /// `str(request.body)` of Python's requests, which sends the length of every body.
    @Test func printedBodyOfARequestIsRead() throws {
        let fields =
            #""headers":[{"name":"Content-Type","value":"application/x-www-form-urlencoded"},{"name":"Content-Length","value":"9"}]"#
        let body = #""postData":{"mimeType":"","text":"b'code=abcd'"}"#
        let request = try read(Self.har("\(fields),\(body)", Self.json))[0].request
        #expect(FormBody.items(of: request.body)?.first("code") == "abcd")
    }

    /// Firefox, with and without the parameters that it makes of them; other fields, or of another body, are the body's own.
    @Test(arguments: [
        (
            #""text":"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 9\r\n\r\ncode=abcd""#,
            true
        ),
        (
            #""text":"Content-Length: 9\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\ncode=abcd","params":[{"name":"code","value":"abcd"}]"#,
            true
        ), (#""text":"Content-Type: text/plain\r\nContent-Length: 8\r\n\r\ncode=abcd""#, false),
        (
            #""text":"Content-Type: application/x-www-form-urlencoded\r\nContent-ID: 9\r\n\r\ncode=abcd""#,
            false
        ), (#""text":"c=1\r\n\r\ncode=abcd""#, false),
    ]) func fieldsInFrontOfAFormAreNoPartOfIt(_ members: String, _ areFields: Bool) throws {
        let data = #""postData":{"mimeType":"application/x-www-form-urlencoded",\#(members)}"#
        let body = try read(Self.har(#""headers":[],\#(data)"#, #""headers":[]"#))[0].request.body
        #expect((body?.text == "code=abcd") == areFields)
        #expect(FormBody.items(of: body)?.first("code") == (areFields ? "abcd" : nil))
    }

    /// No reader gets the bytes back; what stands there is kept all the same.
    @Test func bytesThatWereLostAreNoBody() throws {
        let lost =
            #"\u001f\ufffd\u0008\u0000\u0000\u0000\u0000\u0000\u0002\u0003\ufffd\u0056\u004a\u0054\ufffd\u0052\u003a\ufffd\u0044\ufffd\u0016\u0000\ufffd\ufffd\u0028\u0028\u000a\u0000\u0000\u0000"#
        let text = Self.har(
            Self.form,
            #"\#(Self.gzip),"content":{"mimeType":"application/json","text":"\#(lost)"}"#
        )
        let body = try #require(try read(text)[0].response?.body)
        #expect(!body.isRecorded)
        #expect(body.foreign["_text"] == (try JSONParser.parse(Array("\"\(lost)\"".utf8))))
    }

    /// Python takes the other quotes where one is among the bytes.
    @Test(
        arguments: [
            ("b'a\\x00'", [0x61, 0]), (#"b"it's""#, Array("it's".utf8)), (#"b"it's'"#, nil), ("r'ab'", nil),
        ] as [(String, [UInt8]?)]
    ) func bytesAsPythonPrintsThem(text: String, bytes: [UInt8]?) {
        #expect(PythonBytes.decode(text) == bytes)
    }

    /// Such a body is one.
    @Test(arguments: ["data:text/plain;base64,eHg=", "[\\\"ab\\\"]", "b'eHg='", "dead"])
    func textThatOnlyLooksLikeBytesStays(_ text: String) throws {
        let members = #""headers":[],"content":{"mimeType":"application/json","text":"\#(text)"}"#
        let body = try #require(try read(Self.har(Self.form, members))[0].response?.body)
        #expect(body.text == text.replacing("\\", with: ""))
    }

    /// What is decoded may begin with a control character, as authreel itself writes it.
    @Test func decodedTextThatBeginsWithAControlCharacterStays() throws {
        for text in [#"\u0001caf\u00e9"#, #"\u0002\ufffd"#, #"\u001fa"#] {
            let members = #"\#(Self.gzip),"content":{"mimeType":"text/plain","text":"\#(text)"}"#
            let body = try #require(try read(Self.har(Self.form, members))[0].response?.body)
            #expect(body.text == (try JSONParser.parse(Array("\"\(text)\"".utf8))).string)
        }
    }

    /// By its size the page is the address itself.
    @Test func pageThatIsADataAddressStays() throws {
        let text = "data:application/json;base64,e30="
        let members = #""headers":[],"content":{"size":33,"mimeType":"application/json","text":"\#(text)"}"#
        #expect(try read(Self.har(Self.form, members))[0].response?.body?.text == text)
    }

    /// An object within an object is no list of fields, whatever its members are called.
    @Test func parametersWithinParametersAreNoneOfTheirOwn() throws {
        let data = #"{"user":{"name":"Ada","password":"x"},"0":"y"}"#
        let request = #"\#(Self.form),"body":\#(data)"#
        let body = try #require(try read(Self.har(request, #""headers":[],"content":{}"#))[0].request.body)
        #expect(body.text == data)
    }
}
