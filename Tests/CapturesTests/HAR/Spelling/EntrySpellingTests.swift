@testable import Captures
import JSON
import TestSupport
import Testing

/// Entries whose members have other names, or stand in another place, than HAR gives them.
struct EntrySpellingTests {
    private static let entry =
        #"{"pageref":"p","startedDateTime":"2026-03-04T09:54:08.356Z","time":30,"request":{"method":"POST","url":"https://idp.example/token","httpVersion":"HTTP/1.1","headers":[{"name":"Accept","value":"a"}],"cookies":[],"queryString":[],"headersSize":9,"bodySize":9,"postData":{"mimeType":"application/x-www-form-urlencoded","text":"code=abcd"}},"response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","headers":[],"cookies":[{"name":"sid","value":"s1","httpOnly":true}],"content":{"size":2,"mimeType":"application/json","text":"{}"},"redirectURL":"","headersSize":9,"bodySize":2},"cache":{},"timings":{"send":1,"wait":28,"receive":1},"serverIPAddress":"192.0.2.1","_myOwn":1}"#

    func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "login.har")
    }

    enum Spelling: CaseIterable {
        case snake, pascal, lower, upper

        /// The text with each name of a member that is HAR's spelled so.
        func spell(_ text: String) -> String {
            text.replacing(/"([a-zA-Z]+)":/) { "\"\(spelled(String($0.1)))\":" }
        }

        private func spelled(_ name: String) -> String {
            switch self {
            case .snake: name.replacing(/([a-z])([A-Z]+)/) { "\($0.1)_\($0.2)" }.lowercased()
            case .pascal: name.prefix(1).uppercased() + name.dropFirst()
            case .lower: name.lowercased()
            case .upper: name.uppercased()
            }
        }
    }

    @Test(arguments: Spelling.allCases) func namesInAnotherSpellingAreHARs(_ spelling: Spelling) throws {
        let har = #"{"log":{"creator":{"name":"Example"},"entries":[\#(Self.entry)]}}"#
        let capture = try read(spelling.spell(har))
        try #require(capture.count == 1)
        let exchange = capture[0]
        #expect(capture.losses.isEmpty)
        #expect(exchange.startedAt.seconds == 1_772_618_048)
        #expect(FormBody.items(of: exchange.request.body)?.first("code") == "abcd")
        #expect(exchange.response?.body?.text == "{}")
        #expect(exchange.response?.setCookies.first?.isHTTPOnly == true)
        #expect(exchange.connection.serverAddress == "192.0.2.1")
        let written = try OriginalEntryTests.imported([spelling.spell(har)])
        let entry = try #require(written["log"]?["entries"]?.array?.first)
        #expect(JSONDifferences.lost(of: try JSONParser.parse(Array(Self.entry.utf8)), in: entry) == [])
        #expect(exchange.foreign["_myOwn"] == 1)
    }

    /// The rest of the file has its place by them, too.
    @Test func longBodiesUnderOtherNamesAreFound() throws {
        let text = "code=" + String(repeating: "x", count: HAREntry.eagerBodyLimit)
        let har = #"{"log":{"entries":[\#(Self.entry.replacing("code=abcd", with: text))]}}"#
        for spelling in Spelling.allCases {
            #expect(try read(spelling.spell(har))[0].request.body?.text == text)
        }
    }

    /// Of two spellings HAR's own counts, and what begins with an underscore is the producer's.
    @Test func namesThatOnlyLookLikeHARsStay() throws {
        let entry = Self.entry.replacing(
            #""mimeType":"application/json""#,
            with: #""mimeType":"application/json","MimeType":"text/html","_text":"x","TEXT_":"y""#
        )
        let exchange = try read(#"{"log":{"entries":[\#(entry)]}}"#)[0]
        #expect(exchange.response?.body?.mediaType == "application/json")
        #expect(exchange.response?.body?.text == "{}")
        #expect(exchange.response?.body?.foreign["MimeType"] == "text/html")
    }

    // MARK: - Bodies

    static let form =
        #""headers":[{"name":"Content-Type","value":"application/x-www-form-urlencoded;charset=UTF-8"}]"#
    static let json = #""headers":[{"name":"Content-Type","value":"application/json"}]"#

    static func har(_ request: String, _ response: String) -> String {
        #"{"log":{"entries":[{"startedDateTime":"2026-03-04T09:54:08.356Z","request":{"method":"POST","url":"https://idp.example/token",\#(request)},"response":{"status":200,\#(response)}}]}}"#
    }

    @Test(arguments: [
        #""postData":{"mimeType":"application/x-www-form-urlencoded","params":{"code":"a b","scope":["x","y"]}}"#,
        #""postData":{"text":{"code":"a b","scope":["x","y"]}}"#,
        #""postData":{"code":"a b","scope":["x","y"]}"#, #""body":{"code":"a b","scope":["x","y"]}"#,
        #""body":"code=a+b&scope=x&scope=y""#, #""postData":null,"body":"code=a+b&scope=x&scope=y""#,
        #""postData":{"params":"code=a+b&scope=x&scope=y"}"#,
        #""postData":{"mimeType":"application/x-www-form-urlencoded","body":"code=a+b&scope=x&scope=y"}"#,
        #""postData":[{"name":"code","value":"a b"},{"name":"scope","value":"x"},{"name":"scope","value":"y"}]"#,
    ]) func formInAnotherPlaceIsRead(_ body: String) throws {
        let text = Self.har("\(Self.form),\(body)", Self.json)
        let imported = JSONWriter.text(of: try OriginalEntryTests.imported([text]))
        for text in [text, imported] {
            let items = FormBody.items(of: try read(text)[0].request.body)
            #expect(items?.first("code") == "a b")
            #expect(items?.items.filter { $0.name == "scope" }.map(\.value) == ["x", "y"])
        }
    }

    @Test(arguments: [
        #""content":{"size":20,"mimeType":"application/json","text":{"a":1.0,"b":["c"]}}"#,
        #""content":{"a":1.0,"b":["c"]}"#, #""body":{"a":1.0,"b":["c"]}"#,
        #""body":"{\"a\":1.0,\"b\":[\"c\"]}""#,
        #""content":{"size":20,"mimeType":"application/json"},"body":"{\"a\":1.0,\"b\":[\"c\"]}""#,
        #""content":{"size":20,"mimeType":"application/json","body":"{\"a\":1.0,\"b\":[\"c\"]}"}"#,
        #""content":{"mimeType":"application/json","encoding":"base64","body":"eyJhIjoxLjAsImIiOlsiYyJdfQ=="}"#,
    ]) func answerInAnotherPlaceIsRead(_ body: String) throws {
        let text = Self.har(Self.form, "\(Self.json),\(body)")
        let imported = JSONWriter.text(of: try OriginalEntryTests.imported([text]))
        for text in [text, imported] {
            let response = try #require(try read(text)[0].response)
            #expect(response.body?.text == #"{"a":1.0,"b":["c"]}"#)
            #expect(response.foreign["body"] == nil && response.body?.foreign["body"] == nil)
        }
    }

    /// As programs have it that record messages for themselves; a database's number with its type is one as well.
    @Test(
        arguments: [
            (#"{"code":400,"message":"Bad Request"}"#, 400, "Bad Request"), (#"{"code":"400"}"#, 400, ""),
            (#"{"statusCode":400,"phrase":"Bad Request"}"#, 400, "Bad Request"),
            (#"{"$numberInt":"400"}"#, 400, ""),
            (#"{"code":null,"message":"none"}"#, nil, nil), (#"{"message":"none"}"#, nil, nil),
        ] as [(String, Int?, String?)]
    ) func statusThatIsAnObjectIsOne(_ status: String, _ code: Int?, _ words: String?) throws {
        let text = Self.har(Self.form, Self.json).replacing(#""status":200"#, with: #""status":\#(status)"#)
        for text in [text, JSONWriter.text(of: try OriginalEntryTests.imported([text]))] {
            let response = try read(text)[0].response
            #expect(response?.status == code && response?.statusText == words)
        }
    }

    /// Of a type that nobody parses an object is its producer's, and of two bodies HAR's counts.
    @Test(arguments: [
        (#""headers":[],"content":{"kind":"none"}"#, nil),
        (#""headers":[],"content":{"_kind":"none"},"body":true"#, nil),
        (#""headers":[],"content":{"mimeType":"text/plain","text":"own"},"body":"other""#, "own"),
        (#""headers":[],"content":{"mimeType":"text/plain","text":"own","body":"other"}"#, "own"),
        (#""headers":[],"content":{"mimeType":"text/plain","body":"other"},"body":"own""#, "own"),
        (#""headers":[],"content":{"size":0,"mimeType":""},"body":null"#, ""),
    ]) func whatIsNoBodyStays(_ members: String, _ text: String?) throws {
        let response = try #require(try read(Self.har(Self.form, members))[0].response)
        #expect(response.body?.text == text)
        #expect((response.body?.foreign["kind"] == nil) == !members.contains(#""kind""#))
    }

    /// PHP writes a list with a gap as an object.
    @Test func listsWithNumbersForBracketsAreRead() throws {
        let cookie = #"{"0":{"name":"Accept","value":"a"},"2":{"name":"Cookie","value":"sid=s1"}}"#
        let query = #"{"1":{"name":"state","value":"x"}}"#
        let text = Self.har(#""headers":\#(cookie),"queryString":\#(query)"#, Self.json)
        let imported = JSONWriter.text(of: try OriginalEntryTests.imported([text]))
        for text in [text, imported] {
            let request = try read(text)[0].request
            #expect(request.cookie("sid") == "s1" && request.headers.first("accept") == "a")
            #expect(request.url.queryItems.first("state") == "x")
        }
    }

    // MARK: - Texts

    private static let quoted = #""mimeType":"application/x-www-form-urlencoded","text":"\"code=ab%2Fcd\"""#

    /// axios-har-tracker, of a form in a text, in an object, and of one that it has lost; other loggers write the same text.
    @Test(arguments: [
        (#""content":{"text":"\"code=ab%2Fcd\""},"postData":{\#(quoted)}"#, "ab/cd"),
        (#""postData":{\#(quoted)}"#, "ab/cd"),
        (
            #""content":{"size":9},"postData":{"mimeType":"application/x-www-form-urlencoded","text":"{\"code\":\"ab/cd\",\"n\":1}"}"#,
            "ab/cd"
        ),
        (
            #""content":{"size":2},"postData":{"mimeType":"application/x-www-form-urlencoded","text":"{}"}"#,
            nil
        ),
    ]) func formThatWasWrittenAsJSONIsOne(_ members: String, _ code: String?) throws {
        let answer = #""headers":[],"content":{"mimeType":"text/html","text":"\"<p class=\\\"a\\\">\""}"#
        let text = Self.har(#""headers":[],\#(members)"#, answer)
        let imported = JSONWriter.text(of: try OriginalEntryTests.imported([text]))
        for text in [text, imported] {
            let exchange = try read(text)[0]
            #expect(FormBody.items(of: exchange.request.body)?.first("code") == code)
            #expect(exchange.request.body?.isRecorded == (code != nil))
            #expect(exchange.response?.body?.text == "<p class=\"a\">")
        }
    }

    /// What a server got so is told so: as the length says, or any JSON, of which nobody knows who wrote it.
    @Test(arguments: [
        #""headers":[{"name":"Content-Length","value":"14"}],"postData":{\#(quoted)}"#,
        #""headers":[],"postData":{"mimeType":"application/json","text":"\"code=ab%2Fcd\""}"#,
        #""headers":[],"postData":{"mimeType":"application/x-www-form-urlencoded","text":"{\"code\":\"ab/cd\"}"}"#,
        #""headers":[],"content":{"size":9},"postData":{"mimeType":"application/json","text":"{\"code\":\"ab\"}"}"#,
        #""headers":[],"content":{"size":9},"postData":{"mimeType":"application/x-www-form-urlencoded","text":"{\"a\":{\"b\":1}}"}"#,
    ]) func textThatWasSentSoStays(_ members: String) throws {
        let body = try read(Self.har(members, #""headers":[]"#))[0].request.body
        let first = body?.text?.first
        #expect(first == "\"" || first == "{")
    }

    /// A script's `str(request.json())`, and a program's own mistake, which is as long as was sent.
    @Test(arguments: [(#""size":21,"#, true), (#""size":24,"#, false), ("", false)])
    func dictionaryThatPythonPrintedIsKnownByItsLength(_ size: String, _ isRead: Bool) throws {
        let content =
            #""content":{\#(size)"mimeType":"application/json","text":"{'a': True, 'b': \"it's\"}"}"#
        let text = Self.har(Self.form, #""headers":[],\#(content)"#)
        for text in [text, JSONWriter.text(of: try OriginalEntryTests.imported([text]))] {
            let body = try read(text)[0].response?.body?.text
            #expect(body == (isRead ? #"{"a":true,"b":"it's"}"# : #"{'a': True, 'b': "it's"}"#))
        }
    }

    @Test func formThatPythonPrintedIsOne() throws {
        let fields =
            #""headers":[{"name":"Content-Type","value":"application/x-www-form-urlencoded"},{"name":"Content-Length","value":"11"}]"#
        let body = #""postData":{"mimeType":"","text":"{'code': 'ab/cd'}"}"#
        let request = try read(Self.har("\(fields),\(body)", Self.json))[0].request
        #expect(FormBody.items(of: request.body)?.first("code") == "ab/cd")
    }

    // MARK: - Cookies

    private static let joined =
        "a=1; Path=/; Expires=Wed, 04 Mar 2026 10:54:08 GMT, b=2,3; Path=/; Secure, c=4; HttpOnly"

    /// Python's requests, .NET and URLSession; the cookies that they list are all of them, or none.
    @Test(arguments: [
        #""headers":[{"name":"x","value":"1, y=2"},{"name":"Set-Cookie","value":"\#(joined)"}],"cookies":[]"#,
        #""headers":[{"name":"x","value":"1, y=2"},{"name":"set-cookie","value":"\#(joined)"}],"cookies":[{"name":"a","value":"1"},{"name":"b","value":"2,3"}]"#,
        #""headers":{"x":"1, y=2","Set-Cookie":"\#(joined)"}"#,
    ]) func cookiesInOneFieldAreSeveral(_ members: String) throws {
        let text = Self.har(Self.form, #"\#(members),"content":{}"#)
        let imported = JSONWriter.text(of: try OriginalEntryTests.imported([text]))
        for text in [text, imported] {
            let capture = try read(text)
            let response = try #require(capture[0].response)
            #expect(response.setCookies.map(\.name) == ["a", "b", "c"])
            #expect(response.setCookies.map(\.value) == ["1", "2,3", "4"])
            #expect(response.setCookies.map(\.path) == ["/", "/", nil])
            #expect(response.setCookies[0].expires == "Wed, 04 Mar 2026 10:54:08 GMT")
            #expect(response.setCookies[1].isSecure && response.setCookies[2].isHTTPOnly)
            #expect(response.headers.first("x") == "1, y=2")
            let entry = try JSONParser.parse(capture.text(ofEntry: 0) ?? [])
            #expect(entry["response"]?["headers"]?.array?.count == 4)
        }
    }

    /// A browser lists the one cookie that it took of a field that a server sent so; others have a field for each.
    @Test(arguments: [
        #""headers":[{"name":"Set-Cookie","value":"\#(joined)"}],"cookies":[{"name":"a","value":"1"}]"#,
        #""headers":[{"name":"Set-Cookie","value":"\#(joined)"},{"name":"Set-Cookie","value":"d=5"}],"cookies":[]"#,
        #""headers":[{"name":"Set-Cookie","value":"a=1, b=2, c=3; Path=/"}],"cookies":[]"#,
        #""headers":[{"name":"Set-Cookie","value":"a=1; Path=/; Expires=Wed, 04-Mar-2026 10:54:08 GMT"}],"cookies":[]"#,
    ]) func cookieThatIsOneStays(_ members: String) throws {
        let response = try #require(try read(Self.har(Self.form, #"\#(members),"content":{}"#))[0].response)
        #expect(response.headers.first("set-cookie")?.hasPrefix("a=1") == true)
        #expect(response.setCookies[0].name == "a" && response.setCookies.allSatisfy { $0.name != "b" })
    }

    // MARK: - Queries

    @Test(arguments: [
        #"{"state":"a+b","redirect_uri":"https://app.example/cb","scope":["openid","x y"]}"#,
        #""state=a%2Bb&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&scope=openid&scope=x+y""#,
        #""?state=a%2Bb&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&scope=openid&scope=x+y""#,
        #"[{"name":"state","value":"a%2Bb"},{"name":"redirect_uri","value":"https%3A%2F%2Fapp.example%2Fcb"},{"name":"scope","value":"openid"},{"name":"scope","value":"x+y"}]"#,
    ]) func queryInAnotherFormIsPartOfTheURL(_ query: String) throws {
        let text = Self.har("\(Self.form),\"queryString\":\(query)", Self.json)
        let imported = JSONWriter.text(of: try OriginalEntryTests.imported([text]))
        for text in [text, imported] {
            let items = try read(text)[0].request.url.queryItems
            #expect(items.first("state") == "a+b")
            #expect(items.first("redirect_uri") == "https://app.example/cb")
            #expect(items.items.filter { $0.name == "scope" }.map(\.value) == ["openid", "x y"])
        }
    }
}
