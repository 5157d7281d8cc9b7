import Captures
import Flows
import OAuth

/// A redirect URI that a provider refused, with what the capture shows of why it does not take it.
struct RefusedAddress {
    /// Nil where it stands in a request object that was not recorded.
    let sent: Parameter?
    let client: String?
    let endpoint: RecordedURL?
    let exchange: Int

    init(of request: AuthorizationRequest) {
        sent = request.parameters.parameter("redirect_uri")
        client = request.clientID
        endpoint = request.endpoint
        exchange = request.exchange
    }

    /// Of a request that the app's server pushed.
    init(of push: RefusedRedirectURI.Push) {
        sent = push.sent
        client = push.attempt.pushed?.authentication.clientID?.value
        endpoint = push.attempt.pushed?.endpoint
        exchange = push.attempt.exchange
    }

    /// The address as it was sent, held against what was copied along with it.
    var evidence: Evidence? {
        sent.map { sent in
            let note = CopiedAlong.removed(from: sent.value).map {
                Difference.note(expected: $0, seen: sent.value)
            }
            return Evidence(sent, note: note)
        }
    }

    /// What else the capture knows of this client's addresses: the other one that has most in common with the one sent, and a
    /// registration of the very string.
    func surroundings(in flow: Flow) -> [Evidence] {
        let registered = registered(in: flow).map { [$0] } ?? []
        guard let sent, let (known, place) = KnownRedirectURIs.of(flow).nearest(to: sent.value, of: client)
        else { return registered }
        let note = Difference.note(expected: known, seen: sent.value)
        let nearest = Evidence(
            place: place,
            value: Masking.shown(known, of: "redirect_uri"),
            note: "known of this client; against it the one sent: \(note)"
        )
        return [nearest] + registered
    }

    /// What is to be said in this very case of a refusal in these words; what is nil is said as of any.
    func words(refusedIn words: String, in flow: Flow) -> Violation.Words {
        if registered(in: flow) != nil {
            return Violation.Words(
                title: "The provider refuses a redirect URI that it has registered",
                explanation: Self.registered,
                fix: Self.registeredFix
            )
        }
        if RedirectURIRefusal.isOfKind(words) {
            return Violation.Words(
                title: "The provider takes no redirect URI of this kind",
                explanation: RedirectURIKind.explanation,
                fix: RedirectURIKind.fix(for: sent?.value, isAtGoogle: RedirectURIRefusal.isGoogles(words))
            )
        }
        return Violation.Words(
            fix: RedirectURIRemedy.fix(for: sent?.value, of: client, refusedIn: words, in: flow)
        )
    }

    /// The client's own registration at the provider that was asked, where it had the very string that was sent.
    private func registered(in flow: Flow) -> Evidence? {
        guard let sent = sent?.value,
            let registration = RegisteredClient.of(client, before: exchange, in: flow),
            registration.call.endpoint.host == endpoint?.host,
            let confirmed = registration.confirmed(sent, in: "redirect_uris")
        else { return nil }
        return Evidence(
            place: confirmed.place,
            value: Masking.shown(sent, of: "redirect_uri"),
            note: "registered by the provider, the same string"
        )
    }

    private static let registered = """
        The login sends the very redirect_uri that the provider itself has registered for this client, and the provider refuses it \
        all the same. Nothing is wrong with the string that the app sends.
        """
    private static let registeredFix = """
        Look at the provider: for a list of hosts or schemes that its login allows and its registration does not ask for, and for a \
        registration that was not kept (another instance, a cache). Until then only an address on that list will do.
        """
}
