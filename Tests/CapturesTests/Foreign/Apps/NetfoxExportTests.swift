@testable import Captures
import TestSupport
import Testing

/// What netfox shares as text.
struct NetfoxExportTests {
    private func read(_ text: String) throws -> Capture {
        try CaptureReader.read(bytes: Array(text.utf8), name: "netfox.txt")
    }

    private static let tooLong =
        "Too long to show. If you want to see it, please tap the following button"

    /// What stands before the messages of a call.
    private static let info = """
        ** INFO **
        [URL]\u{20}
        https://op.example/token

        [Method]\u{20}
        POST

        [Status]\u{20}
        400

        [Request date]\u{20}
        2026-03-04 09:54:08 +0000

        [Response date]\u{20}
        2026-03-04 09:54:08 +0000

        [Time interval]\u{20}
        0.2455

        [Timeout]\u{20}
        60.0
        """

    private static func call(
        sent: String = "grant_type=authorization_code&code=abcd",
        answer: String = "{\n  \"error\" : \"invalid_grant\"\n}",
        behind: String = ""
    ) -> String {
        """
        \(info)



        ** REQUEST **
        -- Headers --

        [Content-Type]\u{20}
        application/x-www-form-urlencoded

        [X-List]\u{20}
        [1, 2]


        -- Body --

        \(sent)


        ** RESPONSE **
        -- Headers --

        [Content-Type]\u{20}
        application/json

        [Set-Cookie]\u{20}
        a=1; Path=/, b=2; Path=/

        -- Body --

        \(answer)


        logged via netfox - [https://github.com/kasketis/netfox]
        \(behind)
        """
    }

    @Test func callIsAnExchange() throws {
        let capture = try read(Self.call())
        try #require(capture.count == 1 && capture.losses.isEmpty && capture.creator.name == "netfox")
        let token = capture[0]
        #expect(token.request.method == "POST" && token.request.url.text == "https://op.example/token")
        #expect(token.request.headers.first("content-type") == "application/x-www-form-urlencoded")
        #expect(token.request.headers.first("x-list") == "[1, 2]")
        #expect(token.request.body?.text == "grant_type=authorization_code&code=abcd")
        #expect(token.response?.status == 400)
        #expect(token.response?.headers.all("set-cookie") == ["a=1; Path=/", "b=2; Path=/"])
        #expect(token.response?.body?.text == "{\n  \"error\" : \"invalid_grant\"\n}")
        #expect(token.startedAt.rfc3339 == "2026-03-04T09:54:08.000000Z" && token.isZoneKnown)
        #expect(token.duration == .microseconds(245_500))
    }

    /// The full log has both bodies behind all else, one behind the other.
    @Test func longAnswerStandsBehindAllElse() throws {
        let sent = "grant_type=authorization_code&code=abcd"
        let full = try read(Self.call(answer: Self.tooLong, behind: sent + "{\"id_token\":\"x\"}\n"))
        #expect(full[0].response?.body?.text == "{\"id_token\":\"x\"}")
        // Nothing says where the second begins.
        let both = try read(
            Self.call(sent: Self.tooLong, answer: Self.tooLong, behind: sent + "{\"id_token\":\"x\"}\n")
        )
        #expect(both[0].response?.body?.isRecorded == false && both[0].request.body?.isRecorded == false)
        let simple = try read(Self.call(answer: Self.tooLong))
        #expect(simple[0].response?.body?.isRecorded == false)
    }

    @Test func callWithoutAnAnswerHasNone() throws {
        let text = Self.call()
        let status = try #require(text.firstRange(of: "[Status]"))
        let date = try #require(text.firstRange(of: "[Request date]"))
        let answer = try #require(text.firstRange(of: "** RESPONSE **\n"))
        let unanswered =
            text[..<status.lowerBound] + text[date.lowerBound..<answer.upperBound] + "No response\n\n"
        #expect(try read(String(unanswered))[0].response == nil)
    }

    @Test func otherTextIsNone() {
        #expect(throws: CaptureError.self) { try read("words\n** INFO **\n** RESPONSE **\nof something\n") }
    }

    /// `session.log`, which has all calls; header fields are printed as Swift has them, with their values as they are or in quotes.
    @Test(arguments: [
        #"[AnyHashable("Content-Type"): application/json, AnyHashable("Date"): Wed, 04 Mar 2026 09:54:08 GMT]"#,
        #"["Content-Type": "application/json", "Date": "Wed, 04 Mar 2026 09:54:08 GMT"]"#,
    ])
    func sessionIsRead(fields: String) throws {
        let url = "https://op.example/token"
        let sent = """
            -------START REQUEST -  \(url) -------
            [Request Method] POST
            [Request Date] 2026-03-04 09:54:08 +0000
            [Request Headers]
            [AnyHashable("Content-Type"): "application/x-www-form-urlencoded"]
            [Request Body]
             code=abcd
            -------END REQUEST - \(url) -------


            """
        let received = """
            -------START RESPONSE -  \(url) -------
            [Response Status] 400
            [Response Date] 2026-03-04 09:54:09 +0000
            [Response Headers]
            \(fields)

            [Response Body]
             {
              "error" : "x"
            }
            -------END RESPONSE - \(url) -------

            """
        let capture = try CaptureReader.read(
            bytes: Array((sent + sent + received + received).utf8),
            name: "session.log"
        )
        try #require(capture.count == 2 && capture.creator.name == "netfox")
        for token in [capture[0], capture[1]] {
            #expect(token.request.method == "POST" && token.request.url.text == url)
            #expect(FormBody.items(of: token.request.body)?.first("code") == "abcd")
            #expect(token.startedAt.rfc3339 == "2026-03-04T09:54:08.000000Z" && token.isZoneKnown)
            #expect(token.response?.status == 400)
            #expect(token.response?.headers.first("date") == "Wed, 04 Mar 2026 09:54:08 GMT")
            #expect(token.response?.body?.text == "{\n  \"error\" : \"x\"\n}")
        }
    }
}
