import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A logout token that the provider posts to the app is none, or the app refuses one that is right, or a logout by way of
/// the browser.
///
/// What it has to contain and how a client checks it: OpenID Connect Back-Channel Logout, sections 2.4 and
/// 2.6. Nothing is wrong with the token that the capture can show in the variants `rejected`, and `undelivered`: nobody answered.
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

    func verdict(on flow: Flow) -> Verdict {
        var reason: String?
        for case .backChannelLogout(let delivery) in flow.messages {
            var faults: [Evidence] = []
            if let token = delivery.token {
                if token.claims == nil { reason = "the logout token is encrypted or unreadable" }
                faults = self.faults(of: token, delivery, flow)
            } else {
                faults = [Evidence(delivery.parameter, note: "not a JWT")]
            }
            let untaken = UntakenLogout(delivery.answer)
            guard !faults.isEmpty || untaken != nil else { continue }
            return .violated(violation(faults, untaken, delivery, flow))
        }
        if let refused = FrontChannelRefusal.violation(in: flow) { return .violated(refused) }
        return reason.map { .abstains($0) } ?? .holds
    }

    /// `faults`: what is wrong with the token; `untaken`: nil where the app took it.
    private func violation(
        _ faults: [Evidence],
        _ untaken: UntakenLogout?,
        _ delivery: LogoutTokenDelivery,
        _ flow: Flow
    ) -> Violation {
        let untold = faults.isEmpty ? untaken : nil
        var evidence = faults.isEmpty ? [Evidence(delivery.parameter)] : faults
        if let untold, untold != .refused {
            let url = flow.capture[delivery.exchange].request.url.withoutQuery
            let place = Place(exchange: delivery.exchange, part: .requestURL, name: "")
            let value = Masking.shown(url, of: "url")
            evidence.append(
                Evidence(place: place, value: value, note: "the app's back-channel logout address")
            )
        }
        let note = untold?.isLost ?? false ? nil : "the app's answer"
        return Violation(
            evidence + [delivery.answer.statusEvidence(note: note)],
            variant: untold?.variant,
            // An app that takes it all the same has a risk, and its logout.
            severity: untaken == nil ? .warning : .error,
            explanation: untold?.explanation,
            fix: untold?.fix,
            title: untold?.title,
            exchange: delivery.exchange
        )
    }

    // MARK: - Checks

    private func faults(of token: JSONWebToken, _ delivery: LogoutTokenDelivery, _ flow: Flow) -> [Evidence] {
        guard let claims = token.claims else { return [] }
        func claim(_ name: String, _ value: String?, _ note: String) -> Evidence {
            Evidence.claim(name, value, at: delivery.exchange, note: note)
        }
        var faults: [Evidence] = []
        if claims["events"]?[LogoutTokenDelivery.event] == nil {
            let names = claims["events"]?.object?.members.map(\.name).prefix(3).joined(separator: ", ")
            faults.append(claim("events", names, "has to contain \(LogoutTokenDelivery.event)"))
        }
        if let nonce = claims["nonce"] {
            faults.append(claim("nonce", nonce.string ?? "", "has no place in a logout token"))
        }
        if ["sub", "sid"].allSatisfy({ claims[$0] == nil || claims[$0] == .null }) {
            faults.append(claim("sub", nil, "neither sub nor sid: whose session?"))
        }
        if let issuer = flow.issuer, !Placeholder.isOne(issuer),
            !IssuerTemplate.matches(token.issuer ?? "", issuer)
        {
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
