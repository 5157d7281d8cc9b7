@testable import Captures
import JSON
import TestSupport
import Testing

/// Entries that tell a part of a message elsewhere than in the place that HAR has for it, or not at all.
struct HalfToldEntriesTests {
    private func read(_ entry: String, _ name: String = "login.har") throws -> Exchange {
        let text =
            #"{"log":{"entries":[{"startedDateTime":"2026-03-04T09:54:08.356Z",\#(entry)}]}}"#
        return try CaptureReader.read(bytes: Array(text.utf8), name: name)[0]
    }

    private func request(_ members: String) throws -> RecordedRequest {
        try read(#""request":{\#(members)},"response":{"status":200}"#).request
    }

    private func response(_ members: String) throws -> RecordedResponse {
        let exchange = try read(
            #""request":{"method":"GET","url":"https://idp.example/"},"response":{"status":200,\#(members)}"#
        )
        return try #require(exchange.response)
    }

    /// What the answer's body is when the entry has been written by us.
    private func bodyWritten(_ response: RecordedResponse) throws -> Body? {
        let exchange = Exchange(
            startedAt: Timestamp(seconds: 1_772_618_048),
            request: RecordedRequest(method: "GET", url: RecordedURL("https://idp.example/")),
            response: response
        )
        let written = String(decoding: HAREntry.text(of: exchange), as: UTF8.self)
        let text = #"{"log":{"entries":[\#(written)]}}"#
        return try CaptureReader.read(bytes: Array(text.utf8), name: "written.har")[0].response?.body
    }

    /// As the status line has it.
    @Test(arguments: [
        ("302 Found", 302), (" 200 ", 200), ("404 ", 404), ("3021 Found", nil), ("302Found", nil),
    ])
    func statusWithItsWordsIsRead(written: String, status: Int?) throws {
        let exchange = try read(
            #""request":{"method":"GET","url":"https://idp.example/"},"response":{"status":"\#(written)"}"#
        )
        #expect(exchange.response?.status == status)
    }

    // MARK: - Cookies

    /// What a sanitizer has put in the place of the headers; the lists that it did not know stay.
    @Test(arguments: ["REDACTED", "", "***"]) func wordInPlaceOfCookiesLeavesTheirList(word: String) throws {
        let exchange = try read(
            #""request":{"method":"GET","url":"https://app.example/","headers":[{"name":"Cookie","value":"\#(word)"}],"cookies":[{"name":"sid","value":"s1"}]},"response":{"status":200,"headers":[{"name":"Set-Cookie","value":"\#(word)"}],"cookies":[{"name":"a","value":"1","secure":true}]}"#
        )
        #expect(exchange.request.cookie("sid") == "s1" && exchange.request.cookies.count == 1)
        #expect(exchange.response?.setCookies.map(\.name) == ["a"])
    }

    /// Flutter's DevTools have the first value of each header, and the whole list; beside other headers it tells nothing more.
    @Test(arguments: [
        ("a=1; Path=/", ["a", "b"]), ("a=2; Path=/", ["a"]), ("b=2", ["b"]), ("a=1\\nc=3", ["a", "c"]),
    ])
    func headerOfTheFirstCookieHasTheOthersInTheList(header: String, names: [String]) throws {
        let response = try response(
            #""headers":[{"name":"set-cookie","value":"\#(header)"}],"cookies":[{"name":"a","value":"1","path":"/"},{"name":"b","value":"2","secure":true}]"#
        )
        #expect(response.setCookies.map(\.name) == names)
        if names == ["a", "b"] {
            #expect(response.setCookies[0].path == "/" && response.setCookies[1].isSecure)
        }
    }

    // MARK: - Requests

    @Test(arguments: [
        (#"{"name":"Host","value":"idp.example"}"#, "https://idp.example/authorize?state=1"),
        (#"{"name":":authority","value":"idp.example:8443"}"#, "https://idp.example:8443/authorize?state=1"),
        (#"{"name":"Host","value":"localhost:8080"}"#, "http://localhost:8080/authorize?state=1"),
        (
            #"{"name":"Host","value":"idp.example"},{"name":"Origin","value":"http://idp.example"}"#,
            "http://idp.example/authorize?state=1"
        ), (#"{"name":"Host","value":"a b/c"}"#, "/authorize?state=1"),
        (#"{"name":"Accept","value":"*/*"}"#, "/authorize?state=1"),
    ])
    func targetWithoutAServerHasThatOfItsFields(fields: String, url: String) throws {
        let request = try request(
            #""method":"GET","url":"/authorize?state=1","headers":[\#(fields)]"#
        )
        #expect(request.url.text == url)
    }

    @Test(arguments: [
        ("//idp.example/a?b=//c", "https://idp.example/a?b=//c"), ("idp.example/a", "https://idp.example/a"),
        ("//localhost:8080", "http://localhost:8080"), ("idp.example.org/a", "idp.example.org/a"),
        ("com.example:/cb", "com.example:/cb"), ("https://other.example/a", "https://other.example/a"),
    ])
    func serverWithoutASchemeHasOne(written: String, url: String) throws {
        let request = try request(
            #""method":"GET","url":"\#(written)","headers":[{"name":"Host","value":"idp.example"}]"#
        )
        #expect(request.url.text == url)
    }

    /// By its port, and by the page on it that the request is from.
    @Test(arguments: [
        ("localhost:8443/a", "", true), ("127.0.0.1:443/a", "", true), ("idp.example:80/a", "", false),
        ("localhost:5001/a", #"{"name":"Referer","value":"https://localhost:5001/b"}"#, true),
        ("localhost:5001/a", #"{"name":"Referer","value":"https://localhost:50010/b"}"#, false),
        ("localhost:8443/a", #"{"name":":scheme","value":"http"}"#, false),
    ]) func schemeOfAServerIsTold(written: String, fields: String, isSecure: Bool) throws {
        let request = try request(#""method":"GET","url":"\#(written)","headers":[\#(fields)]"#)
        #expect(request.url.text == "\(isSecure ? "https" : "http")://\(written)")
    }

    /// What others say of the same port.
    @Test(arguments: [
        (#""url":"https://localhost:5001/b""#, "", true), (#""url":"https://localhost:5002/b""#, "", false),
        (#""url":"http://localhost:5001/b""#, "", false),
        (
            #""url":"https://idp.example/b","headers":[{"name":"Origin","value":"https://LOCALHOST:5001"}]"#,
            "", true
        ), (#""url":"https://idp.example/b""#, "https://localhost:5001/cb?code=a", true),
        // An app that sends the browser where it does not listen.
        (#""url":"https://idp.example/b""#, "https://localhost:5001/other", false),
    ]) func schemeIsThatOfOtherEntries(other: String, location: String, isSecure: Bool) throws {
        let entry = { (request: String) in
            #"{"startedDateTime":"2026-03-04T09:54:08.356Z","request":{"method":"GET",\#(request)},"response":{"status":302,"headers":[{"name":"Location","value":"\#(location)"}]}}"#
        }
        let har =
            #"{"log":{"entries":[\#(entry(#""url":"localhost:5001/cb?code=a""#)),\#(entry(other))]}}"#
        let imported = JSONWriter.text(of: try OriginalEntryTests.imported([har]))
        for text in [har, imported] {
            let capture = try CaptureReader.read(bytes: Array(text.utf8), name: "login.har")
            let url = "\(isSecure ? "https" : "http")://localhost:5001/cb?code=a"
            #expect(capture[0].request.url.text == url)
            let written = try JSONParser.parse(capture.text(ofEntry: 0) ?? [])
            #expect(written["request"]?["url"]?.string == url)
        }
    }

    /// No field names it; what is a path as well stays one.
    @Test(arguments: [
        ("idp.example/authorize?redirect_uri=https://a.example/cb", true), ("idp.example:8443/a", true),
        ("localhost/a", false), ("localhost:3000/a", false), ("127.0.0.1:3000/a", false),
        ("192.0.2.7/a", true), ("my-idp.example/a", true), ("my_idp.example/a", true),
    ]) func serverBeforeThePathIsOne(written: String, isSecure: Bool) throws {
        let request = try request(#""method":"GET","url":"\#(written)""#)
        #expect(request.url.text == "\(isSecure ? "https" : "http")://\(written)")
    }

    @Test(arguments: [
        "/idp.example/a", "idp.example", "login.php?code=1", "index.php/login", "oauth2/v2.0/token",
        "v2.0/token", "../a/b", "./a", ".example/a", "a..b/c", "com.example:/cb", "com.example:cb/a",
        "data:text.x/plain,a", "idp.example:99999/a", "u@idp.example/a", "192.0.2.300/a",
        "idp.example:1:2/a",
    ]) func whatIsNoServerBeforeThePathStays(written: String) throws {
        let request = try request(#""method":"GET","url":"\#(written)""#)
        #expect(request.url.text == written)
    }

    /// Playwright and Insomnia.
    @Test func parametersBesideAnEmptyTextAreTheForm() throws {
        let request = try request(
            #""method":"POST","url":"https://idp.example/token","postData":{"mimeType":"application/x-www-form-urlencoded","text":"","params":[{"name":"code","value":"abcd"}],"_file":"a.txt"}"#
        )
        #expect(FormBody.items(of: request.body)?.first("code") == "abcd")
    }

    /// As they went over the wire; a URL among them tells.
    @Test(arguments: [
        ("https%3A%2F%2Fa.example%2Fcb", "https://a.example/cb"), ("com.example%3A%2Fcb", "com.example:/cb"),
        ("a%25b", "a%25b"),
    ])
    func parametersThatAreStillEncodedAreDecoded(written: String, value: String) throws {
        let request = try request(
            #""method":"POST","url":"https://idp.example/token","postData":{"mimeType":"application/x-www-form-urlencoded","params":[{"name":"redirect_uri","value":"\#(written)"},{"name":"code","value":"a%2Fb"}]}"#
        )
        let items = FormBody.items(of: request.body)
        #expect(items?.first("redirect_uri") == value)
        #expect(items?.first("code") == (written.contains("%2F") ? "a/b" : "a%2Fb"))
    }

    /// A URN tells as well, where there is no URL.
    @Test(arguments: [
        ("urn%3Aietf%3Aparams%3Aoauth", "urn:ietf:params:oauth"), ("urn:a", "urn:a"), ("a%3Ab", "a%3Ab"),
    ])
    func parametersBesideAURNThatIsStillEncodedAreDecoded(written: String, value: String) throws {
        let request = try request(
            #""method":"POST","url":"https://idp.example/token","postData":{"mimeType":"application/x-www-form-urlencoded","params":[{"name":"client_assertion_type","value":"\#(written)"},{"name":"scope","value":"openid+email"}]}"#
        )
        let items = FormBody.items(of: request.body)
        #expect(items?.first("client_assertion_type") == value)
        #expect(items?.first("scope") == (written.hasPrefix("urn%") ? "openid email" : "openid+email"))
    }

    @Test func emptyTextAloneIsAnEmptyBody() throws {
        let request = try request(
            #""method":"POST","url":"https://idp.example/token","postData":{"mimeType":"text/plain","text":"","params":[]}"#
        )
        #expect(request.body?.bytes == [])
    }

    @Test func formOfAFileIsReadFromIt() throws {
        let har =
            #"{"log":{"entries":[{"startedDateTime":"2026-03-04T09:54:08.356Z","request":{"method":"POST","url":"https://idp.example/token","postData":{"mimeType":"application/x-www-form-urlencoded","text":"","params":[{"name":"code","value":"as shown"}],"_file":"form.txt"}},"response":{"status":200}}]}}"#
        let zip = Archive.zip([("har.har", Array(har.utf8)), ("form.txt", Array("code=as+sent".utf8))])
        let capture = try CaptureReader.read(bytes: zip, name: "login.zip")
        #expect(capture[0].request.body?.text == "code=as+sent")
    }

    @Test func queryThatStandsInTheListOnlyIsPartOfTheURL() throws {
        let members =
            #""method":"GET","queryString":[{"name":"state","value":"a b"},{"name":"scope","value":"openid%20x"}]"#
        let request = try request(members + #","url":"https://idp.example/authorize""#)
        #expect(request.url.text == "https://idp.example/authorize?state=a%20b&scope=openid%20x")
        for url in ["https://idp.example/authorize?", "https://idp.example/#a", ""] {
            #expect(try self.request(members + ",\"url\":\"\(url)\"").url.text == url)
        }
    }

    @Test(arguments: [("post", "POST"), ("Patch", "Patch"), ("delete", "DELETE"), ("mine", "mine")])
    func methodIsAsOnTheWire(_ written: String, _ method: String) throws {
        #expect(try request(#""method":"\#(written)","url":"https://idp.example/""#).method == method)
    }

    @Test func blanksAroundAValueAreNoneOfIt() throws {
        let response = try response(#""headers":[{"name":"Location","value":" https://app.example/cb\t"}]"#)
        #expect(response.location == "https://app.example/cb")
    }

    // MARK: - Answers

    @Test func bytesAsTheyCameAreDecoded() throws {
        let gzip = "H4sIAAAAAAAAA0ssLckoSk3NAQDWIGYtCAAAAA=="
        let content = #""content":{"size":8,"mimeType":"text/plain","encoding":"base64","text":"\#(gzip)"}"#
        let header = #""headers":[{"name":"Content-Encoding","value":"gzip"}]"#
        #expect(try response("\(header),\(content)").body?.text == "authreel")
        // Nobody says that it is coded.
        #expect(try response(content).body?.bytes?.first == 0x1f)
        // The producer has undone the coding, and left the field.
        let plain = content.replacing(gzip, with: Base64.encode(Array("authreel".utf8)))
        #expect(try response("\(header),\(plain)").body?.text == "authreel")
    }

    @Test(arguments: [
        (#"{\"a\":"#, 100, true), (#"{\"a\":1}"#, 100, false), (#"{\"a\":"#, 5, false), (#"[1, 2"#, 50, true),
        ("word", 50, false),
    ])
    func cutJSONIsTold(_ text: String, _ size: Int, _ isCut: Bool) throws {
        let body = try response(
            #""content":{"size":\#(size),"mimeType":"application/json; charset=utf-8","text":"\#(text)"}"#
        ).body
        #expect(body?.isTruncated == isCut)
    }

    @Test(arguments: [#""content":null"#, #""statusText":"OK""#])
    func bodyOfWhichNothingIsSaidIsNotEmpty(_ members: String) throws {
        let response = try response(members)
        #expect(response.body?.isRecorded == false)
        #expect(try bodyWritten(response)?.isRecorded == false)
        let empty = try self.response(members + #","bodySize":0"#)
        #expect(empty.body == nil)
        #expect(try bodyWritten(empty)?.bytes == [])
    }

    /// Of `deflate` and `br` the first bytes say nothing.
    @Test(arguments: [
        ("eJyrVkpMLsksS1WyKikqTdVRKi5NUrJSSszJTE5VqgUAl6cJ6Q==", "deflate"), ("eyJvayI6dHJ1ZX0=", "deflate"),
    ])
    func bodyAsItCameOverTheWireIsDecoded(text: String, coding: String) throws {
        let response = try response(
            #""headers":[{"name":"Content-Encoding","value":"\#(coding)"}],"content":{"mimeType":"application/json","encoding":"base64","text":"\#(text)"}"#
        )
        #expect(response.body?.text?.first == "{" && response.body?.text?.last == "}")
    }

    /// As Logger++, Flutter's DevTools and loggers in scripts have it; what a sanitizer left, and two fields in one, say nothing.
    @Test(arguments: [
        ("JSON", "application/json;charset=UTF-8", "application/json"), ("html", "text/html", "text/html"),
        ("text/plain", "application/json", "application/json"),
        ("application/json", "application/json; charset=utf-8", "application/json"),
        ("application/json", "[redacted]", "application/json"),
        ("application/json", "application/json, application/json", "application/json"),
    ]) func typeThatWasSentIsTheBodys(told: String, sent: String, essence: String) throws {
        let answer = try response(
            #""headers":[{"name":"content-type","value":"\#(sent)"}],"content":{"mimeType":"\#(told)","text":"x"}"#
        )
        #expect(answer.body?.essence == essence)
        let exchange = Exchange(
            startedAt: Timestamp(seconds: 1),
            request: RecordedRequest(method: "GET", url: RecordedURL("https://idp.example/")),
            response: answer
        )
        // The file's own word is kept.
        let written = try JSONParser.parse(HAREntry.text(of: exchange))
        #expect(written["response"]?["content"]?["mimeType"]?.string == told)
    }

    /// Flutter's DevTools have the answer's type there, in brackets.
    @Test(arguments: ["[text/html; charset=utf-8]", "application/json", ""])
    func formThatWasSentIsOne(told: String) throws {
        let body = try request(
            #""method":"POST","url":"https://idp.example/par","headers":[{"name":"Content-Type","value":"application/x-www-form-urlencoded"}],"postData":{"mimeType":"\#(told)","text":"code=abcd"}"#
        ).body
        #expect(FormBody.items(of: body)?.first("code") == "abcd")
    }

    @Test func typeThatOnlyTheHeaderSaysIsTheBodys() throws {
        let members = #""content":{"size":4,"mimeType":"","text":"<h1>"}"#
        let said = try response(
            #""headers":[{"name":"Content-Type","value":"text/html; charset=utf-8"}],"# + members
        )
        #expect(said.body?.essence == "text/html")
        let exchange = Exchange(
            startedAt: Timestamp(seconds: 1),
            request: RecordedRequest(method: "GET", url: RecordedURL("https://idp.example/")),
            response: said
        )
        // The file's own word is kept.
        #expect(String(decoding: HAREntry.text(of: exchange), as: UTF8.self).contains(#""mimeType":"""#))
        #expect(try response(members).body?.essence == "")
    }
}
