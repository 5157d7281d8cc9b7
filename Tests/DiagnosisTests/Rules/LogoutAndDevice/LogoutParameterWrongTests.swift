import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

struct LogoutParameterWrongTests {
    private let rule = "logout-parameter-wrong"
    private let broken = "logout-and-device/logout-parameter-wrong"

    private func at(_ url: String) throws -> Recording {
        try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/end-session" { exchange.request.url = RecordedURL(url) }
        }
    }

    @Test func namesTheParameterAndTheOneThatIsRead() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.places == ["8 request.query redirect_uri", "8 response.status "])
        #expect(finding.notes.first == "this endpoint reads post_logout_redirect_uri instead")
        #expect(finding.fix.contains("post_logout_redirect_uri instead of redirect_uri"))
    }

    /// Servers behind a proxy write the port out, and people a host as they please.
    @Test(arguments: ["https://id.harbour.example:443/end-session", "https://ID.Harbour.example/end-session"])
    func metadataMayNameTheEndpointInOtherLetters(url: String) throws {
        let recording = try Recording(broken).editingAnswer(of: "/.well-known/openid-configuration") {
            $0["end_session_endpoint"] = .string(url)
        }
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    /// The provider signs the user out, and keeps them: what the app asked for did not happen.
    @Test func isAnErrorOnAGoodPageOfTheProvider() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/end-session" else { return }
            exchange.request.url = RecordedURL(
                exchange.request.url.text + "&id_token_hint=eyJhbGciOiJub25lIn0.e30."
            )
            exchange.response = RecordedResponse(status: 200)
            exchange.response?.body = Body(text: "<h1>You are signed out</h1>", mediaType: "text/html")
        }
        #expect(recording.finding(rule)?.isPrimary == true && recording.finding(rule)?.severity == .error)
        #expect(recording.outcomes.contains(.failure))
    }

    /// Cognito looks for the address under another name, and says that it is not there.
    @Test func standsBeforeAnAddressThatIsNotRegistered() throws {
        let recording = try Recording(broken).editingLast("/end-session") { exchange in
            exchange.response = RecordedResponse(status: 400)
            exchange.response?.body = Body(
                text: "The post_logout_redirect_uri is not registered, redirect_uri is invalid",
                mediaType: "text/html"
            )
        }
        #expect(recording.finding("logout-redirect-not-registered")?.effectOf == rule)
        #expect(recording.finding(rule)?.isPrimary == true)
    }

    /// A logout that was repeated with success is a note, and hides no later one that was not.
    @Test(arguments: [true, false]) func tellsOfTheLogoutThatWentWrong(isWrongAgain: Bool) throws {
        var recording = try Recording(broken)
        let wrong = try #require(recording.exchanges.last)
        var right = wrong
        right.startedAt = wrong.startedAt + .seconds(5)
        right.request.url = RecordedURL(
            wrong.request.url.text.replacing("redirect_uri=", with: "post_logout_redirect_uri=")
        )
        let target = try #require(right.request.url.queryItems.first("post_logout_redirect_uri"))
        right.response = RecordedResponse(status: 302)
        right.response?.redirect(to: target)
        var again = wrong
        again.startedAt = wrong.startedAt + .seconds(10)
        recording.exchanges += [right] + (isWrongAgain ? [again] : [])
        let finding = try #require(recording.finding(rule))
        #expect(finding.severity == (isWrongAgain ? .error : .note))
        #expect(finding.places.first == "\(isWrongAgain ? 10 : 8) request.query redirect_uri")
    }

    @Test func leavesBothNamesTogetherAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    @Test func leavesAProviderThatReadsItAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/end-session" else { return }
            exchange.response = RecordedResponse(status: 302)
            exchange.response?.redirect(to: "https://www.shop.example/goodbye")
        }
        #expect(recording.finding(rule) == nil)
    }

    @Test func knowsEndpointsThatReadOtherNames() throws {
        let back = "https%3A%2F%2Fwww.shop.example%2Fgoodbye"
        let right = try at("https://id.harbour.example/v2/logout?client_id=shop-web&returnTo=\(back)")
        #expect(right.finding(rule) == nil)
        let wrong = try at("https://id.harbour.example/v2/logout?post_logout_redirect_uri=\(back)")
        #expect(wrong.finding(rule)?.notes.first == "this endpoint reads returnTo instead")
    }

    /// Cognito looks for the address among those of the client, and libraries do not name that.
    @Test(arguments: ["", "client_id=shop-ios&"]) func namesTheClientThatCognitoWants(client: String) throws {
        var capture = CaptureBuilder()
        capture.get(
            "https://shop.auth.eu-central-1.amazoncognito.com/logout?\(client)post_logout_redirect_uri=com.shop.app%3A%2Fbye",
            400,
            body: .html("Required String parameter 'client_id' is not present")
        )
        let fix = try #require(Recording(capture.exchanges).finding(rule)).fix
        #expect(fix.hasPrefix("Send the address as logout_uri instead of post_logout_redirect_uri."))
        #expect(fix.contains(". This endpoint wants client_id as well") == client.isEmpty)
    }

    @Test func knowsKeycloakWithoutItsMetadata() throws {
        let url =
            "https://id.harbour.example/realms/shop/protocol/openid-connect/logout?redirect_uri=https%3A%2F%2Fwww.shop.example%2F"
        let recording = try at(url).without { $0.request.url.path.hasSuffix("openid-configuration") }
        #expect(recording.finding(rule) != nil)
    }

    /// A logout by itself, at an organization and at one of its authorization servers.
    @Test(arguments: [
        ("shop.okta.com/oauth2/v1/logout", true), ("shop.okta.com/oauth2/default/v1/logout", true),
        ("id.harbour.example/app/v1/logout", false),
    ])
    func knowsOktaWithoutItsLogin(address: String, fires: Bool) {
        var capture = CaptureBuilder()
        capture.get(
            "https://\(address)?id_token_hint=e30.e30.e30&returnTo=https%3A%2F%2Fwww.shop.example%2F",
            200,
            body: .html("<p>Signed out</p>")
        )
        #expect((Recording(capture.exchanges).finding(rule) != nil) == fires)
    }
}
