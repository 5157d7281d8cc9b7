import Captures
import Flows
import OAuth

/// Providers that take client assertions and nothing else.
enum AssertionOnly {
    /// Whether such a provider refused a call that has no (whole) assertion.
    static func applies(to call: ClientCall, _ provider: ProviderFacts, _ flow: Flow) -> Bool {
        (call.kind == .token || call.kind == .pushedRequest) && call.mayBlameClient && lacksAssertion(call)
            && isOne(call, provider, flow)
    }

    /// Whether the assertion, or the parameter that says what it is, is missing or another.
    static func lacksAssertion(_ call: ClientCall) -> Bool {
        guard !call.parameters.isEmpty else { return false }
        return (call.parameters["client_assertion"] ?? "").isEmpty
            || !call.isAttested && call.parameters["client_assertion_type"] != ClientAssertion.type
    }

    private static func isOne(_ call: ClientCall, _ provider: ProviderFacts, _ flow: Flow) -> Bool {
        if let list = provider.metadata(of: call.endpoint)?.list("token_endpoint_auth_methods_supported") {
            return list.allSatisfy { methods.contains($0) || MutualTLS.methods.contains($0) }
                && list.contains(where: methods.contains)
        }
        // MyInfo's third version has a signature in the header instead, and a secret.
        return (flow.provider == .singpass || flow.provider == .myinfo) && provider.has(call.endpoint)
            && !call.endpoint.path.containsBytes("/v3/")
    }

    private static let methods: Set<String> = ["private_key_jwt", "client_secret_jwt"]

    static let fix = """
        Sign an assertion on the back end for every request (iss and sub the client_id, aud the provider, exp in a minute or two, a fresh \
        jti) and send it as client_assertion with client_assertion_type urn:ietf:params:oauth:client-assertion-type:jwt-bearer. The key \
        never belongs into an app.
        """
}
