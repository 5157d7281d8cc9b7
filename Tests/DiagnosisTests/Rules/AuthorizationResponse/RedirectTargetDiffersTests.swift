import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import Testing

struct RedirectTargetDiffersTests {
    private let rule = "redirect-target-differs"
    private let broken = "authorization-response/redirect-target-differs"

    private func moved(to target: String, asked: String = "example.shop.app:/oauth2redirect") throws
        -> Recording
    {
        try Recording(broken).asking("redirect_uri", asked).editing { exchange in
            guard let location = exchange.response?.location, let query = RecordedURL(location).query else {
                return
            }
            exchange.response?.redirect(to: target + "?" + query)
        }
    }

    @Test func showsBothAddresses() throws {
        let recording = try Recording(broken)
        let finding = try #require(recording.finding(rule))
        #expect(finding.isPrimary)
        #expect(finding.severity == .error)
        #expect(finding.places == ["0 request.query redirect_uri", "1 response.location "])
        #expect(finding.evidence[1].value == "example.shop.app://oauth2redirect")
        #expect(recording.outcomes == [.failure])
    }

    @Test(arguments: [
        ("https://app.shop.example:8443/cb", "https://app.shop.example/cb"),
        ("https://app.shop.example/default", "https://app.shop.example/cb"),
    ])
    func firesOnAnotherPortOrPath(target: String, asked: String) throws {
        #expect(try moved(to: target, asked: asked).finding(rule) != nil)
    }

    @Test(arguments: [
        ("https://App.shop.example/cb", "https://app.shop.example/cb"),
        ("https://app.shop.example/", "https://app.shop.example"),
        ("https://app.shop.example:443/cb", "https://app.shop.example/cb"),
        ("https://app.shop.example/c%62", "https://app.shop.example/cb"),
        ("https://id.harbour.example/continue", "https://app.shop.example/cb"),
        ("example.shop.app:/oauth2redirect", "Example.Shop.app:/oauth2redirect"),
    ])
    func leavesAlone(target: String, asked: String) throws {
        #expect(try moved(to: target, asked: asked).finding(rule) == nil)
    }

    /// A page posts the answer (OAuth 2.0 Form Post Response Mode), to an address that is not the one that was asked for.
    @Test(arguments: [
        ("https://app.shop.example/default", "state", true),
        ("https://id.harbour.example/continue", "state", false),
        ("https://other.shop.example/default", "was", false),
    ])
    func readsTheFormOfAPage(target: String, name: String, fires: Bool) throws {
        let asked = "https://app.shop.example/cb"
        let recording = try moved(to: target, asked: asked).asking("response_mode", "form_post").editing {
            guard let location = $0.response?.location else { return }
            let sent = RecordedURL(location).queryItems
            let page = """
                <form method="post" action="\(target)"><input type="hidden" name="code" value="\(sent.first("code") ?? "")">\
                <input type="hidden" name="\(name)" value="\(sent.first("state") ?? "")"></form>
                """
            $0.response = RecordedResponse(status: 200, body: Body(text: page, mediaType: "text/html"))
        }
        #expect(
            recording.finding(rule)?.places
                == (fires ? ["0 request.query redirect_uri", "1 response.body "] : nil)
        )
        #expect((recording.finding("login-abandoned") == nil) == fires)
        #expect(!fires || recording.outcomes == [.failure])
    }

    /// Provider and app on one machine.
    private func movedOnThisMachine(to target: String) throws -> Recording {
        let provider = "https://id.harbour.example"
        return try moved(to: target, asked: "http://127.0.0.1:3000/cb").editing { exchange in
            let text = exchange.request.url.text
            guard text.hasPrefix(provider) else { return }
            exchange.request.url = RecordedURL("http://127.0.0.1:9000" + text.dropFirst(provider.utf8.count))
        }
    }

    /// On this machine provider and app have one host, each with a port of its own; what stays at the provider's is its own affair.
    @Test(arguments: [
        ("http://127.0.0.1:3000/cb/other", true), ("http://127.0.0.1:9000/continue", false),
        ("http://127.0.0.1:4000/other", true),
    ])
    func portTellsAnAppFromItsProviderOnThisMachine(target: String, isElsewhere: Bool) throws {
        #expect((try movedOnThisMachine(to: target).finding(rule) != nil) == isElsewhere)
    }

    /// A provider's pages may have a port of their own there, which errors are told at.
    @Test(arguments: [("http://127.0.0.1:3000/cb/other", true), ("http://127.0.0.1:4000/error", false)])
    func pageOfErrorsAtAThirdPortIsTheProviders(target: String, isElsewhere: Bool) throws {
        let recording = try movedOnThisMachine(to: target).editing { exchange in
            guard let location = exchange.response?.location else { return }
            exchange.response?.redirect(to: location.replacing("code=", with: "error=invalid_client&was="))
        }
        #expect((recording.finding(rule) != nil) == isElsewhere)
    }

    @Test func leavesARedirectWithoutThisStateAlone() throws {
        let recording = try Recording(broken).editing { exchange in
            guard let location = exchange.response?.location else { return }
            let query = RecordedURL(location).query ?? ""
            exchange.response?.redirect(to: "https://broker.example/cb?" + query + "x")
        }
        #expect(recording.finding(rule) == nil)
    }

    /// A code that is brought to the app that asked is the answer, though its state is lost on the way; an error may be told at a page
    /// that the app has for it.
    @Test(arguments: [
        ("example.shop.app://oauth2redirect", "example.shop.app:/oauth2redirect", true),
        ("https://app.shop.example/default", "https://app.shop.example/cb", true),
        ("https://other.shop.example/default", "https://app.shop.example/cb", false),
        ("example.other.app://oauth2redirect", "example.shop.app:/oauth2redirect", false),
    ])
    func codeWithoutItsStateIsAnAnswerToTheApp(target: String, asked: String, fires: Bool) throws {
        let stateless = try moved(to: target, asked: asked).editing { exchange in
            guard let location = exchange.response?.location else { return }
            exchange.response?.redirect(to: location.replacing("state=", with: "was="))
        }
        #expect((stateless.finding(rule) != nil) == fires)
        let refused = stateless.editing { exchange in
            guard let location = exchange.response?.location else { return }
            exchange.response?.redirect(to: location.replacing("code=", with: "error=server_error&had="))
        }
        #expect(refused.finding(rule) == nil)
    }

    @Test func leavesThePagesOfALoginThatArrivedAlone() throws {
        var recording = try Recording("healthy/web-code-flow")
        let index = try #require(recording.exchanges.firstIndex { $0.request.url.path == "/sign-in" })
        let location = try #require(recording.exchanges[index].response?.location)
        var hop = recording.exchanges[index]
        hop.request = RecordedRequest(
            method: "GET",
            url: RecordedURL("https://sso.harbour.example/done?" + (RecordedURL(location).query ?? "")),
            headers: hop.request.headers
        )
        hop.startedAt = hop.startedAt + .milliseconds(45)
        recording.exchanges[index].response?.redirect(to: hop.request.url.text)
        recording.exchanges.insert(hop, at: index + 1)
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }

    /// Two addresses that Unicode calls equal are two.
    @Test func leavesAnAddressAloneThatAnotherLoginAsksForInTheseBytes() throws {
        let (composed, decomposed) = (
            "https://app.shop.example/caf\u{e9}", "https://app.shop.example/cafe\u{301}"
        )
        var recording = try moved(to: decomposed, asked: composed)
        #expect(recording.finding(rule) != nil)
        var other = try moved(to: decomposed, asked: decomposed).exchanges[0]
        other.startedAt = other.startedAt + .seconds(3600)
        recording.exchanges.append(other)
        #expect(recording.finding(rule) == nil)
    }

    /// RFC 6749, section 3.1.2: the query of a redirect URI has to be kept.
    @Test(
        arguments: [
            ("?tenant=7", nil), ("?tenant=7&lang=", nil), ("?tenant=7&tab=2", "without tab"),
            ("?tenant=8", "another tenant"), ("?t%65nant=%37", nil), ("?state=own", nil),
        ] as [(String, String?)]
    )
    func queryThatIsNotKeptIsTold(asked: String, note: String?) throws {
        let recording = try Recording(broken + ".near-miss").asking(
            "redirect_uri",
            "https://www.shop.example/callback" + asked
        )
        let finding = recording.finding(rule)
        #expect(finding?.notes == note.map { [$0] })
        #expect(finding?.severity == note.map { _ in .warning })
    }

    /// The app's own server may sign in for it, and sends the browser where it wants.
    @Test func queryThatTheAppItselfDropsIsLeftAlone() throws {
        let asked = "https://www.shop.example/callback?tenant=8"
        let recording = try Recording(broken + ".near-miss").asking("redirect_uri", asked)
        #expect(recording.finding(rule) != nil)
        let provider = "https://id.harbour.example"
        let own = recording.editing { exchange in
            let move = { (url: String) in
                url.hasPrefix(provider) ? "https://www.shop.example" + url.dropFirst(provider.count) : url
            }
            exchange.request.url = RecordedURL(move(exchange.request.url.text))
            if let location = exchange.response?.location { exchange.response?.redirect(to: move(location)) }
        }
        #expect(own.finding(rule) == nil)
    }

    /// Writers of URLs disagree on what a plus is.
    @Test(arguments: [
        ("?next=a%2Bb", "?next=a+b", true), ("?next=a+b", "?next=a%2Bb", true),
        ("?next=a+b", "?next=a%20b", true),
        ("?next=a%20b", "?next=a%2Bb", false),
    ])
    func plusInAQueryIsNoChange(asked: String, came: String, isKept: Bool) throws {
        let address = "https://www.shop.example/callback"
        let recording = try Recording(broken + ".near-miss").asking("redirect_uri", address + asked)
            .editing { exchange in
                guard let location = exchange.response?.location, RecordedURL(location).path == "/callback",
                    let answer = RecordedURL(location).query
                else { return }
                exchange.response?.redirect(to: address + came + "&" + answer)
            }
        #expect((recording.finding(rule) == nil) == isKept)
    }

    @Test func queryThatIsNotKeptIsAnErrorWhereTheAppStopsForIt() throws {
        var recording = try Recording(broken + ".near-miss").asking(
            "redirect_uri",
            "https://www.shop.example/callback?tenant=8"
        )
        let callback = try #require(
            recording.exchanges.firstIndex { $0.request.url.queryItems.contains("code") }
        )
        recording.exchanges[callback].response = RecordedResponse(status: 400, headers: HeaderFields())
        #expect(recording.finding(rule)?.severity == .error)
    }
}
