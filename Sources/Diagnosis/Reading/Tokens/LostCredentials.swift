import Captures
import Flows
import OAuth

/// An `Authorization` header that a request lost at a redirect: clients take it off where that leads to another origin (RFC 9110,
/// section 15.4), so that whoever answers there asks for it.
struct LostCredentials {
    /// What was sent with the header, and answered with the redirect.
    var redirect: Int
    /// What came without it behind the redirect, or behind several.
    var end: Int

    /// Nil where the request has the header, or none of those before it had one.
    init?(at end: Int, in flow: Flow) {
        let last = flow.capture[end].request
        guard !last.headers.contains("authorization"), !flow.surroundings.mayLackCredentials(at: end) else {
            return nil
        }
        for source in flow.surroundings.redirects(leadingTo: end, atMost: Self.mostRedirects) {
            let request = flow.capture[source].request
            if request.headers.contains("authorization") {
                guard request.url.origin != last.url.origin else { return nil }
                self.redirect = source
                self.end = end
                return
            }
        }
        return nil
    }

    private static let mostRedirects = 5

    /// The last call with an access token of the flow that ended so, and was not made again with success.
    static func ofCall(in flow: Flow) -> (call: BearerCall, lost: LostCredentials)? {
        let calls = BearerCall.all(in: flow)
        let sentOn = calls.filter { call in
            call.grant != nil && (300..<400).contains(call.call.answer.status ?? 0)
        }
        guard !sentOn.isEmpty else { return nil }
        let position = flow.surroundings.position
        return sentOn.reversed().lazy.compactMap { call -> (BearerCall, LostCredentials)? in
            let start = call.call.exchange
            let ends = flow.exchanges(after: start, within: .seconds(30)).filter {
                flow.capture[$0].response?.status == 401
            }
            guard
                let lost = ends.lazy.compactMap({ LostCredentials(at: $0, in: flow) }).first(where: {
                    $0.redirect == start
                }),
                !calls.contains(where: { other in
                    position[other.call.exchange] > position[lost.end]
                        && (other.call.answer.status ?? 400) < 300
                        && [flow.capture[start], flow.capture[lost.end]].contains {
                            $0.request.url.withoutQuery
                                == flow.capture[other.call.exchange].request.url.withoutQuery
                        }
                })
            else { return nil }
            return (call, lost)
        }.first
    }

    /// Where the header was, where it was sent on to, and where it is not any more.
    func evidence(in flow: Flow) -> [Evidence] {
        let sent = flow.capture[redirect]
        let header = sent.request.headers.first("authorization") ?? ""
        let scheme = String(header.prefix { $0 != " " })
        return [
            Evidence(
                place: Place(exchange: redirect, part: .requestHeader, name: "Authorization"),
                value: "\(Masking.shown(Excerpt.start(of: scheme, 20), of: "scheme")) …",
                note: "sent"
            ),
            Evidence(
                place: Place(exchange: redirect, part: .responseLocation, name: ""),
                value: Masking.shown(
                    sent.request.url.resolving(sent.response?.location ?? "").withoutQuery,
                    of: "location"
                ),
                note: "another origin than \(sent.request.url.origin ?? "the first")"
            ),
            Evidence(
                place: Place(exchange: end, part: .requestHeader, name: "Authorization"),
                value: "missing",
                note: flow.capture[end].response.map { "answered \($0.status)" }
            ),
        ]
    }

    static let explanation = """
        The request carried its credentials and was answered with a redirect to another origin (host, port or scheme). HTTP clients take the \
        Authorization header off before they follow such a one, so that it does not reach strangers; the server there saw a request without credentials.
        """
    static let fix = """
        Put the address that the redirect leads to into the client's configuration, so that the first request goes there. Do not have the client send the \
        header along: redirects may lead anywhere.
        """
}
