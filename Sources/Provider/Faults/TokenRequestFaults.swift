import Captures
import OAuth

/// Requests that were right and are refused (RFC 6749, section 5.2; RFC 9126, section 2.3; RFC 7591, section 3.2.2).
enum TokenRequestFaults {
    static let list: [Fault] = [
        refusal("par-rejected", of: .pushedRequest, "invalid_request"),
        refusal("registration-rejected", of: .registration, "invalid_client_metadata"),
        Fault(
            "cors-blocked",
            "No answer of the token endpoint may be read by a page of another origin.",
            .response { response, context in
                guard context.role == .token else { return }
                response.headers.fields.removeAll {
                    $0.name.lowercased().hasPrefix("access-control-allow")
                }
            }
        ),
        refusal("token-invalid-grant", of: .token, "invalid_grant"),
        refusal("token-invalid-client", of: .token, "invalid_client"),
        refusal("token-endpoint-error", of: .token, "invalid_request"),
        Fault(
            "provider-server-error:token",
            "The token endpoint answers 500.",
            .answer { answer, context in
                if context.role == .token { answer.becomePage(500, "Internal server error") }
            }
        ),
        Fault(
            "provider-server-error:par",
            "The endpoint for pushed requests answers 500.",
            .answer { answer, context in
                if context.role == .pushedRequest { answer.becomePage(500, "Internal server error") }
            }
        ),
    ]

    private static func refusal(_ id: String, of role: Endpoints.Role, _ error: String) -> Fault {
        Fault(
            id,
            "The \(role.rawValue) refuses every request: \(error).",
            .answer { answer, context in
                guard context.role == role else { return }
                answer.fail(error == "invalid_client" ? 401 : 400, error, "the request cannot be served")
            }
        )
    }
}
