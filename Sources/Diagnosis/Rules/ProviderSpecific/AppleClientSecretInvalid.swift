import Captures
import Flows
import JOSE
import JSON
import OAuth

/// Apple refused the client, and the client secret shows why.
///
/// Apple's secret is a JWT that the developer signs: ES256 with the key's `kid`, made for
/// `https://appleid.apple.com`, about this client, for six months at most.
struct AppleClientSecretInvalid: Rule {
    static let info = RuleInfo(
        id: "apple-client-secret-invalid",
        title: "Apple's client secret has run out or was made for another client",
        severity: .error,
        explanation: """
            Apple wants as client secret a token signed with the key from the developer account. The one that was sent cannot be accepted: the \
            notes say which part of it is wrong.
            """,
        fix: """
            Make the secret anew for each request, or on a schedule well within six months: alg ES256, the kid of the key, iss the team, aud \
            https://appleid.apple.com, sub the client_id (the Services ID on the web, the bundle id in an app).
            """,
        badExample: """
            client_secret claims {"iss":"TEAM123456","sub":"example.app.web","aud":"https://appleid.apple.com","exp":1700000000}
            400 {"error":"invalid_client"}
            """,
        goodExample: """
            client_secret claims {"iss":"TEAM123456","sub":"example.app.web","aud":"https://appleid.apple.com","exp":1790000000}
            200 {"access_token":"…"}
            """,
        specifications: [
            SpecificationReference(
                text: "Apple, Creating a client secret",
                url:
                    "https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret"
            )
        ]
    )

    private static let audience = "https://appleid.apple.com"
    /// Six months, as Apple counts them, in seconds.
    private static let longest: Int64 = 15_777_000

    func verdict(on flow: Flow) -> Verdict {
        for call in ClientCall.all(in: flow) where call.answer.error?.error == "invalid_client" {
            guard call.purpose.hasPrefix("token") || call.purpose.hasPrefix("revocation"),
                let secret = call.authentication.secret
            else { continue }
            let token = JSONWebToken.parse(secret.value)
            // A stand-in for Apple's endpoint is known by secrets that are made for Apple.
            let host = flow.capture[call.exchange].request.url.host
            guard host == "appleid.apple.com" || token?.audience.contains(Self.audience) ?? false else {
                continue
            }
            let faults =
                token.map { self.faults(of: $0, call, flow) } ?? [Evidence(secret, note: "not a JWT")]
            guard !faults.isEmpty else { continue }
            return .violated(Violation(faults + [call.answer.evidence()], exchange: call.exchange))
        }
        return .holds
    }

    private func faults(of token: JSONWebToken, _ call: ClientCall, _ flow: Flow) -> [Evidence] {
        func evidence(_ part: Place.Part, _ name: String, _ value: String?, _ note: String) -> Evidence {
            Evidence(
                place: Place(exchange: call.exchange, part: part, name: name),
                value: value.map { Masking.shown($0, of: name) } ?? "missing",
                note: note
            )
        }
        var faults: [Evidence] = []
        let recorded = flow.capture[call.exchange]
        let now = (recorded.serverTime ?? recorded.endedAt).seconds
        if let end = token.expiresAt {
            if end <= now {
                faults.append(
                    evidence(
                        .jwtClaims,
                        "exp",
                        "\(end)",
                        "run out \(Duration.seconds(now - end).words) before"
                    )
                )
            } else if end - now > Self.longest {
                faults.append(evidence(.jwtClaims, "exp", "\(end)", "more than six months ahead"))
            }
        } else {
            faults.append(evidence(.jwtClaims, "exp", nil, "six months ahead at most"))
        }
        if token.audience != [Self.audience] {
            let names = token.audience.prefix(3).joined(separator: ", ")
            faults.append(
                evidence(.jwtClaims, "aud", names.isEmpty ? nil : names, "has to be \(Self.audience)")
            )
        }
        if let client = call.parameters["client_id"], !Placeholder.isOne(client),
            !client.equalsBytes(of: token.subject)
        {
            faults.append(evidence(.jwtClaims, "sub", token.subject, "the client_id is \(client)"))
        }
        if token.algorithm != "ES256" {
            faults.append(evidence(.jwtHeader, "alg", token.algorithm, "has to be ES256"))
        }
        if token.keyID == nil {
            faults.append(evidence(.jwtHeader, "kid", nil, "the id of the key in the developer account"))
        }
        return faults
    }
}
