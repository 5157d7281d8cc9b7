@testable import Captures
import TestSupport
import Testing

/// What Flutter's PrettyDioLogger prints.
struct PrettyDioLogTests {
    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "log.txt")
    }

    private static let end = "╚" + String(repeating: "═", count: 90) + "╝"

    private static let token = """

        ╔╣ Request ║ POST\u{20}
        ║  https://op.example/token
        \(end)
        ╔ Query Parameters\u{20}
        ╟ a: b
        \(end)
        ╔ Headers\u{20}
        ╟ content-type: application/x-www-form-urlencoded
        ╟ contentType: application/x-www-form-urlencoded
        ╟ responseType: ResponseType.json
        ╟ followRedirects: true
        \(end)
        ╔ Body\u{20}
        ╟ grant_type: authorization_code
        ╟ code:\u{20}
        ║ abcd
        ║ efgh
        ╟ redirect_uri: com.example.app:/cb
        \(end)

        ╔╣ Response ║ POST ║ Status: 200 OK  ║ Time: 245 ms
        ║  https://op.example/token
        \(end)
        ╔ Headers\u{20}
        ╟ content-type: [application/json]
        \(end)
        ╔ Body
        ║
        ║    {
        ║         "access_token": "t1",
        ║         "id_token": "eyJh.
        ║          eyJp.c2ln"
        ║         "expires_in": 3600,
        ║         "scope": null
        ║    }
        ║
        \(end)

        """

    private static let refused = """

        ╔╣ Request ║ GET\u{20}
        ║  https://api.example/me
        \(end)

        ╔╣ DioError ║ Status: 401 Unauthorized ║ Time: 12 ms
        ║  https://api.example/me
        \(end)
        ╔ DioExceptionType.badResponse
        ║    {
        ║         "error": "invalid_token",
        ║         "details": {
        ║             "a": 1
        ║        }
        ║    }
        \(end)

        """

    private static let failed = """

        ╔╣ Request ║ GET\u{20}
        ║  https://api.example/down
        \(end)

        ╔╣ DioError ║ DioExceptionType.connectionError
        ║  no route
        \(end)

        """

    @Test(arguments: ["", "flutter: ", "I/flutter ( 4242): ", "03-04 10:54:08.356  4242  4271 I flutter : "])
    func callsAreExchanges(mark: String) throws {
        let text = (Self.token + Self.refused + Self.failed).split(
            separator: "\n",
            omittingEmptySubsequences: false
        ).map { mark + $0 }.joined(separator: "\n")
        let capture = try read("app started\n" + text)
        try #require(capture.count == 3 && capture.losses.isEmpty)
        #expect(capture.creator.name == "PrettyDioLogger")
        let token = capture[0]
        #expect(token.request.method == "POST" && token.request.url.text == "https://op.example/token")
        #expect(token.request.headers.fields.map(\.name) == ["content-type"])
        #expect(
            token.request.body?.text
                == "grant_type=authorization_code&code=abcdefgh&redirect_uri=com.example.app%3A%2Fcb"
        )
        #expect(token.response?.status == 200 && token.response?.statusText == "OK")
        #expect(token.response?.headers.first("content-type") == "application/json")
        #expect(
            token.response?.body?.text
                == #"{"access_token":"t1","id_token":"eyJh.eyJp.c2ln","expires_in":3600,"scope":null}"#
        )
        #expect(token.duration == .milliseconds(245))
        // Of an object within another nobody knows what was a text.
        #expect(capture[1].response?.status == 401 && capture[1].response?.body?.isRecorded == false)
        #expect(capture[2].response == nil && capture[2].failure == "no route")
    }

    /// A text that is sent has no box; without a header nobody knows that it was a form, but what its parameters are.
    @Test func bodiesOfOtherKindsAreRead() throws {
        let text =
            "╔╣ Request ║ POST \n║  https://op.example/token\n\(Self.end)\n║ grant_type=refresh_token\n║ &a=b\n"
            + "\n╔╣ Request ║ POST \n║  https://op.example/par\n\(Self.end)\n╔ Body \n╟ client_id: app\n\(Self.end)\n"
            + "\n╔╣ Response ║ POST ║ Status: 502 null  ║ Time: 9 ms\n║  https://op.example/token\n\(Self.end)\n╔ Body\n║\n║ bad ga\n║ teway\n║\n\(Self.end)\n"
        let capture = try read(text)
        try #require(capture.count == 2)
        #expect(capture[0].request.body?.text == "grant_type=refresh_token&a=b")
        #expect(capture[0].response?.body?.text == "bad gateway" && capture[0].response?.statusText == "")
        #expect(capture[1].request.body?.text == "client_id=app" && capture[1].response == nil)
    }

    /// Where several calls wait nobody knows which has failed.
    @Test func failureIsNobodysWhereSeveralWait() throws {
        let waiting = "╔╣ Request ║ GET \n║  https://api.example/other\n\(Self.end)\n"
        let capture = try read(waiting + Self.failed)
        #expect(capture.count == 2 && capture.indices.allSatisfy { capture[$0].failure == nil })
    }

    @Test func otherTextIsNone() {
        #expect(throws: CaptureError.self) { try read("words\n╔╣ Request ║ of somebody\n║ words\n") }
    }

    @Test(.timeLimit(.minutes(1))) func hostileLogsTakeNoQuadraticTime() throws {
        let begin = "╔╣ Request ║ GET \n║  https://api.example/down\n"
        for line in [
            "x\n", "║ x\n", "╔ Body\n", "╟ a: b\n", begin, "╔╣ DioError ║ DioX\n║ x\n",
            begin + "╔╣ DioError ║ DioX\n║ x\n",
        ] {
            #expect(try read(Self.token + String(repeating: line, count: 20_000)).count > 0)
        }
    }
}
