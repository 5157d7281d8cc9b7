import Captures
import Flows

/// The passwords and codes that a run has sent, by the fields that pages of the recording and of the run have for them.
struct SentSecrets {
    private let exchanges: [Exchange]
    private let fields: PasswordFields

    /// `exchanges`: those of the run so far.
    init(_ exchanges: [Exchange], of flow: Flow) {
        self.exchanges = exchanges
        var fields = PasswordFields(in: [flow])
        for exchange in exchanges { fields.add(exchange) }
        self.fields = fields
    }

    /// Whether a request would send one to the same place once more.
    func areRepeated(by request: RecordedRequest) -> Bool {
        let secrets = secrets(in: request)
        guard !secrets.isEmpty else { return false }
        return exchanges.contains { earlier in
            earlier.request.url.origin == request.url.origin
                && !self.secrets(in: earlier.request).isDisjoint(with: secrets)
        }
    }

    private func secrets(in request: RecordedRequest) -> Set<String> {
        var items = FormBody.items(of: request.body)?.items.map { ($0.name, $0.value) } ?? []
        // A page's script may send them as JSON.
        if let body = request.body, body.essence?.hasSuffix("json") == true, (body.size ?? 0) < 1 << 16,
            let json = JSONBody.value(of: body)
        {
            items += ParameterPlanner.strings(in: json)
        }
        // A page that asks for the name alone may have an empty field for the password.
        let typed = items.filter { !$0.1.isEmpty && (SecretNames.isTyped($0.0) || fields.contains($0.0)) }
        return Set(typed.map(\.1))
    }
}
