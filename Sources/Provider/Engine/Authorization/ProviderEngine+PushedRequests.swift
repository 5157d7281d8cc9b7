import Captures
import JSON
import OAuth

/// Requests that a client pushes before the user comes (RFC 9126).
extension ProviderEngine {
    /// Of the name by which a pushed request goes (section 2.2).
    private static let requestURIPrefix = "urn:ietf:params:oauth:request_uri:"

    mutating func pushRequest(_ form: QueryItems, _ request: RecordedRequest) -> BuiltAnswer {
        do throws(Refused) {
            let client = try authenticate(form, request, at: .pushedRequest)
            let parameters = try pushedParameters(form, request, client)
            let check = requestCheck(for: client)
            // Section 2.1: as if it had come to the authorization endpoint.
            if check.lacksRedirectURI(parameters) {
                return refuse(.parameterMissing, at: .pushedRequest, "redirect_uri is missing")
            }
            guard let login = pendingLogin(parameters, client) else {
                return refuse(.redirectURIUnregistered, at: .pushedRequest)
            }
            if !policy.isAsRecorded, let refusal = repetition(in: request) ?? check.refusal(of: login) {
                return refuse(refusal, at: .pushedRequest)
            }
            return keep(parameters, of: client)
        } catch {
            return error.answer
        }
    }

    /// What counts of a pushed request, with the key that its proof binds it to.
    private mutating func pushedParameters(
        _ form: QueryItems,
        _ request: RecordedRequest,
        _ client: ProviderConfiguration.Client
    ) throws(Refused) -> RequestParameters {
        func refused(_ refusal: Refusal) -> Refused { Refused(answer: refuse(refusal, at: .pushedRequest)) }
        // Section 2: who authenticates is who asks.
        if let named = form.first("client_id"), !named.isEmpty, named != client.id {
            throw refused(.clientDiffers)
        }
        let boundKey: String?
        switch proof(of: request, at: .pushedRequest) {
        case .refused(let answer): throw Refused(answer: answer)
        case .none: boundKey = nil
        case .valid(let thumbprint): boundKey = thumbprint
        }
        // RFC 9126, section 2.1: a request_uri cannot be pushed.
        guard form.first("request_uri")?.isEmpty ?? true else { throw refused(.requestURIPushed) }
        let check = requestCheck(for: client)
        if check.lacksSignature(RequestParameters(form)) { throw refused(.requestUnsigned) }
        var parameters: RequestParameters
        do throws(RequestObjectFlaw) {
            parameters = try self.parameters(of: form, client)
        } catch {
            throw Refused(answer: refuse(.requestObjectInvalid, at: .pushedRequest, error.words))
        }
        guard let boundKey else { return parameters }
        // RFC 9449, section 10.1: both name one key.
        if let named = parameters["dpop_jkt"] {
            guard named == boundKey else { throw refused(.proofInvalid) }
        } else {
            parameters.append("dpop_jkt", boundKey)
        }
        return parameters
    }

    /// Those of the form, or of the request object in it: whatever is not signed does not count then (section 3).
    private func parameters(of form: QueryItems, _ client: ProviderConfiguration.Client)
        throws(RequestObjectFlaw) -> RequestParameters
    {
        let secret: Set<String> = ["client_secret", "client_assertion", "client_assertion_type"]
        let sent = RequestParameters(QueryItems(items: form.items.filter { !secret.contains($0.name) }))
        guard let text = sent.value("request") else { return sent }
        let claims = try requestObjects(of: client).parameters(of: text)
        return claims.merged(with: sent, mayAdd: false)
    }

    /// Remembers a request under a name of its own, and tells it (section 2.2).
    private mutating func keep(
        _ parameters: RequestParameters,
        of client: ProviderConfiguration.Client
    ) -> BuiltAnswer {
        let lifetime = dialect.pushedRequest?.members?["expires_in"]?.int ?? 60
        let uri =
            (dialect.shapes["request_uri"] == nil ? Self.requestURIPrefix : "") + context.fresh("request_uri")
        state.pushedRequests.add(parameters, of: client.id, as: uri, until: now + .seconds(lifetime))
        var answer = BuiltAnswer(
            like: dialect.pushedRequest ?? AnswerTemplate(status: 201),
            role: .pushedRequest
        )
        var members =
            dialect.pushedRequest?.members ?? [
                "request_uri": "", "expires_in": JSONValue(lifetime),
            ]
        members["request_uri"] = .string(uri)
        answer.content = .object(members)
        return answer
    }
}
