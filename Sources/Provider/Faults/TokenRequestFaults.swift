import Captures
import OAuth

/// Requests that were right and are refused (RFC 6749, section 5.2; RFC 9126, section 2.3; RFC 7591, section 3.2.2).
enum TokenRequestFaults {
    static let list: [Fault] = [
        refusal("par-rejected", at: .pushedRequest, [.pushedRequest], "invalid_request"),
        refusal("registration-rejected", at: .registration, [.registration], "invalid_client_metadata"),
        Fault(
            "cors-blocked",
            "No answer of the token endpoint may be read by a page of another origin.",
            of: AnswerKind.allTokens,
            needs: .init("page of another origin that asks the token endpoint"),
            .response { response, context in
                guard context.role == .token else { return }
                response.headers.fields.removeAll {
                    $0.name.lowercased().hasPrefix("access-control-allow")
                }
            }
        ),
        refusal("token-invalid-grant", at: .token, AnswerKind.allTokens, "invalid_grant"),
        refusal("token-invalid-client", at: .token, AnswerKind.allTokens, "invalid_client"),
        refusal("token-endpoint-error", at: .token, AnswerKind.allTokens, "invalid_request"),
        Fault(
            "provider-server-error:token",
            "The token endpoint answers 500.",
            of: AnswerKind.allTokens,
            .answer { answer, context in
                if context.role == .token { answer.becomePage(500, "Internal server error") }
            }
        ),
        Fault(
            "provider-server-error:par",
            "The endpoint for pushed requests answers 500.",
            of: [.pushedRequest],
            .answer { answer, context in
                if context.role == .pushedRequest { answer.becomePage(500, "Internal server error") }
            }
        ),
    ]

    private static func refusal(
        _ id: String,
        at role: Endpoints.Role,
        _ kinds: Set<AnswerKind>,
        _ error: String
    ) -> Fault {
        Fault(
            id,
            "The \(role.rawValue) refuses every request: \(error).",
            of: kinds,
            .answer { answer, context in
                guard context.role == role else { return }
                answer.fail(error == "invalid_client" ? 401 : 400, error, "the request cannot be served")
            }
        )
    }
}
