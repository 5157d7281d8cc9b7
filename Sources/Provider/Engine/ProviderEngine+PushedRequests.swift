import Captures
import JSON
import OAuth

/// Requests that a client pushes before the user comes (RFC 9126).
extension ProviderEngine {
    /// Of the name by which a pushed request goes (section 2.2).
    private static let requestURIPrefix = "urn:ietf:params:oauth:request_uri:"

    mutating func pushRequest(_ form: QueryItems, _ request: RecordedRequest) -> BuiltAnswer {
        let client: ProviderConfiguration.Client
        do throws(Refused) {
            client = try authenticate(form, request, at: .pushedRequest)
        } catch {
            return error.answer
        }
        // Section 2: who authenticates is who asks.
        if let named = form.first("client_id"), !named.isEmpty, named != client.id {
            return refuse(.clientDiffers, at: .pushedRequest)
        }
        var boundKey: String?
        switch proof(of: request, at: .pushedRequest) {
        case .refused(let answer): return answer
        case .none: break
        case .valid(let thumbprint): boundKey = thumbprint
        }
        // RFC 9126, section 2.1: a request_uri cannot be pushed.
        guard !form.contains("request_uri") else { return refuse(.parameterMissing, at: .pushedRequest) }
        let secret: Set<String> = ["client_secret", "client_assertion", "client_assertion_type"]
        var parameters = form.items.filter { !secret.contains($0.name) }.map {
            (name: $0.name, value: $0.value)
        }
        if let text = form.first("request") {
            guard let claims = requestObject(text, client) else {
                return refuse(.requestObjectInvalid, at: .pushedRequest)
            }
            // Section 3: whatever is not signed does not count.
            parameters =
                claims
                + parameters.filter { item in
                    item.name == "client_id" && !claims.contains { $0.name == item.name }
                }
        }
        if let boundKey {
            // RFC 9449, section 10.1: both name one key.
            if let named = parameters.first(where: { $0.name == "dpop_jkt" })?.value {
                guard named == boundKey else { return refuse(.proofInvalid, at: .pushedRequest) }
            } else {
                parameters.append(("dpop_jkt", boundKey))
            }
        }
        // Section 2.1: as if it had come to the authorization endpoint.
        guard let login = pendingLogin(parameters, client) else {
            return refuse(.redirectURIUnregistered, at: .pushedRequest)
        }
        if !policy.isAsRecorded, let refusal = repetition(in: request) ?? refusal(of: login, client) {
            return refuse(refusal, at: .pushedRequest)
        }
        let lifetime = dialect.pushedRequest?.members?["expires_in"]?.int ?? 60
        let uri = (dialect.shapes["request_uri"] == nil ? Self.requestURIPrefix : "") + fresh("request_uri")
        state.pushedRequests[uri] = ProviderState.PushedRequest(
            clientID: client.id,
            parameters: parameters,
            expiresAt: now + .seconds(lifetime)
        )
        var answer = BuiltAnswer(
            like: dialect.pushedRequest ?? AnswerTemplate(status: 201),
            role: .pushedRequest
        )
        var members =
            dialect.pushedRequest?.members ?? [
                "request_uri": "", "expires_in": .number(JSONNumber(lifetime)),
            ]
        members["request_uri"] = .string(uri)
        answer.content = .object(members)
        return answer
    }
}
