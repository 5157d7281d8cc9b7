import Captures
import JOSE
import JSON
import OAuth

/// A flow while it is put together.
final class FlowBuilder {
    var exchanges: Set<Int> = []
    /// Messages by the exchange they are told at; a response and a request may share one.
    var messages: [OAuthMessage] = []
    var requests: [AuthorizationRequest] = []
    var responses: [AuthorizationResponse] = []
    var grant: String
    var clientID: String?
    /// Hosts of the provider: where its endpoints are, and where redirects among its pages lead.
    var providerHosts: Set<String> = []
    /// Hosts of redirect URIs.
    var clientHosts: Set<String> = []
    var interactions: Set<Int> = []
    /// The last page that the user met at each host, of the browser that the login went on in.
    var lastPage: [String: Int] = [:]
    /// The exchange of the last authorization request, be it one that was made again.
    private var lastRequest: Int?
    /// Whether a token request was answered with success.
    private(set) var hasTokens = false
    /// Whether an access token that it was given is there to be read: a call with another one is none of its own.
    private(set) var knowsItsToken = false
    /// The users of its ID tokens.
    private var subjects: Set<String> = []
    /// Whether the user is at the pages where a device's code is confirmed, and the device has not heard of it yet.
    var isConfirming = false
    /// How the sign-in ended that a provider told a client of by itself; nil where the client has to ask.
    var notified: Outcome?
    /// What bears the name of its request, and was sent to a client.
    var notifications: [BackchannelNotification] = []
    let startedAt: Timestamp
    /// Number of the flow in order of creation.
    let number: Int

    init(grant: String, startedAt: Timestamp, number: Int) {
        self.grant = grant
        self.startedAt = startedAt
        self.number = number
    }

    /// Whether an answer of the provider is still awaited.
    var isOpen: Bool { requests.count > responses.count || isConfirming }

    /// Whether a login's token request is still to come.
    var awaitsToken: Bool {
        !requests.isEmpty && !messages.contains { if case .token = $0 { true } else { false } }
    }

    /// Whether the browser is sent back to a host, and nothing of the provider is there.
    func isOfAppAlone(_ host: String) -> Bool { clientHosts.contains(host) && !providerHosts.contains(host) }

    /// Whether it may be that of a client; one whose name is not known may be any.
    func mayBe(ofClient client: String?) -> Bool {
        guard let client, !Placeholder.isOne(client) else { return true }
        return clientID == client || clientID.map(Placeholder.isOne) ?? false
    }

    /// Whether nothing shows that an exchange is of another browser than its last request, what sent that to the provider, and its pages
    /// at the same host.
    func mayBeOfBrowser(in exchange: Int, _ index: CaptureIndex) -> Bool {
        guard let request = lastRequest else { return true }
        // An app may have asked its server, and opened the browser with what it was told.
        let source = requests.last.flatMap { index.redirectedFrom[$0.exchange] }
            .flatMap { index.browsers.areTwo($0, request) ? nil : $0 }
        let page = index.capture[exchange].request.url.host.flatMap { lastPage[$0] }
        return [request, source, page].compactMap(\.self).allSatisfy {
            $0 == exchange || !index.browsers.areTwo($0, exchange)
        }
    }

    /// Notes a request that it has or goes on with, in whatever browser.
    func goOn(with request: Int, _ index: CaptureIndex) {
        if !mayBeOfBrowser(in: request, index) { lastPage = [:] }
        lastRequest = request
    }

    /// Whether an ID token is of another user than all of its own.
    func isOfAnotherUser(_ token: JSONWebToken) -> Bool {
        guard !subjects.isEmpty, let subject = token.claim("sub")?.string else { return false }
        return !subjects.contains(subject)
    }

    /// Whether one of its ID tokens is of this user.
    func isOfSubject(_ subject: String?) -> Bool { subject.map(subjects.contains) ?? false }

    /// Notes whom an ID token of its signs in.
    func note(_ token: JSONWebToken) {
        if let subject = token.subject { subjects.insert(subject) }
    }

    func add(_ message: OAuthMessage) {
        messages.append(message)
        if case .token(let request) = message { note(request) }
        exchanges.insert(message.exchange)
    }

    private func note(_ request: TokenRequest) {
        guard request.answer.isSuccess else { return }
        hasTokens = true
        if let token = request.accessToken, !token.isEmpty, !Placeholder.isOne(token) { knowsItsToken = true }
    }
}
