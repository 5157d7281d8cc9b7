import Captures
import Flows
import OAuth

/// A request that was refused since the provider takes only pushed ones (RFC 9126, section 5).
struct RequiredPush {
    var refusal: RequestRefusal
    /// Where metadata or registration says so.
    var statement: Evidence?

    /// Nil where nothing says that it had to be pushed.
    init?(of attempt: LoginAttempt, in flow: Flow) {
        guard attempt.request != nil, attempt["request_uri"] == nil, let refusal = attempt.refusal,
            refusal.isOfTheRequest,
            [nil, "invalid_request", "unauthorized_client"].contains(refusal.error)
        else { return nil }
        self.refusal = refusal
        statement = Self.statement(of: attempt, flow)
        guard statement != nil || refusal.says(Self.texts) else { return nil }
    }

    private static func statement(of attempt: LoginAttempt, _ flow: Flow) -> Evidence? {
        let name = "require_pushed_authorization_requests"
        let registered = RegisteredClient.of(attempt["client_id"], before: attempt.exchange, in: flow)
        let stated = [
            flow.metadata(of: attempt)?.answer.parameters.parameter(name), registered?.answered(name),
        ]
        return stated.compactMap(\.self).first { $0.value == "true" }.map { Evidence($0) }
    }

    /// How providers word it, in lower case.
    static let texts = [
        "pushed authorization request is only allowed", "par is required",
        "pushed authorization request is required",
        "pushed authorization requests are required", "must use pushed authorization request",
        "pushed authorization request must be used", "required to use pushed authorization request",
        "requires pushed authorization request",
    ]
}
