import Captures
import DiagnosisTestSupport
import Flows
import OAuth
import Testing

@testable import Diagnosis

struct LoginAttemptTests {
    private func attempts(_ recording: Recording) -> [LoginAttempt] {
        recording.flows.flatMap(\.loginAttempts)
    }

    @Test func mergesWhatWasPushed() throws {
        let attempts = try attempts(Recording("authorization-request/par-request-uri-expired"))
        #expect(attempts.count == 1)
        #expect(attempts[0]["scope"] == "openid profile")
        #expect(attempts[0].ownParameters.items.map(\.name) == ["client_id", "request_uri"])
        #expect(attempts[0].hiddenParameters == nil)
    }

    @Test func knowsWhatItDoesNotKnow() throws {
        let recording = try Recording("authorization-request/par-request-uri-expired")
        let front = attempts(recording.frontChannel)
        #expect(front.first?.hiddenParameters != nil)
    }

    @Test func aContinuationOfTheProviderIsNoAttemptOfItsOwn() throws {
        let login = try Recording("healthy/web-code-flow")
        let request = try #require(
            login.exchanges.firstIndex { $0.request.url.path == "/authorize" }
        )
        var first = login.exchanges[request]
        var second = first
        let onward = first.request.url.text.replacing("/authorize?", with: "/login/authorize?step=2&")
        first.response?.status = 302
        first.response?.redirect(to: onward)
        second.request.url = RecordedURL(onward)
        second.startedAt = first.startedAt + .milliseconds(10)
        var exchanges = login.exchanges
        exchanges.replaceSubrange(request...request, with: [first, second])
        let attempts = attempts(Recording(exchanges))
        #expect(attempts.map(\.exchange) == [request])
        #expect(attempts.first?.response?.code != nil)
        #expect(attempts.first?.tokenRequests.count == 1)
    }

    @Test func aQuestionForTheUsersTicketIsNoRefusal() throws {
        let recording = try Recording("authorization-request/client-id-unknown").editing { exchange in
            guard exchange.response?.status == 400 else { return }
            exchange.response?.status = 401
            exchange.response?.headers.append("WWW-Authenticate", "Negotiate")
        }
        #expect(attempts(recording).map { $0.refusal == nil } == [true])
    }

    @Test func theAppsOwnAnswerIsNoRefusal() throws {
        let recording = try Recording("authorization-request/client-id-unknown").redirecting(
            to: "https://www.shop.example/callback"
        )
        var exchanges = recording.exchanges
        var callback = exchanges[exchanges.count - 1]
        callback.request.url = RecordedURL("https://www.shop.example/callback")
        callback.startedAt = callback.startedAt + .seconds(1)
        callback.response?.redirect(to: "")
        callback.response?.headers.remove("Location")
        callback.response?.status = 500
        exchanges.append(callback)
        #expect(attempts(Recording(exchanges)).map { $0.refusal == nil } == [true])
    }

    @Test(arguments: [(429, false), (503, false), (400, true), (500, true)])
    func loadIsNoFaultOfTheRequest(status: Int, isRefused: Bool) throws {
        let recording = try Recording("authorization-request/client-id-unknown").saying("x", status: status)
        #expect(attempts(recording).map(\.isRefused) == [isRefused])
    }

    @Test func theUsersNoIsNoFaultOfTheRequest() throws {
        let recording = try Recording("authorization-request/client-id-unknown").redirecting(
            to: "https://www.shop.example/callback?error=access_denied"
        )
        let attempt = try #require(attempts(recording).first)
        #expect(attempt.refusal?.channel == .delivered)
        #expect(!attempt.isRefused)
    }
}
