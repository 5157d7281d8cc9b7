import Captures
import JOSE
import OAuth

/// What makes two authorization requests the same one, and what tells them apart from those of the next login.
extension AuthorizationRequest {
    /// What a reload, or the provider's own continuation that carries the request along, has in common with
    /// it: two requests with a signature in common are the same.
    var signatures: Set<String> {
        let client = clientID ?? ""
        // U+0000 cannot be told apart from itself, but no two fields run into one another.
        func joined(_ values: [String?]) -> String {
            values.map { $0.map { "=" + $0 } ?? "" }.joined(separator: "\0")
        }
        let own = ownValues.map { $0.flatMap { Placeholder.isOne($0) ? nil : $0 } }
        // Without any value of its own, only the very same parameters are the same request.
        let hasOwn = own.contains { $0 != nil } || isSanitized
        let all = hasOwn ? [] : parameters.items.map { Optional($0.value) }
        var signatures: Set = ["r" + joined([client, redirectURI] + own + all)]
        if let uri = parameters["request_uri"] { signatures.insert("u" + joined([client, uri])) }
        return signatures
    }

    /// What a client makes up for each request.
    private var ownValues: [String?] {
        [state, nonce, codeChallenge]
    }

    /// Whether the client made up nothing for a request: the next login's is the same.
    var isBare: Bool {
        ownValues.allSatisfy { $0 == nil } && parameters["request_uri"] == nil
            && parameters["request"] == nil
    }

    /// Whether what tells a request from the next login's was taken out of the capture.
    var isSanitized: Bool {
        let own = ownValues.compactMap(\.self)
        return !own.isEmpty && own.allSatisfy(Placeholder.isOne)
    }

    /// Whether a request without any value of its client's own may be an earlier one as the provider carries it on, with values
    /// of the provider's.
    func goesOn(with earlier: AuthorizationRequest) -> Bool {
        isBare && earlier.isBare && isSilent == earlier.isSilent
            && clientID == earlier.clientID && redirectURI == earlier.redirectURI
            && responseType == earlier.responseType
            && endpoint.origin == earlier.endpoint.origin
    }
}
