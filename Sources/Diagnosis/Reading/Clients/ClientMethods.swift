import Captures
import Flows
import OAuth

/// Clients that prove themselves by a certificate of the connection (RFC 8705), which no message shows.
enum MutualTLS {
    static let methods: Set<String> = ["tls_client_auth", "self_signed_tls_client_auth"]

    /// Whether the capture holds the client's registration, and that names such a method.
    static func isRegistered(_ call: ClientCall, in flow: Flow) -> Bool {
        flow.registrations(of: call.authentication.clientID?.value).contains { registration in
            let method =
                registration.answer.parameters["token_endpoint_auth_method"]
                ?? registration.parameters["token_endpoint_auth_method"]
            return method.map(methods.contains) ?? false
        }
    }

    /// Whether an endpoint is at a host that is there for certificates by its name: `mtls.bank.example`, `matls-auth.bank.example`.
    static func isNamed(by endpoint: RecordedURL) -> Bool {
        endpoint.host?.utf8.split { $0 == 0x2e || $0 == 0x2d }.contains {
            $0.elementsEqual("mtls".utf8) || $0.elementsEqual("matls".utf8)
        } ?? false
    }

    /// Whether the provider's metadata lists nothing else.
    static func isOnlyMethod(at endpoint: RecordedURL, _ provider: ProviderFacts) -> Bool {
        guard let list = provider.metadata(of: endpoint)?.list("token_endpoint_auth_methods_supported") else {
            return false
        }
        return !list.isEmpty && list.allSatisfy(methods.contains)
    }
}

/// Providers that take client assertions and nothing else.
enum AssertionOnly {
    /// Whether such a provider refused a call that has no (whole) assertion.
    static func applies(to call: ClientCall, _ provider: ProviderFacts, _ flow: Flow) -> Bool {
        guard call.kind == .token || call.kind == .pushedRequest, call.mayBlameClient,
            lacksAssertion(call)
        else { return false }
        return AssertionRefusal.of(call) == .missing || isOne(call, provider, flow)
    }

    /// Whether the assertion, or the parameter that says what it is, is missing or another.
    static func lacksAssertion(_ call: ClientCall) -> Bool {
        guard !call.parameters.isEmpty else { return false }
        return (call.parameters["client_assertion"] ?? "").isEmpty
            || call.parameters["client_assertion_type"] != ClientAssertion.type
    }

    private static func isOne(_ call: ClientCall, _ provider: ProviderFacts, _ flow: Flow) -> Bool {
        if let list = provider.metadata(of: call.endpoint)?.list("token_endpoint_auth_methods_supported"),
            !list.isEmpty
        {
            return list.allSatisfy { methods.contains($0) || MutualTLS.methods.contains($0) }
                && list.contains(where: methods.contains)
        }
        // MyInfo's third version has a signature in the header instead, and a secret.
        return (flow.provider == .singpass || flow.provider == .myinfo) && provider.has(call.endpoint)
            && !call.endpoint.path.containsBytes("/v3/")
    }

    private static let methods: Set<String> = ["private_key_jwt", "client_secret_jwt"]
}
