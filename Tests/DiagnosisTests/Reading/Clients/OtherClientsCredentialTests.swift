import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import Testing

struct OtherClientsCredentialTests {
    private let rule = "code-wrong-client"
    private let broken = "token-request/code-wrong-client"

    /// As an app of Apple's brings it to its server, which takes it for the website's.
    @Test(arguments: [
        ("shop-app", "shop-admin", true), ("shop-admin", "shop-admin", false), ("shop-app", "", false),
        ("shop-app", "[REDACTED]", false),
    ])
    func codeThatCameWithAnIDTokenIsOfItsAudience(audience: String, client: String, isOne: Bool) throws {
        var recording = try Recording(broken).without { $0.request.url.path != "/token" }.sending(
            "client_id",
            client
        )
        var handed = try #require(recording.exchanges.last)
        let code = try #require(FormBody.items(of: handed.request.body)?.first("code"))
        let claims =
            #"{"iss":"https://id.harbour.example","aud":"\#(audience)","sub":"alice","iat":1772000000,"exp":1900000000}"#
        let token = [#"{"alg":"RS256"}"#, claims, "signature"].map(encoded).joined(separator: ".")
        handed.request.url = RecordedURL("https://api.shop.example/auth/apple")
        handed.request.headers.remove("authorization")
        handed.request.body = Body(
            text: #"{"identityToken":"\#(token)","authorizationCode":"\#(code)"}"#,
            mediaType: "application/json"
        )
        handed.response = RecordedResponse(status: 500)
        handed.duration = .seconds(2)
        recording.exchanges = [handed] + recording.exchanges
        recording.exchanges[1].startedAt = handed.startedAt + .milliseconds(50)
        #expect(recording.outcomes == [.failure])
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == isOne)
        if isOne { #expect(finding?.evidence[0].value == "shop-app") }
    }
}
