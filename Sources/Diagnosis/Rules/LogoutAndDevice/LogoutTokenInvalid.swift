import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A logout token that the provider posts to the app is none, or the app refuses one that is right, or a logout by way of
/// the browser.
///
/// What it has to contain and how a client checks it: OpenID Connect Back-Channel Logout, sections 2.4 and
/// 2.6. Variant `rejected`: nothing is wrong with the token that the capture can show.
struct LogoutTokenInvalid: Rule {
    static let info = RuleInfo(
        id: "logout-token-invalid",
        title: "The back-channel logout token is not acceptable",
        severity: .error,
        explanation: """
            The provider told the app of a logout with a token that does not pass the checks for logout tokens, so the session at the app \
            stays, or ends on the word of anybody who can reach the address.
            """,
        fix: """
            At the provider, issue logout tokens for this client with events, aud, iat, exp, jti and sub or sid, without nonce. At the app, \
            check all of it and answer 200.
            """,
        badExample: """
            POST /backchannel-logout  logout_token=eyJ…
            claims {"iss":"…","aud":"shop","sub":"alice","nonce":"n-0S6_WzA2Mj"}
            """,
        goodExample: """
            POST /backchannel-logout  logout_token=eyJ…
            claims {"iss":"…","aud":"shop","sub":"alice","events":{"http://schemas.openid.net/event/backchannel-logout":{}}}
            """,
        specifications: [
            SpecificationReference(
                text: "OpenID Connect Back-Channel Logout §2.4",
                url: url + "#LogoutToken"
            ),
            SpecificationReference(text: "OpenID Connect Back-Channel Logout §2.6", url: url + "#Validation"),
        ]
    )

    private static let url = "https://openid.net/specs/openid-connect-backchannel-1_0.html"

    /// Whether there was no answer, for all that is known.
    private static func isLost(_ answer: Answer) -> Bool {
        answer.status == nil && answer.failure != nil && !answer.isUnseen
    }

    func verdict(on flow: Flow) -> Verdict {
        var reason: String?
        for case .backChannelLogout(let delivery) in flow.messages {
            let isLost = Self.isLost(delivery.answer)
            let isAccepted = delivery.answer.status.map { (200..<300).contains($0) } ?? !isLost
            var faults: [Evidence] = []
            if let token = delivery.token {
                if token.claims == nil { reason = "the logout token is encrypted or unreadable" }
                faults = self.faults(of: token, delivery, flow)
            } else {
                faults = [Evidence(delivery.parameter, note: "not a JWT")]
            }
            guard !faults.isEmpty || !isAccepted else { continue }
            let isRejected = faults.isEmpty
            if isRejected { faults = [Evidence(delivery.parameter)] }
            // Nobody looked at the token: 400 is the answer to one that is not right (section 2.8).
            let isUntaken =
                isRejected && (isLost || delivery.answer.status.map(Self.isOfNobody) ?? false)
            if isUntaken {
                let url = flow.capture[delivery.exchange].request.url.withoutQuery
                let place = Place(exchange: delivery.exchange, part: .requestURL, name: "")
                faults.append(
                    Evidence(
                        place: place,
                        value: Masking.shown(url, of: "url"),
                        note: "the app's back-channel logout address"
                    )
                )
            }
            return .violated(
                Violation(
                    faults + [delivery.answer.statusEvidence(note: "the app's answer")],
                    variant: isRejected ? "rejected" : nil,
                    // An app that takes it all the same has a risk, and its logout.
                    severity: isAccepted ? .warning : .error,
                    explanation: isUntaken ? Self.untaken : isRejected ? Self.rejected : nil,
                    fix: isUntaken ? Self.untakenFix : nil,
                    title: isUntaken ? "The logout token did not get to the app's logout" : nil,
                    exchange: delivery.exchange
                )
            )
        }
        if let refused = FrontChannelRefusal.violation(in: flow) { return .violated(refused) }
        return reason.map { .abstains($0) } ?? .holds
    }

    private static let rejected =
        "The app refused a logout token in which the capture shows nothing wrong, so its session did not end."

    /// Said by who does not take logouts, or by a gateway.
    private static func isOfNobody(_ status: Int) -> Bool {
        (300..<400).contains(status) || [401, 403, 404, 405, 502, 503, 504].contains(status)
    }

    private static let untaken = """
        The provider told the app of a logout, and what answers at the address, if anything does, is not what ends sessions: nothing is wrong \
        with the token that the capture can show, and an app that finds a token wrong says 400. The app's session did not end.
        """
    private static let untakenFix = """
        Compare the backchannel_logout_uri that is registered for the client with where the app takes logouts, and try it from the provider's \
        machine; a gateway in front of it must let it through without a session or a CSRF token.
        """

    // MARK: - Checks

    private func faults(of token: JSONWebToken, _ delivery: LogoutTokenDelivery, _ flow: Flow) -> [Evidence] {
        guard let claims = token.claims else { return [] }
        func claim(_ name: String, _ value: String?, _ note: String) -> Evidence {
            Evidence(
                place: Place(exchange: delivery.exchange, part: .jwtClaims, name: name),
                value: value.map { Masking.shown($0, of: name) } ?? "missing",
                note: note
            )
        }
        var faults: [Evidence] = []
        if claims["events"]?[LogoutTokenDelivery.event] == nil {
            let names = claims["events"]?.object?.members.map(\.name).prefix(3).joined(separator: ", ")
            faults.append(claim("events", names, "has to contain \(LogoutTokenDelivery.event)"))
        }
        if let nonce = claims["nonce"] {
            faults.append(claim("nonce", nonce.string ?? "", "has no place in a logout token"))
        }
        if claims["sub"] == nil, claims["sid"] == nil {
            faults.append(claim("sub", nil, "neither sub nor sid: whose session?"))
        }
        if let issuer = flow.issuer, !IssuerTemplate.matches(token.issuer ?? "", issuer) {
            faults.append(claim("iss", token.issuer, "the provider is \(issuer)"))
        }
        if let client = flow.clientID, !Placeholder.isOne(client), !token.audience.contains(bytesOf: client) {
            faults.append(
                claim("aud", token.audience.prefix(5).joined(separator: ", "), "the client is \(client)")
            )
        }
        let now = serverTime(delivery.exchange, flow)
        if let end = token.expiresAt, end < now.seconds - 60 {
            let age = Duration.seconds(min(now.seconds - end, 1 << 40)).words
            faults.append(claim("exp", "\(end)", "run out \(age) before"))
        }
        let verification = flow.surroundings.verification(of: token, providerHosts: flow.providerHosts)
        if verification.outcome == .invalid || verification.outcome == .unsigned {
            faults.append(
                Evidence(
                    place: Place(exchange: delivery.exchange, part: .jwtHeader, name: "alg"),
                    value: Masking.shown(token.algorithm ?? "none", of: "alg"),
                    note: verification.outcome == .unsigned ? "not signed" : "the signature does not verify"
                )
            )
        }
        return faults
    }

    /// The app's clock where its answer shows it.
    private func serverTime(_ exchange: Int, _ flow: Flow) -> Timestamp {
        let recorded = flow.capture[exchange]
        return recorded.serverTime ?? recorded.startedAt
    }
}
