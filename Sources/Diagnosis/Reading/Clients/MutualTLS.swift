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
