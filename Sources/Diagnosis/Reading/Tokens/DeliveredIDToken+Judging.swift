import Captures
import Flows
import JOSE
import JSON
import OAuth

extension DeliveredIDToken {
    /// The client that it should be made for, by the messages that brought it.
    var clients: [Parameter] {
        [
            tokenRequest?.authentication.clientID, login?.request.parameters.parameter("client_id"),
            handed?.client,
        ].compactMap(\.self)
    }

    /// Names of the client; empty where the capture has none.
    func clientNames(in flow: Flow) -> [String] {
        let clients = clients
        return clients.isEmpty ? [flow.clientID].compactMap { $0 } : clients.map(\.value)
    }

    /// Whether the messages ask for this audience: Google's `audience` and its like.
    func isAsked(_ audience: [String]) -> Bool {
        let parameters = (login?.request.parameters.items ?? []) + (tokenRequest?.parameters.items ?? [])
        return parameters.contains {
            ["audience", "resource"].contains($0.name) && audience.contains(bytesOf: $0.value)
        }
    }

    /// Whether it is certain that it came of this login, and not of another one's code.
    func isCertain(of login: Login, in flow: Flow) -> Bool {
        guard let request = tokenRequest else { return true }
        // Without parameters nothing ties the answer to this login but that there is only one.
        if !request.isRecorded { return flow.logins.count == 1 }
        guard flow.isCertain(request, of: login) else { return false }
        // Its own login has it among its requests.
        return self.login?.request.exchange == login.request.exchange
            || login.tokenRequests.contains { $0.exchange == request.exchange }
    }

    /// The names of its claims, as evidence of one that is missing.
    func missing(_ name: String, note: String? = nil) -> Evidence {
        let names = (idToken.token.claims?.members ?? []).prefix(30).map(\.name).joined(separator: ", ")
        return Evidence(
            place: idToken.place(ofClaim: name),
            value: "missing",
            note: note ?? "the token has \(names.isEmpty ? "no claims" : Masking.shown(names, of: "claims"))"
        )
    }

    /// A claim as evidence; missing where it is.
    func evidence(ofClaim name: String, note: String? = nil) -> Evidence {
        guard let value = idToken.token.claim(name) else { return missing(name, note: note) }
        return Evidence(
            place: idToken.place(ofClaim: name),
            value: Masking.shown(value.string ?? JSONWriter.text(of: value), of: name),
            note: note
        )
    }

    /// The audiences of a token that names others beside its client.
    var otherAudiences: Evidence? {
        guard idToken.token.audience.count > 1 else { return nil }
        return evidence(
            ofClaim: "aud",
            note:
                "others beside the client: there are libraries that refuse them unless they are told to trust them"
        )
    }

    /// A time in a claim as evidence.
    func evidence(ofTime name: String, _ seconds: Int64, note: String? = nil) -> Evidence {
        Evidence(
            place: idToken.place(ofClaim: name),
            value: "\(seconds)" + (Timestamp(statedSeconds: seconds).map { " (\($0.rfc3339))" } ?? ""),
            note: note
        )
    }

    func evidence(ofHeader name: String, note: String? = nil) -> Evidence {
        let value = idToken.token.header?[name]
        return Evidence(
            place: idToken.place(ofHeader: name),
            value: value.map { Masking.shown($0.string ?? JSONWriter.text(of: $0), of: name) } ?? "none",
            note: note
        )
    }
}

extension Verdict {
    /// The first violation by an ID token that answers a login for certain; else why one could not be judged.
    ///
    /// `judge`: nil where the token is as it has to be.
    static func ofIDTokens(
        in flow: Flow,
        _ judge: (_ delivered: DeliveredIDToken, _ claims: JSONObject, _ login: Login) -> Violation?
    ) -> Verdict {
        firstViolation(among: flow.deliveredIDTokens) { delivered in
            guard !delivered.isOfRefresh, !delivered.isOfTokenExchange else { return .holds }
            guard let claims = delivered.idToken.token.claims else { return .abstains(Gap.idTokenClaims) }
            guard let login = delivered.login else { return .abstains(Gap.authorizationRequest) }
            // A code that is not this login's brings a token that is not, either; that is told elsewhere.
            guard delivered.isCertain(of: login, in: flow) else { return .holds }
            return judge(delivered, claims, login).map { .violated($0) } ?? .holds
        }
    }
}
