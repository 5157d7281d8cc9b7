import Captures
import Testing

@testable import Provider

/// For whom, how long and how often the name of a pushed request is good (RFC 9126, section 4).
struct PushedRequestsTests {
    private static let uri = "urn:ietf:params:oauth:request_uri:1"
    private static let begin = Timestamp(seconds: 1_790_000_000)

    private let requests: PushedRequests = {
        var requests = PushedRequests()
        let parameters = RequestParameters(QueryItems("scope=openid"))
        requests.add(parameters, of: "shop", as: uri, until: begin + .seconds(60))
        return requests
    }()

    /// The scope that was pushed; nil where the name is not good.
    private func scope(
        _ requests: PushedRequests,
        _ uri: String = uri,
        for clientID: String? = "shop",
        after seconds: Int64 = 0,
        isRepeatable: Bool = false
    ) -> String? {
        let now = Self.begin + .seconds(seconds)
        return requests.parameters(uri, broughtBy: clientID, at: now, isRepeatable: isRepeatable)?["scope"]
    }

    @Test func nameIsGoodForItsClientAndWhereNobodyIsNamed() {
        #expect(scope(requests) == "openid" && scope(requests, for: nil) == "openid")
        #expect(scope(requests, for: "other") == nil)
        #expect(scope(requests, "urn:ietf:params:oauth:request_uri:2") == nil)
    }

    @Test func nameIsGoodForAWhile() {
        #expect(scope(requests, after: 59) == "openid")
        #expect(scope(requests, after: 60) == nil)
        #expect(scope(requests, after: 60, isRepeatable: true) == nil)
        #expect(requests.contains(Self.uri))
    }

    @Test func nameIsGoodOnce() {
        var requests = requests
        requests.use(Self.uri)
        #expect(scope(requests) == nil && requests.contains(Self.uri))
        #expect(scope(requests, isRepeatable: true) == "openid")
        #expect(scope(requests, for: "other", isRepeatable: true) == nil)
    }

    @Test func nameThatWasNeverGivenStaysUnknownWhenItIsUsed() {
        var requests = requests
        requests.use("https://shop.example/request.jwt")
        #expect(!requests.contains("https://shop.example/request.jwt"))
    }
}
