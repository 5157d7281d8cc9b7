import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JOSE
import JSON
import OAuth
import TestSupport
import Testing

struct LogoutRedirectNotRegisteredTests {
    private let rule = "logout-redirect-not-registered"
    private let broken = "logout-and-device/logout-redirect-not-registered"

    @Test func comparesWhatIsRegisteredWithWhatWasSent() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(
            finding.places == [
                "8 request.query post_logout_redirect_uri", "0 response.body post_logout_redirect_uris",
                "8 response.status ",
            ]
        )
        // What stands beside it is not said once more.
        #expect(
            finding.notes == [
                "against it the one sent: a \"/\" too many at the end", "refused",
            ]
        )
    }

    @Test func findsTheRegistrationWhereTheRequestNamesNoClient() throws {
        let recording = try Recording(broken).editingLast("/end-session") {
            $0.request.url = RecordedURL(Recording.changing($0.request.url.text, "client_id", ""))
        }
        #expect(recording.finding(rule)?.places.contains("0 response.body post_logout_redirect_uris") == true)
    }

    @Test func leavesARegisteredOneAlone() throws {
        #expect(try Recording(broken + ".near-miss").findings.filter { $0.severity != .note }.isEmpty)
    }

    /// The logout, answered with these words on a page.
    private func answering(_ text: String) throws -> Recording {
        Recording(Array(try Recording(broken).exchanges.dropFirst())).editing { exchange in
            if exchange.request.url.path == "/end-session" {
                exchange.response?.body = Body(text: "<p>\(text)</p>", mediaType: "text/html")
            }
        }
    }

    @Test(arguments: [
        "We are sorry... Invalid redirect uri",
        "Post logout URI does not match with registered callback URI.",
        "The 'post_logout_redirect_uri' parameter must be a Logout redirect URI in the client app settings",
        "AADSTS50011: The redirect URI does not match",
        "Error: invalid_request This client does not have this redirect uri registered.",
        "The post_logout_redirect_uri is not valid for this client",
        "Logout failed because query parameter post_logout_redirect_uri is not a whitelisted one.",
        "[invalid_request] OpenID Connect 1.0 Logout Request Parameter: post_logout_redirect_uri",
        "No registered post_logout_redirect_uri for shop-web", "Doesn't match any registered uris",
    ])
    func believesTheProvidersWords(text: String) throws {
        let recording = try answering(text)
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.last == "7 response.body ")
    }

    @Test func believesAPageOfErrorsThatNamesTheParameter() throws {
        let page = """
            <title>Error</title><h1>Error</h1>
            <ul class="errorlist"><li>post_logout_redirect_uri<ul><li>Enter a valid URL.</li></ul></li></ul>
            """
        let recording = Recording(Array(try Recording(broken).exchanges.dropFirst())).editing { exchange in
            guard exchange.request.url.path == "/end-session" else { return }
            exchange.response = RecordedResponse(status: 200, body: Body(text: page, mediaType: "text/html"))
        }
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.last == "7 response.body ")
        #expect(finding.evidence.last?.value == "Error Error post_logout_redirect_uri Enter a valid URL.")
    }

    /// LemonLDAP::NG has ended the session before it looks at the address, so its form to sign in is on the page as well.
    @Test(arguments: [(108, true), (9, false), (47, false)])
    func readsTheNumberOfAMessageAboveAForm(number: Int, fires: Bool) throws {
        let page = """
            <div id="errormsg"><div class="message message-negative alert" role="alert"><span trmsg="\(number)"></span></div></div>
            <form method="post"><input name="user"><input type="password" name="password"></form>
            """
        let recording = Recording(Array(try Recording(broken).exchanges.dropFirst())).editing { exchange in
            guard exchange.request.url.path == "/end-session" else { return }
            exchange.response = RecordedResponse(status: 200, body: Body(text: page, mediaType: "text/html"))
        }
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
        #expect(recording.outcomes == [fires ? .failure : .success])
        guard fires else { return }
        #expect(recording.finding(rule)?.places.last == "7 response.body ")
        #expect(recording.finding(rule)?.evidence.last?.value == "PE108 PE_UNAUTHORIZEDURL")
    }

    @Test(arguments: [
        "The post_logout_redirect_uri needs an id_token_hint, or the client is invalid",
        "Try again: /end-session?post_logout_redirect_uri=https://www.shop.example/invalid",
        "Try again: /login?next=%2Fend-session%3Fpost_logout_redirect_uri%3Dhttps%3A%2F%2Fa.example%2Finvalid",
        "<b>post_logout_redirect_uri</b><i>Your session is not valid</i>",
        "No redirect to the post_logout_redirect_uri. Your session is not valid.",
        "A post_logout_redirect_uri cannot be used with an invalid id_token_hint",
        "post_logout_redirect_uri without client_id is not allowed",
    ])
    func leavesWordsAloneThatJudgeSomethingElse(text: String) throws {
        let recording = try answering(text)
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesOtherRefusalsAlone() throws {
        let recording = Recording(Array(try Recording(broken).exchanges.dropFirst()))
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.failure])
    }

    @Test func leavesAloneWhatWasRedirectedAsAsked() throws {
        let recording = try Recording(broken).editing { exchange in
            guard exchange.request.url.path == "/end-session" else { return }
            exchange.response = RecordedResponse(status: 302)
            exchange.response?.redirect(to: "https://www.shop.example/goodbye/")
        }
        #expect(recording.finding(rule) == nil)
    }

    /// A logout at Cognito, which has its own names for it.
    private func cognito(_ query: String, _ status: Int, location: String? = nil, page: String? = nil)
        -> Recording
    {
        var capture = CaptureBuilder()
        capture.get(
            "https://shop.auth.eu-west-1.amazoncognito.com/logout?client_id=1h57kf5cpq17m0eml12EXAMPLE\(query)",
            status,
            answer: location.map { [("Location", $0)] } ?? [],
            body: page.map { .html($0) }
        )
        return Recording(capture.exchanges)
    }

    @Test func cognitosPageForAnErrorIsRead() throws {
        let page = "https://shop.auth.eu-west-1.amazoncognito.com/error?error=redirect_mismatch"
        let finding = try #require(
            cognito("&logout_uri=https%3A%2F%2Fapp.example%2Fbye", 302, location: page).finding(rule)
        )
        #expect(finding.places.first == "0 request.query logout_uri")
    }

    @Test func cognitoWantsToBeToldWhereToGoOn() throws {
        let words = "Required String parameter 'redirect_uri' is not present"
        let finding = try #require(cognito("", 400, page: words).finding(rule))
        #expect(finding.places == ["0 request.query logout_uri", "0 response.body "])
        #expect(cognito("", 400, page: "no").finding(rule) == nil)
    }

    /// A client made for the standard names the address as Cognito does not read it, and Cognito misses its own.
    @Test func aNameThatCognitoDoesNotReadIsNotAnAddressThatIsNotRegistered() throws {
        let address = "&post_logout_redirect_uri=https%3A%2F%2Fapp.example%2Fbye"
        let words = "Required String parameter 'redirect_uri' is not present"
        let wrong = cognito(address, 400, page: words)
        #expect(wrong.finding(rule) == nil)
        let finding = try #require(wrong.finding("logout-parameter-wrong"))
        #expect(finding.isPrimary)
        #expect(finding.places.first == "0 request.query post_logout_redirect_uri")
        #expect(finding.notes.first == "this endpoint reads logout_uri instead")
        let both = cognito(address + "&logout_uri=https%3A%2F%2Fapp.example%2Fbye", 400, page: words)
        #expect(both.finding("logout-parameter-wrong") == nil)
        #expect(both.finding(rule)?.isPrimary == true)
    }

    @Test(arguments: [("redirect_uri_mismatch", true), ("bad_request", false)])
    func knowsTheNameThatForgeRockHasForIt(error: String, fires: Bool) throws {
        let recording = Recording(Array(try Recording(broken).exchanges.dropFirst()))
            .answering("/end-session", 400, ["error": .string(error), "error_description": "No."])
        #expect((recording.finding(rule)?.isPrimary == true) == fires)
    }
}
