@testable import Captures
import TestSupport
import Testing

/// What dio's interceptor prints.
struct DioLogTests {
    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "log.txt")
    }

    private static let marks = [
        "", "flutter: ", "I/flutter ( 4242): ", "03-04 10:54:08.356  4242  4271 I flutter : ",
        "2026-03-04 10:54:08.356  4242-4271  flutter  com.example.app  I  ",
    ]

    private static func request(_ data: String, type: String = "application/x-www-form-urlencoded") -> String
    {
        """
        *** Request ***
        uri: https://op.example/token
        method: POST
        responseType: ResponseType.json
        connectTimeout: null
        extra: {}
        headers:
         content-type: \(type)
        data:
        \(data)

        """
    }

    private static let refused = """
        *** DioException ***:
        uri: https://op.example/token
        DioException [bad response]: This exception was thrown because the response has a status code of 400.
        Read more about status codes at https://docs.example/

        uri: https://op.example/token
        statusCode: 400
        headers:
         content-type: application/json
         set-cookie: a=1
        \tb=2
        Response Text:
        {"error":"invalid_grant"}


        """

    private static let answered = """
        *** Request ***
        uri: https://api.example/me
        method: GET
        headers:
         authorization: Bearer t1

        *** Response ***
        uri: https://api.example/me
        statusCode: 200
        headers:
         content-type: application/json
        Response Text:
        {"sub":"1"}

        """

    private func log(_ text: String, behind mark: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { mark + $0 }
        // Another program's, where there are such.
        let others = mark.isEmpty ? [] : ["D/other ( 1): method: PUT"]
        return ("app started\n" + (lines.prefix(3) + others + lines.dropFirst(3)).joined(separator: "\n"))
    }

    @Test(arguments: marks) func callsAreExchanges(mark: String) throws {
        let data = "{grant_type: authorization_code, code: abcd, redirect_uri: com.example.app:/cb}"
        let capture = try read(log(Self.request(data) + Self.refused + Self.answered, behind: mark))
        try #require(capture.count == 2 && capture.losses.isEmpty && capture.creator.name == "dio")
        let token = capture[0]
        #expect(token.request.method == "POST" && token.request.url.text == "https://op.example/token")
        #expect(
            token.request.body?.text
                == "grant_type=authorization_code&code=abcd&redirect_uri=com.example.app%3A%2Fcb"
        )
        #expect(token.response?.status == 400 && token.failure == nil)
        #expect(token.response?.headers.all("set-cookie") == ["a=1", "b=2"])
        #expect(token.response?.body?.text == #"{"error":"invalid_grant"}"#)
        #expect((token.startedAt.nanoseconds != 0) == mark.hasPrefix("2026"))
        #expect(capture[1].request.headers.first("authorization") == "Bearer t1")
        #expect(capture[1].request.body == nil && capture[1].response?.body?.text == #"{"sub":"1"}"#)
    }

    /// Dart sets no quotation marks, and what is null is sent as its name.
    @Test(
        arguments: [
            ("{scope: openid, profile, code: a: b, x: null}", "scope=openid%2C+profile&code=a%3A+b&x="),
            ("{a[]: 1, b: }", "a%5B%5D=1&b="), ("grant_type=refresh_token", "grant_type=refresh_token"),
            ("null", nil), ("Instance of 'FormData'", nil),
        ] as [(String, String?)]
    )
    func formIsAsDartPrintsIt(data: String, body: String?) throws {
        #expect(try read(Self.request(data) + Self.refused)[0].request.body?.text == body)
    }

    /// Of a map that is sent as JSON nobody knows what was a text; Android's log divides long lines.
    @Test(
        arguments: [
            ("{a: 1}", nil), (#"{"a":1}"#, #"{"a":1}"#), ("{\"a\":\n\"b\"}", "{\"a\":\n\"b\"}"),
            ("{\"a\":\"b\nc\"}", #"{"a":"bc"}"#),
        ] as [(String, String?)]
    )
    func bodyInJSONIsReadWhereItIsOne(data: String, body: String?) throws {
        let exchange = try read(Self.request(data, type: "application/json"))[0]
        #expect(exchange.request.body?.text == body && exchange.response == nil)
    }

    /// A page has empty lines of its own; of one without an end nobody knows how far it goes.
    @Test(arguments: [
        ("<!DOCTYPE html>\n<p>\n\n<p>access_denied\n</HTML>\n\nwords of the app\n", 5, false),
        ("<html>\n\n<p>access_denied\n", 1, true), ("<html><p>\n\n\n", 1, false), ("a\n\nb\n", 1, false),
    ])
    func emptyLinesOfAPageEndNothing(body: String, lines: Int, isCut: Bool) throws {
        let answer = """
            *** Response ***
            uri: https://op.example/token
            statusCode: 200
            headers:
             content-type: text/html
            Response Text:

            """
        let text = Self.request("a=b") + answer + body
        let told = body.split(separator: "\n", omittingEmptySubsequences: false).prefix(lines)
        // With and without another call behind.
        for text in [text, text + "\n" + Self.request("c=d")] {
            let page = try #require(try read(text)[0].response?.body)
            #expect(page.text == told.joined(separator: "\n") && page.isTruncated == isCut)
        }
    }

    /// Neither bodies nor answers' heads, as its user asked for.
    @Test func whatIsNotPrintedIsUnknown() throws {
        let capture = try read(
            """
            *** Request ***
            uri: https://op.example/token
            method: POST
            headers:
             content-type: application/x-www-form-urlencoded

            *** Response ***
            uri: https://op.example/token
            statusCode: 200
            headers:
             content-type: application/json

            *** Request ***
            uri: https://op.example/jwks
            method: GET

            *** Response ***
            uri: https://op.example/jwks
            Response Text:
            {}

            *** Request ***
            uri: https://api.example/down
            method: GET

            *** DioException ***:
            uri: https://api.example/down
            DioException [connection error]: no route

            """
        )
        // An answer of which no status is there would look as if nobody had answered.
        #expect(capture.indices.map { capture[$0].request.url.path } == ["/token", "/down"])
        #expect(capture[0].request.body?.isRecorded == false)
        #expect(capture[0].response?.body?.isRecorded == false)
        #expect(capture[1].failure == "no route")
    }

    @Test(arguments: ["*** Request ***\nof somebody\n", "*** Request ***\nuri: /relative\nmethod: GET\n"])
    func otherTextIsNone(text: String) {
        #expect(throws: CaptureError.self) { try read("words\n" + text) }
    }

    @Test(.timeLimit(.minutes(1))) func hostileLogsTakeNoQuadraticTime() throws {
        let begin = Self.answered + Self.request("a=b")
        for line in [
            "x\n", "\n", "*** Request ***\nuri: https://op.example/token\n", "*** Response ***\n", "data:\n",
        ] {
            #expect(try read(begin + String(repeating: line, count: 20_000)).count > 0)
        }
        let page =
            String(repeating: " ", count: 200_000) + "<html>\n" + String(repeating: "\na\n", count: 40_000)
        #expect(try read(Self.answered.replacing("{\"sub\":\"1\"}", with: page)).count == 1)
        let map = "{a: " + String(repeating: "b, ", count: 100_000) + "}"
        #expect(try read(Self.request(map))[0].request.body?.isRecorded == true)
    }
}
