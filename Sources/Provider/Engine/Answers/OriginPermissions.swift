import Captures

/// Which answers of a provider the pages of its clients may read (Fetch standard, CORS protocol).
struct OriginPermissions {
    private let clients: [ProviderConfiguration.Client]
    private let readable: ReadableAnswers
    private let allowsOrigins: Bool

    init(_ configuration: ProviderConfiguration, _ dialect: ProviderDialect) {
        clients = configuration.clients
        readable = dialect.readable
        allowsOrigins = dialect.allowsOrigins
    }

    /// The answer to the question that a browser asks before a page's request.
    static func preflight(_ request: RecordedRequest) -> BuiltAnswer {
        var answer = BuiltAnswer(204)
        guard request.headers.contains("origin") else { return answer }
        let methods = request.headers.first("access-control-request-method") ?? "GET, POST"
        answer.headers.append("Access-Control-Allow-Methods", methods)
        if let names = request.headers.first("access-control-request-headers") {
            answer.headers.append("Access-Control-Allow-Headers", names)
        }
        return answer
    }

    /// Lets a page of a client read an answer, where the provider does.
    func allow(_ request: RecordedRequest, _ response: inout RecordedResponse) {
        guard let origin = request.headers.first("origin") else { return }
        let own = response.headers.first("access-control-allow-origin")
        if own == "*" || own == origin { return }
        let isPreflight = request.method == "OPTIONS"
        let reader = own ?? readable.reader(at: request.url.path, status: response.status)
        let isForAll = reader == "*"
        guard isForAll || reader != nil || isPreflight || allowsOrigins,
            isForAll || isOriginOfAClient(origin)
        else { return }
        response.headers.fields.removeAll { $0.name.lowercased() == "access-control-allow-origin" }
        let allowed = isForAll ? "*" : origin
        response.headers.append("Access-Control-Allow-Origin", allowed)
        if !isForAll { response.headers.append("Vary", "Origin") }
        let path = request.url.path
        for field in readable.permissions(at: path, for: allowed, isPreflight: isPreflight)
        where !response.headers.contains(field.name) {
            response.headers.append(field.name, field.value)
        }
    }

    private func isOriginOfAClient(_ origin: String) -> Bool {
        guard let asked = AddressMap.origin(of: RecordedURL(origin)) else { return false }
        if let host = RecordedURL(origin).host, LoopbackHost.isLoopback(host) { return true }
        return clients.flatMap(\.redirectURIs).contains {
            AddressMap.origin(of: RecordedURL($0)) == asked
        }
    }
}
