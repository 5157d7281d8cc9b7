package import Captures
import JOSE
package import OAuth

/// An access token of which its own provider says that it is not active (RFC 7662, section 2.2), while it should be.
package enum DeniedToken {
    /// The introspections that were answered so, in order of time.
    ///
    /// Not those of a token that was given back, or ended with its session, or is older than it was to last, or than a newer one
    /// that a refresh brought; nor where it was called active later, an API took it all the same, or another provider was asked.
    package static func introspections(among messages: [OAuthMessage], in capture: Capture) -> [EndpointCall]
    {
        var denied = deniedTokens(among: messages, in: capture)
        // Whoever took the token all the same did not go by the answer.
        for message in messages {
            switch message {
            case .userInfo(let call), .resource(let call):
                guard call.answer.isSuccess, let token = call.token?.value, let question = denied[token],
                    capture[call.exchange].endedAt >= capture[question.exchange].endedAt
                else { continue }
                denied[token] = nil
            default: continue
            }
        }
        return denied.values.sorted { $0.exchange < $1.exchange }
    }

    /// The first question of each token that its own provider called inactive last.
    private static func deniedTokens(among messages: [OAuthMessage], in capture: Capture) -> [String:
        EndpointCall]
    {
        var issued: [String: Grant] = [:]
        var denied: [String: EndpointCall] = [:]
        func issue(_ parameters: Parameters, _ exchange: Int) {
            guard let token = parameters["access_token"], !Placeholder.isOne(token) else { return }
            issued[token] = Grant(parameters, in: capture[exchange])
        }
        for message in messages {
            switch message {
            case .token(let request) where request.answer.isSuccess:
                if request.isRefresh { issued.removeAll() }
                issue(request.answer.parameters, request.exchange)
            case .authorizationResponse(let response): issue(response.parameters, response.exchange)
            // A refresh token takes its access tokens along.
            case .revocation, .endSession, .backChannelLogout, .frontChannelLogout: issued.removeAll()
            case .introspection(let call) where call.answer.isSuccess:
                guard let token = call.parameters["token"], let grant = issued[token] else { continue }
                if !call.saysInactive {
                    denied[token] = nil
                } else if grant.isValid(at: capture[call.exchange].startedAt),
                    grant.isKnown(to: call.endpoint)
                {
                    denied[token] = denied[token] ?? call
                }
            default: continue
            }
        }
        return denied
    }

    /// How an access token was issued.
    private struct Grant {
        let end: Timestamp
        let lifetime: Duration
        let site: String

        init(_ parameters: Parameters, in exchange: Exchange) {
            let seconds = parameters["expires_in"].flatMap { Int64($0) } ?? shortest
            end = exchange.endedAt
            lifetime = .seconds(min(max(seconds, 0), 1 << 32))
            site = Site.of(exchange.request.url.host ?? "")
        }

        func isValid(at time: Timestamp) -> Bool { time - end < lifetime }

        /// Another provider knows nothing of it.
        func isKnown(to endpoint: RecordedURL) -> Bool { Site.of(endpoint.host ?? "") == site }
    }

    /// Seconds: no provider's access tokens are shorter.
    private static let shortest: Int64 = 30
}
