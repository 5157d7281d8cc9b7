import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The code went to another site in a `Referer` header.
///
/// A callback that answers with a page lets everything that page loads know its URL, code and state included
/// (RFC 9700, section 4.2.4).
struct CodeInReferer: Rule {
    static let info = RuleInfo(
        id: "code-in-referer",
        title: "The code leaked to another site in the Referer header",
        severity: .warning,
        explanation: """
            The page at the callback loads something from another site, and the browser told that site the page's URL with the authorization \
            code in it.
            """,
        fix:
            "Answer the callback with a redirect to a page without parameters, load nothing from elsewhere before, and send Referrer-Policy: no-referrer.",
        badExample: """
            GET https://metrics.example/pixel.gif
            Referer: https://app.example/callback?code=SplxlOBeZQQYbYS6WxSbIA&state=af0ifjsldkj
            """,
        goodExample: """
            GET https://metrics.example/pixel.gif
            Referer: https://app.example/
            """,
        specifications: [.rfc(9700, "4.2.4")]
    )

    func verdict(on flow: Flow) -> Verdict {
        let providers = Set(flow.providerHosts.map(Site.of))
        for response in flow.authorizationResponses {
            guard let code = response.code, code.utf8.count >= 6 else { continue }
            let own = Set([response.target.host].compactMap { $0 }.map(Site.of)).union(providers)
            var evidence: [Evidence] = []
            for exchange in flow.surroundings.loginValues.referrals(with: code) where evidence.count < 6 {
                let request = flow.capture[exchange].request
                guard let host = request.url.host, !own.contains(Site.of(host)),
                    let referer = request.headers.first("referer")
                else { continue }
                evidence.append(
                    Evidence(
                        place: Place(exchange: exchange, part: .requestHeader, name: "Referer"),
                        value: Masking.shown(referer, of: "url"),
                        note: "told to \(Masking.shown(host, of: "host"))"
                    )
                )
            }
            if !evidence.isEmpty { return .violated(Violation(evidence)) }
        }
        return .holds
    }
}
