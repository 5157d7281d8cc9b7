import Captures
import Diagnosis
import DiagnosisTestSupport
import Flows
import JSON
import OAuth
import TestSupport
import Testing

/// A page that hands the code on to the app's server by script.
extension CallbackRejectedByAppTests {
    /// One that is down, or asks for a password, has not looked for it.
    @Test(arguments: [(303, true), (400, true), (401, false), (403, false), (429, false), (500, false)])
    func serverThatIsSentNoFragmentIsTold(status: Int, isTold: Bool) throws {
        let recording = try Recording(broken).editing { exchange in
            if exchange.request.url.path == "/callback" {
                exchange.request.url = RecordedURL(exchange.request.url.withoutQuery)
                exchange.response = RecordedResponse(status: status)
                if status == 303 { exchange.response?.redirect(to: "/error?error=state") }
            } else if let location = exchange.response?.location, location.contains("/callback?") {
                exchange.response?.redirect(to: location.replacing("/callback?", with: "/callback#"))
            }
        }
        let finding = try #require(recording.finding(rule))
        #expect((finding.notes.last == "in the fragment") == isTold)
        #expect(finding.explanation.contains("behind a #") == isTold)
        #expect(try !#require(Recording(broken).finding(rule)).explanation.contains("behind a #"))
        // Whoever has the code was sent it all the same.
        var request = try #require(
            Recording("healthy/web-code-flow").exchanges.first { $0.request.url.path == "/token" }
        )
        request.startedAt = try #require(recording.exchanges.last).startedAt + .milliseconds(5)
        let code = recording.flows.first?.authorizationResponses.first?.code
        let redeemed = Recording(recording.exchanges + [request]).sending("code", code)
        #expect(redeemed.finding(rule)?.explanation.contains("behind a #") != true)
    }

    /// The callback only loads a page, which hands the code to the app's server by script.
    func handedOn(_ statuses: Int..., body: (String) -> String) throws -> Recording {
        var recording = try Recording(broken)
        let callback = recording.exchanges.count - 1
        let code = try #require(recording.exchanges[callback].request.url.queryItems.first("code"))
        recording.exchanges[callback].response?.status = 200
        recording.exchanges[callback].response?.body = Body(
            text: "<html><script src=app.js></script></html>",
            mediaType: "text/html"
        )
        for (index, status) in statuses.enumerated() {
            var call = recording.exchanges[callback]
            call.startedAt = call.startedAt + .milliseconds(300 * (index + 1))
            call.request.method = "POST"
            call.request.url = RecordedURL("https://api.shop.example/session")
            call.request.body = .json(body(code))
            call.response?.status = status
            call.response?.body = .json(#"{"message":"no"}"#)
            recording.exchanges.append(call)
        }
        return recording
    }

    @Test func serverRefusesTheCodeThatItsPageHandsOn() throws {
        let recording = try handedOn(401) { #"{"code":"\#($0)"}"# }
        let finding = try #require(recording.finding(rule))
        #expect(finding.places.prefix(2) == ["4 response.status ", "4 response.body "])
        #expect(recording.outcomes == [.failure])
    }

    @Test func serverThatTakesTheCodeInTheEndIsFine() throws {
        let recording = try handedOn(503, 200) { #"{"code":"\#($0)"}"# }
        #expect(recording.finding(rule) == nil && recording.outcomes == [.success])
    }

    @Test func refusalOfSomethingElseIsNone() throws {
        let recording = try handedOn(401) { _ in #"{"code":"other-than-that"}"# }
        #expect(recording.finding(rule) == nil && recording.outcomes == [.success])
    }

    /// A page of the app's hands its code to the app's server, which exchanges it while it is at work on that; `first` is what the
    /// same address had answered to the page just before.
    func handedOn(
        _ status: Int,
        _ body: String,
        lasting: Duration = .milliseconds(600),
        first: Int? = nil
    ) throws -> Recording {
        var exchanges = try Recording("healthy/web-code-flow").without { $0.request.url.path == "/" }
            .exchanges
        let place = try #require(exchanges.firstIndex { $0.request.url.path == "/callback" })
        let code = try #require(exchanges[place].request.url.queryItems.first("code"))
        exchanges[place].duration = .milliseconds(40)
        exchanges[place].response = RecordedResponse(
            status: 200,
            body: .html("<div id=root></div><script src=/app.js></script>")
        )
        for later in exchanges.indices[(place + 1)...] {
            exchanges[later].startedAt = exchanges[later].startedAt + .milliseconds(150)
        }
        var call = exchanges[place]
        call.startedAt = call.startedAt + .milliseconds(100)
        call.duration = lasting
        call.request.method = "POST"
        call.request.url = RecordedURL("https://www.shop.example/api/session")
        call.request.body = .json("{\"code\":\"\(code)\"}")
        call.response = RecordedResponse(status: status, body: .json(body))
        var earlier = call
        if let first {
            earlier.response = RecordedResponse(status: first, body: .json("{}"))
            call.startedAt = call.startedAt + .milliseconds(20)
        }
        exchanges.insert(contentsOf: first == nil ? [call] : [earlier, call], at: place + 1)
        return Recording(exchanges)
    }

    @Test(arguments: [
        (401, #"{"error":"LOGIN_FAILED"}"#, true), (500, "", true),
        (200, #"{"success":false,"error":"no such user"}"#, true), (200, #"{"user":"alice"}"#, false),
    ])
    func serverThatExchangedTheCodeAndRefusedItsPageIsTold(status: Int, body: String, isRefused: Bool) throws
    {
        let recording = try handedOn(status, body)
        let finding = recording.finding(rule)
        #expect((finding?.isPrimary == true) == isRefused)
        #expect(recording.outcomes == [isRefused ? .failure : .success])
        guard let finding else { return }
        #expect(finding.places.first == "5 response.status ")
        #expect(finding.notes.contains("the code was exchanged"))
    }

    /// React renders a page twice while it is developed: the same address had taken the code already.
    @Test(arguments: [(200, false), (401, true)])
    func secondCallOfThePageIsNoRefusalWhereTheFirstWasTaken(first: Int, isRefused: Bool) throws {
        let recording = try handedOn(400, #"{"error":"code used"}"#, first: first)
        #expect((recording.finding(rule) != nil) == isRefused)
        #expect(recording.outcomes == [isRefused ? .failure : .success])
    }

    /// Logs and flags are sent with the page's address, and the code in it.
    @Test func otherCallsOfThePageAreNoRefusal() throws {
        var exchanges = try handedOn(200, #"{"user":"alice"}"#).exchanges
        let place = try #require(exchanges.firstIndex { $0.request.url.path == "/api/session" })
        var log = exchanges[place]
        log.startedAt = log.startedAt + .milliseconds(20)
        log.duration = .milliseconds(500)
        log.request.url = RecordedURL("https://www.shop.example/api/logs")
        log.response = RecordedResponse(status: 403, body: .json("{}"))
        exchanges.insert(log, at: place + 1)
        let recording = Recording(exchanges)
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }

    /// Somebody else exchanged the code.
    @Test func callThatWasOverBeforeTheExchangeIsNoRefusal() throws {
        let recording = try handedOn(401, #"{"error":"LOGIN_FAILED"}"#, lasting: .milliseconds(20))
        #expect(recording.finding(rule) == nil)
        #expect(recording.outcomes == [.success])
    }
}
