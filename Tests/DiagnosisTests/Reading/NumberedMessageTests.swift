import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import Testing

/// Pages of LemonLDAP::NG have the number of their message, and look at a request only when they know who asks.
struct NumberedMessageTests {
    private func signedIn(_ number: Int, _ form: String = "", at path: String? = nil) throws -> Recording {
        let recording = try Recording("authorization-response/access-denied-by-policy")
        let request = try #require(recording.exchanges.first { $0.request.url.path.hasSuffix("/authorize") })
        return Recording(Array(recording.exchanges.prefix(3))).editing { exchange in
            guard exchange.request.method == "POST" else { return }
            if path == nil { exchange.request.url = request.request.url }
            let page = """
                <html><!-- <head> markup --><body><!--
                <div class="alert alert-danger">DEMO</div>
                --><div id="errormsg"><div class="message message-negative alert" role="alert"><span trmsg="\(number)"></span>
                </div></div>\(form)<p><span trspan="goToPortal">Go to portal</span></p></body></html>
                """
            exchange.response = RecordedResponse(status: 200, body: Body(text: page, mediaType: "text/html"))
        }
    }

    @Test(arguments: [
        (107, "client-id-unknown", "PE107 PE_UNKNOWNPARTNER"),
        (108, "redirect-uri-not-registered", "PE108 PE_UNAUTHORIZEDURL Go to portal"),
        (84, "access-denied-by-policy", "PE84 PE_UNAUTHORIZEDPARTNER"),
        (90, "access-denied-by-policy", "PE90 PE_OIDC_SERVICE_NOT_ALLOWED"),
        (24, "authorization-error", "PE24 PE_ERROR"), (998, "authorization-error", "PE998"),
    ])
    func refusesTheRequest(number: Int, rule: String, words: String) throws {
        let recording = try signedIn(number)
        #expect(recording.findings.filter(\.isPrimary).map(\.rule) == [rule])
        #expect(recording.finding(rule)?.evidence.contains { $0.value == words } == true)
        #expect(recording.outcomes == [.failure])
    }

    /// The sign-in form comes again with it.
    @Test func wrongPasswordIsNoRefusal() throws {
        let recording = try signedIn(
            5,
            #"<form method="post"><input name="user"><input type="password"></form>"#
        )
        #expect(recording.findings.map(\.rule) == ["login-abandoned"])
        #expect(recording.finding("login-abandoned")?.evidence[1].value == "PE5 PE_BADCREDENTIALS")
        #expect(recording.outcomes == [.incomplete])
    }

    /// A page of another address than the request's may be about something else.
    @Test func clientIsUnknownOnlyWhereItsRequestWent() throws {
        #expect(try signedIn(107, at: "/sign-in").finding("client-id-unknown") == nil)
    }
}
