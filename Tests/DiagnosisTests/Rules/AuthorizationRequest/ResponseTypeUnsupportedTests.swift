import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct ResponseTypeUnsupportedTests {
    private let rule = "response-type-unsupported"
    private let broken = "authorization-request/response-type-unsupported"

    @Test func namesTheTypeAndTheAnswer() throws {
        let finding = try #require(Recording(broken).finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["1 request.query response_type", "1 response.location error"])
        #expect(finding.evidence[0].value == "id_token")
    }

    /// Apple's page for a request of a name or an address.
    @Test(arguments: [(nil, true), ("query", true), ("form_post", false)] as [(String?, Bool)])
    func saysHowAppleWantsToAnswer(mode: String?, fires: Bool) throws {
        let recording = try Recording("authorization-request/client-id-unknown").asking("response_mode", mode)
            .saying("response_mode must be form_post when name or email scope is requested.")
        let finding = try #require(recording.finding(rule))
        #expect(finding.fix.hasPrefix("Send response_mode=form_post") == fires)
        #expect(finding.places.contains("1 request.query response_mode"))
    }

    @Test func readsTheListAsSetsOfWords() throws {
        #expect(try Recording(broken + ".near-miss").finding(rule) == nil)
    }

    @Test func goesByTheMetadataWhereTheProviderNamesNoFault() throws {
        let recording = try Recording(broken + ".near-miss").asking("response_type", "code token")
        #expect(
            recording.finding(rule)?.places == [
                "2 request.query response_type", "2 request.query response_mode",
                "0 response.body response_types_supported", "2 response.body ",
            ]
        )
    }

    /// A sign-in page that is left open is no answer.
    @Test(arguments: [("code token", true), ("id_token code", false)])
    func warnsOfATypeThatIsNotListedWhereNothingCameOfIt(type: String, fires: Bool) throws {
        let whole = try Recording("healthy/web-code-flow").asking("response_type", type)
            .editingAnswer(of: "/.well-known/openid-configuration") {
                $0["response_types_supported"] = ["code", "code id_token"]
            }
        let page = try #require(whole.exchanges.firstIndex { $0.request.url.path == "/authorize" })
        let recording = Recording(Array(whole.exchanges[...page])).saying("Sign in", status: 200)
        let finding = recording.finding(rule)
        #expect(finding?.severity == (fires ? .warning : nil))
        #expect(finding.map { $0.places.last?.hasSuffix("response_types_supported") == true } ?? true)
        #expect(whole.finding(rule) == nil)
    }

    @Test(arguments: [("Code", true), ("code foo", true), ("code", false)])
    func wordThatNobodyRegisteredIsOneWhereNoOtherFaultIsNamed(type: String, isOne: Bool) throws {
        for error in ["unauthorized_client", "invalid_request", "invalid_scope"] {
            let recording = try Recording(broken).asking("response_type", type)
                .redirecting(to: "https://www.shop.example/callback?error=" + error)
            let finding = recording.finding(rule)
            #expect((finding != nil) == (isOne && error != "invalid_scope"), "\(error)")
            if isOne, let finding { #expect(finding.notes.first == "no such type is registered") }
        }
    }

    @Test(arguments: ["unsupported_response_type", "unsupported_response_mode"]) func knowsTheErrors(
        error: String
    ) throws {
        let recording = try Recording(broken).redirecting(
            to: "https://www.shop.example/callback?error=" + error
        )
        #expect(recording.finding(rule)?.severity == .error)
    }

    @Test(arguments: [("response_type=code", true), ("the code flow", true), ("this client", false)])
    func knowsTheErrorOnAPage(what: String, isOne: Bool) throws {
        let recording = try Recording(broken).saying(
            "unauthorized_client: The client is not authorized to use '\(what)'"
        )
        #expect((recording.finding(rule)?.isPrimary == true) == isOne)
    }

    @Test(arguments: ["response type", "response mode"]) func knowsDoorkeepersWords(what: String) throws {
        let recording = try Recording(broken).saying(
            "The authorization server does not support this \(what).",
            status: 401
        )
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(!finding.fix.contains("Leave response_mode out"))
        let mode = recording.asking("response_mode", "web_message")
        #expect(
            try #require(mode.finding(rule)).fix.contains("Leave response_mode out")
                == (what == "response mode")
        )
    }

    /// LemonLDAP::NG calls a flow that is switched off an error of its own.
    @Test(arguments: [("Implicit+flow+not+allowed", true), ("Database+down", false)])
    func knowsAFlowThatIsSwitchedOff(description: String, isOne: Bool) throws {
        let recording = try Recording(broken).redirecting(
            to: "https://www.shop.example/callback?error=server_error&error_description=" + description
        )
        #expect((recording.finding(rule) != nil) == isOne)
        #expect((recording.finding("provider-server-error") == nil) == isOne)
    }

    @Test func leavesAnUnauthorizedClientAloneThatIsRefusedForElse() throws {
        let recording = try Recording(broken).redirecting(
            to: "https://www.shop.example/callback?error=unauthorized_client&error_description=Disabled"
        )
        #expect(recording.finding(rule) == nil)
    }

    @Test(arguments: [
        "AADSTS700054: response_type &#39;id_token&#39; is not enabled", "Unknown response_type x",
        "response_mode must be form_post when name or email scope is requested.",
    ])
    func knowsTheWordsOfProviders(text: String) throws {
        #expect(try Recording(broken).saying(text).finding(rule) != nil)
    }

    @Test func saysNothingOfASuccess() throws {
        let recording = try Recording("healthy/web-code-flow").editingAnswer(
            of: "/.well-known/openid-configuration"
        ) {
            $0["response_types_supported"] = ["token"]
        }
        #expect(recording.finding(rule) == nil)
    }

    /// A client that is known and may not ask "using this method" (RFC 6749, section 4.1.2.1).
    @Test(arguments: [
        ("id_token", "", true), ("id_token", "&error_description=Locked", false), ("code", "", false),
        (
            "code",
            "&error_description=The+client+is+not+authorized+to+request+an+authorization+code+using+this+method.",
            true
        ),
    ])
    func bareUnauthorizedClientIsAboutTheTypeWhereItIsNotCode(type: String, more: String, fires: Bool) throws
    {
        let recording = try Recording(broken).asking("response_type", type)
            .redirecting(to: "https://www.shop.example/callback?error=unauthorized_client" + more)
        #expect((recording.finding(rule) != nil) == fires)
    }

    /// A number is read to its end.
    @Test(arguments: [
        ("AADSTS70005: The response type is off", true), ("AADSTS700056: No such account", false),
    ])
    func anotherNumberOfEntrasIsNone(text: String, isOne: Bool) throws {
        let recording = try Recording("authorization-request/client-id-unknown").saying(text, status: 400)
        #expect((recording.finding("response-type-unsupported") != nil) == isOne)
    }

    /// Some providers call it unsupported where there is none, as dex does.
    @Test func leavesARequestWithoutATypeToAnotherRule() throws {
        let recording = try Recording("authorization-request/authz-missing-parameter").asking("state", nil)
            .redirecting(to: "https://www.shop.example/callback?error=unsupported_response_type")
        #expect(recording.finding(rule) == nil)
        #expect(recording.finding("authz-missing-parameter")?.isPrimary == true)
        #expect(recording.asking("response_type", "token").finding(rule) != nil)
    }
}
