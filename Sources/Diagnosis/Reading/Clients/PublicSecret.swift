import Captures
import Flows
import OAuth

/// A secret that an app on a device or a page sent, where everybody can read it (RFC 8252, section 8.5).
struct PublicSecret {
    let secret: Parameter
    let sender: PublicAgent
    /// Whether the provider refused it for that.
    let isRefused: Bool

    /// Nil of a call without one, of a server's, and of a client that was made for this app alone, with a secret of its own.
    init?(of call: ClientCall, in flow: Flow) {
        let request = flow.capture[call.exchange].request
        guard let secret = call.authentication.secret, !secret.value.isEmpty,
            let sender = PublicAgent(of: request, at: call.exchange)
        else { return nil }
        let senders = flow.derived.value { Senders(in: flow) }
        guard
            sender.kind == .page || senders.areNative
                || call.parameters["redirect_uri"].map(Self.isOfApp) ?? false,
            !senders.backEnds.contains(request.userAgent ?? ""),
            flow.registrations(of: call.authentication.clientID?.value).isEmpty
        else { return nil }
        let isRefused = Self.isRefusedAsPublic(call)
        // Whom the provider made a client for, and gave a secret, its answer would say.
        guard isRefused || !flow.surroundings.registrations.contains(where: Self.isUnread) else { return nil }
        self.secret = secret
        self.sender = sender
        self.isRefused = isRefused
    }

    /// Who makes the calls of a flow.
    private struct Senders: Sendable {
        /// Whether a login of it leads back to an app.
        let areNative: Bool
        let backEnds: Set<String>

        init(in flow: Flow) {
            areNative = flow.authorizationRequests.contains {
                $0.redirectURI.map(PublicSecret.isOfApp) ?? false
            }
            backEnds = PublicSecret.backEnds(flow)
        }
    }

    private static func isUnread(_ registration: EndpointCall) -> Bool {
        registration.answer.isSuccess && registration.answer.json == nil
    }

    /// What servers call themselves that redeemed a code while another, the app, waited for an answer to handing it over:
    /// theirs may be a library that apps use too.
    private static func backEnds(_ flow: Flow) -> Set<String> {
        var agents: Set<String> = []
        for login in flow.logins {
            let relays = AppHandover.relays(of: login, in: flow).map { flow.capture[$0] }
            for request in login.tokenRequests {
                let redeemed = flow.capture[request.exchange]
                guard let agent = redeemed.request.userAgent,
                    relays.contains(where: { relay in
                        relay.request.userAgent != agent
                            && relay.startedAt <= redeemed.startedAt && redeemed.startedAt <= relay.endedAt
                    })
                else { continue }
                agents.insert(agent)
            }
        }
        return agents
    }

    /// Whether a redirect URI leads back to an app: by a scheme of its own, or to this very machine.
    private static func isOfApp(_ redirectURI: String) -> Bool {
        let url = RecordedURL(redirectURI)
        guard url.isWeb else { return url.scheme != nil }
        return url.isOnLoopback
    }

    /// Whether the provider says that it has the client down as one without a secret.
    static func isRefusedAsPublic(_ call: ClientCall) -> Bool {
        call.answer.isRefusal && texts.contains(where: call.answer.errorText.containsBytes)
    }

    private static let texts = [
        "aadsts700025", "aadsts90023:", "client is public", "public client can", "public clients can",
        "public clients must not", "public client must not", "is a public client",
    ]
}
