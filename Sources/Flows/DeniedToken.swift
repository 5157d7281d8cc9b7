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
        var issued: [String: (end: Timestamp, lifetime: Duration, site: String)] = [:]
        var denied: [String: EndpointCall] = [:]
        func issue(_ parameters: Parameters, _ exchange: Int) {
            guard let token = parameters["access_token"], !Placeholder.isOne(token) else { return }
            let lifetime = parameters["expires_in"].flatMap { Int64($0) } ?? shortest
            issued[token] = (
                capture[exchange].endedAt, .seconds(min(max(lifetime, 0), 1 << 32)),
                Site.of(capture[exchange].request.url.host ?? "")
            )
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
                if call.saysInactive {
                    // Another provider knows nothing of it.
                    guard capture[call.exchange].startedAt - grant.end < grant.lifetime,
                        Site.of(call.endpoint.host ?? "") == grant.site
                    else { continue }
                    denied[token] = denied[token] ?? call
                } else {
                    denied[token] = nil
                }
            default: continue
            }
        }
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

    /// Seconds: no provider's access tokens are shorter.
    private static let shortest: Int64 = 30
}
