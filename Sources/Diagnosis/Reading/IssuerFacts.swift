import Captures
import Flows
import JOSE
import JSON
import OAuth

extension Flow {
    /// Metadata of the authorization server that this flow talks to: documents that name one of the endpoints
    /// it uses.
    ///
    /// In order of time. Metadata of another tenant at the same host does not count.
    var issuerDocuments: [MetadataDocument] {
        derived.value { IssuerDocuments(list: readIssuerDocuments()) }.list
    }

    private struct IssuerDocuments: Sendable {
        var list: [MetadataDocument]
    }

    private func readIssuerDocuments() -> [MetadataDocument] {
        let used = Set(
            messages.compactMap { message -> String? in
                switch message {
                case .authorizationRequest, .token: Self.address(capture[message.exchange].request.url)
                default: nil
                }
            }
        )
        return messages.compactMap { message in
            guard case .discovery(let document) = message, !document.isProtectedResource else { return nil }
            let named = ["authorization_endpoint", "token_endpoint"].compactMap { document.endpoint($0) }
            let aliases = document.answer.json?["mtls_endpoint_aliases"]?["token_endpoint"]?.string
            let isUsed = (named + [aliases].compactMap { $0 }).contains {
                used.contains(Self.address(RecordedURL($0)))
            }
            return isUsed ? document : nil
        }
    }

    private static func address(_ url: RecordedURL) -> String { (url.origin ?? "") + url.path }
}

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

    /// The claims of a token that answers a login for certain, with that login; the reason where it cannot be
    /// judged.
    func judged(in flow: Flow) -> Judgement {
        guard !isOfRefresh, !isOfTokenExchange else { return .notConcerned }
        guard let claims = idToken.token.claims else {
            return .hidden(Gap.idTokenClaims)
        }
        guard let login else { return .hidden(Gap.authorizationRequest) }
        // A code that is not this login's brings a token that is not, either; that is told elsewhere.
        guard isCertain(of: login, in: flow) else { return .notConcerned }
        return .open(claims, login)
    }

    enum Judgement {
        case open(JSONObject, Login)
        case hidden(String)
        case notConcerned
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
