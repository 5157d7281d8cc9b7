import Captures
import OAuth
import Testing

struct WrappedErrorTests {
    private func answer(_ body: String, status: Int = 200) -> Answer {
        var exchange = Exchange(
            startedAt: Timestamp(seconds: 1_764_000_000),
            request: RecordedRequest(method: "POST", url: RecordedURL("https://id.harbour.example/token"))
        )
        exchange.response = RecordedResponse(
            status: status,
            body: Body(text: body, mediaType: "application/json")
        )
        return Answer.ofTokenEndpoint(exchange, at: 0)
    }

    @Test(arguments: [
        (#"{"data":{"error":"invalid_grant","error_description":"spent"}}"#, "invalid_grant: spent", "data"),
        (
            #"{"errors":[{"code":"E4711","message":"The code is invalid"}]}"#, "E4711: The code is invalid",
            "errors"
        ),
        (#"{"errors":["no such code"]}"#, "no such code", "errors"),
        (
            #"{"fault":{"faultstring":"Invalid client","detail":{"errorcode":"oauth.v2.InvalidClient"}}}"#,
            "Invalid client", "fault"
        ),
        (#"{"success":false,"message":"Invalid code"}"#, "Invalid code", "success"),
        (#"{"code":40001,"message":"invalid code"}"#, "40001: invalid code", "code"),
        (#"{"statusCode":400,"body":"{\"error\":\"invalid_grant\"}"}"#, "invalid_grant", "body"),
    ]) func findsTheError(body: String, text: String, place: String) throws {
        let answer = answer(body)
        let error = try #require(answer.error)
        #expect(error.text == text)
        #expect(error.place.name == place)
        #expect(!answer.isSuccess)
        #expect(answer.isRefusal)
    }

    /// A refusal that has a name of the specifications anywhere but in `error`.
    @Test(
        arguments: [
            (
                #"{"errorCode":"INVALID_GRANT","errorSummary":"spent"}"#, "application/json",
                "invalid_grant: spent"
            ),
            (
                #"{"status":400,"data":{"type":"invalid_client","message":"no"}}"#, "application/json",
                "invalid_client: no"
            ),
            (#"{"errors":[{"code":"invalid_grant"}]}"#, "application/json", "invalid_grant"),
            (#"{"error":"INVALID_GRANT"}"#, "application/json", "INVALID_GRANT"),
            (#"{"error":{"code":"invalid_grant"}}"#, "application/json", "invalid_grant"),
            (
                #"{"error":{"type":"Refused","code":"invalid_grant","detail":"spent"}}"#, "application/json",
                "invalid_grant: spent"
            ),
            (#"{"code":"E4711","message":"The grant is not valid"}"#, "application/json", nil),
            ("<h1>Bad Request</h1><p>invalid_grant", "text/html", "invalid_grant: Bad Request"),
            ("<body class=\"access_denied\"><h1>Blocked", "text/html", nil),
            ("<error>invalid_client</error>", "text/xml", "invalid_client"),
            ("invalid_grant, or invalid_client", "text/plain", nil), ("<h1>Bad Request", "text/html", nil),
        ] as [(String, String, String?)]
    )
    func findsANameOfTheSpecifications(body: String, type: String, text: String?) {
        var exchange = Exchange(
            startedAt: Timestamp(seconds: 1_764_000_000),
            request: RecordedRequest(method: "POST", url: RecordedURL("https://id.harbour.example/token"))
        )
        exchange.response = RecordedResponse(status: 400, body: Body(text: body, mediaType: type))
        let error = Answer.ofTokenEndpoint(exchange, at: 0).error
        #expect(error.map { $0.text.hasPrefix(text ?? "-") } ?? (text == nil))
        #expect(error.map { ["invalid_grant", "invalid_client"].contains($0.error) } ?? true)
        // Of a server that fails it may say anything.
        exchange.response?.status = 502
        if type != "application/json" {
            #expect(Answer.ofTokenEndpoint(exchange, at: 0).error == nil)
        }
    }

    /// Twitch's answers to a device.
    @Test(
        arguments: [
            (#"{"status":400,"message":"authorization_pending"}"#, "authorization_pending"),
            (#"{"status":400,"message":"invalid device code"}"#, nil),
            (#"{"message":"authorization_pending"}"#, "authorization_pending"),
        ] as [(String, String?)]
    ) func aMessageIsTheErrorOfADevice(body: String, error: String?) {
        #expect(answer(body, status: 400).error?.error == error)
    }

    /// As league/oauth2-server has it beside the sentence of the specification.
    @Test(arguments: [
        (
            "The request is missing a required parameter, includes an invalid parameter value, or is otherwise malformed.",
            "Authorization code has been revoked", "Authorization code has been revoked"
        ), ("No such scope.", "Check the `read` scope", "No such scope. Check the `read` scope"),
        ("Client authentication failed", "", "Client authentication failed"),
    ]) func aHintSaysWhichReasonItIs(description: String, hint: String, words: String) {
        let body =
            #"{"error":"invalid_request","error_description":"\#(description)","hint":"\#(hint)"}"#
        #expect(answer(body, status: 400).error?.description == words)
    }

    @Test(arguments: [
        #"{"access_token":"a","errors":[{"message":"old"}]}"#,
        #"{"data":{"access_token":"a","error":"none"}}"#,
        #"{"code":0,"message":"ok","result":null}"#, #"{"code":200,"msg":"done"}"#, #"{"errors":[]}"#,
        #"{"success":true,"message":"well"}"#, #"{"status":"pending"}"#, #"{"message":"hello"}"#,
    ]) func leavesOthersAlone(body: String) {
        #expect(answer(body).error == nil)
    }

    /// As frameworks write it beside a success.
    @Test(arguments: ["false", "0", "0.0", "null", "\"\""]) func whatSaysThatThereIsNoErrorIsNone(
        value: String
    ) {
        let good = answer(#"{"error":\#(value),"message":"well","access_token":"a","token_type":"Bearer"}"#)
        #expect(good.error == nil)
        #expect(good.isSuccess)
        // Of another member it says nothing.
        #expect(
            answer(#"{"error":\#(value),"data":{"error":"invalid_grant"}}"#).error?.error == "invalid_grant"
        )
    }

    @Test(arguments: [
        ("true", 200), ("true", 400), ("1", 200), ("\"false\"", 200), ("false", 400), ("0", 400),
    ])
    func otherValuesAndFailuresAreErrors(value: String, status: Int) {
        let refused = answer(#"{"error":\#(value),"message":"no such code"}"#, status: status)
        #expect(refused.error?.description == "no such code")
        #expect(!refused.isSuccess)
    }

    @Test func anErrorAtTheTopGoesFirst() {
        #expect(answer(#"{"error":"invalid_client","data":{"error":"x"}}"#).error?.error == "invalid_client")
        // Of a refusal a name of the specifications alone counts below the top.
        #expect(
            answer(#"{"data":{"error":"invalid_grant"}}"#, status: 400).error?.error == "invalid_grant"
        )
        #expect(answer(#"{"data":{"error":"no_such_code"}}"#, status: 400).error == nil)
    }
}
