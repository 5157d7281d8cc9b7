package import Captures
package import OAuth

/// What a replay does otherwise than the recorded client, besides the values of parameters.
package struct RequestAdjustments: Sendable, Hashable {
    /// How the client proves who it is, at every endpoint that takes it.
    package var authentication: ClientAuthentication.Method?
    /// Whether Basic credentials are form-encoded; nil as recorded.
    package var encodesCredentials: Bool?
    /// A refused DPoP proof is made anew with the server's nonce, also where the recorded client gave up.
    package var usesProofNonce = false
    /// Parameters of a token request go into a form, wherever the recorded client put them.
    package var sendsForms = false

    package init() {}

    /// The request of an endpoint with client authentication, adjusted.
    ///
    /// `secret`: the client's, where the request itself does not show it.
    package func applied(to request: RecordedRequest, secret: String?) -> RecordedRequest {
        var request = sendsForms ? Self.asForm(request) : request
        guard authentication != nil || encodesCredentials != nil else { return request }
        let items = FormBody.items(of: request.body) ?? QueryItems()
        let known = ClientAuthentication(
            of: request,
            exchange: 0,
            parameters: Parameters(items, of: 0, in: .requestBody)
        )
        guard let id = known.clientID?.value else { return request }
        let method = authentication ?? known.methods.first ?? .none
        var fields = items.items.filter {
            !["client_id", "client_secret", "client_assertion", "client_assertion_type"].contains($0.name)
        }.map { ($0.name, $0.value) }
        request.headers.fields.removeAll { $0.name.equalsIgnoringASCIICase("authorization") }
        let secret = known.secret?.value ?? secret
        switch method {
        case .secretBasic:
            let encodes = encodesCredentials ?? true
            let pair = [id, secret ?? ""].map { encodes ? PercentEncoding.encode($0) : $0 }
            request.headers.append(
                "Authorization",
                "Basic " + Base64.encode(Array(pair.joined(separator: ":").utf8))
            )
        case .secretPost:
            fields.append(("client_id", id))
            if let secret { fields.append(("client_secret", secret)) }
        case .none, .assertion: fields.append(("client_id", id))
        }
        request.body = Body(text: FormBody.encode(fields), mediaType: FormBody.mediaType)
        return request
    }

    private static func asForm(_ request: RecordedRequest) -> RecordedRequest {
        guard FormBody.items(of: request.body) == nil || request.method != "POST" else { return request }
        let items = FormBody.misnamedItems(of: request.body) ?? request.url.queryItems
        guard !items.items.isEmpty else { return request }
        var request = request
        request.method = "POST"
        request.url = RecordedURL(request.url.withoutQuery)
        request.headers.fields.removeAll { $0.name.equalsIgnoringASCIICase("content-type") }
        request.headers.append("Content-Type", FormBody.mediaType)
        request.body = Body(
            text: FormBody.encode(items.items.map { ($0.name, $0.value) }),
            mediaType: FormBody.mediaType
        )
        return request
    }
}
