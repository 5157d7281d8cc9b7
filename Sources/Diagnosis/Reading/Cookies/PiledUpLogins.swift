import Captures
import Flows
import OAuth

/// Logins that were begun in one browser and never finished, until mod_auth_openidc begins no other one: it has a cookie for each, and
/// answers 503 where there are seven (OIDCStateMaxNumberOfCookies).
///
/// Told of the last one that was begun and left.
enum PiledUpLogins {
    /// What is said of a login that was left at a page, with the refusal behind it; nil where no such one is in the capture.
    static func following(_ violation: Violation, in flow: Flow) -> Violation? {
        guard let last = flow.authorizationRequests.last,
            let host = last.redirectURI.flatMap({ RecordedURL($0).host }),
            let refused = refusal(behind: last, at: host, in: flow.surroundings)
        else { return nil }
        let count = states(of: flow.capture[refused]).count
        var told = violation
        told.evidence += [
            flow.statusEvidence(of: refused, note: "the app, asked for a page again"),
            Evidence(
                place: Place(exchange: refused, part: .requestHeader, name: "Cookie"),
                value: "\(count) begin with \(prefix)",
                note: "one for each login that was begun and not finished"
            ),
        ]
        told.say(words)
        return told
    }

    /// The request of the app's host that was refused, before anybody began another login.
    private static func refusal(behind last: AuthorizationRequest, at host: String, in index: CaptureIndex)
        -> Int?
    {
        let start = index.position[last.exchange] + 1
        let refused = index.order[start...].prefix(mostBetween).first { other in
            let exchange = index.capture[other]
            return exchange.response?.status == 503 && exchange.request.url.host == host
                && states(of: exchange).count >= most
        }
        guard let refused else { return nil }
        let between = start..<index.position[refused]
        return index.authorizationRequests.contains { between.contains(index.position[$0.exchange]) }
            ? nil : refused
    }

    private static func states(of exchange: Exchange) -> [String] {
        exchange.request.cookies.map(\.name).filter { $0.hasPrefix(prefix) }
    }

    private static let prefix = "mod_auth_openidc_state_"
    private static let most = 7
    private static let mostBetween = 200

    private static let words = Violation.Words(
        title: "Too many logins were begun and not finished",
        explanation: """
            mod_auth_openidc sets a cookie for each login that it begins, good for some minutes, and deletes it when the browser comes back. A browser that has seven of them it \
            sends to no provider any more, and answers 503.
            """,
        fix: """
            See what begins the logins: scripts, pictures and frames of a page that ask for protected addresses without a session each begin one (OIDCUnAuthAction 401 answers those \
            otherwise), as does a page that is loaded over and over. OIDCStateMaxNumberOfCookies raises the number; with true behind it the oldest one is deleted.
            """
    )
}
