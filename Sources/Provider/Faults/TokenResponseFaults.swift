import Captures
import JSON
import OAuth

/// Token responses that are not as they should be (RFC 6749, section 5.1; OpenID Connect Core, section 3.1.3.3).
enum TokenResponseFaults {
    static let list: [Fault] = [
        Fault(
            "pkce-not-enforced",
            "A code is exchanged although the code_verifier is wrong or missing.",
            of: [.tokenResponse],
            needs: .init("wrong or missing code_verifier"),
            .omission(.proofKey)
        ),
        members(
            "id-token-missing",
            "The token response has no ID token.",
            needs: .init("ID token from the token endpoint")
        ) { $0.set("id_token", nil) },
        whole("token-response-not-json:html", "A page stands where the token response should be.") {
            $0.becomePage(200, "Welcome")
        },
        whole("token-response-not-json:form", "The token response is a form.") { answer in
            guard case .tokens(let members, _) = answer.content else { return }
            answer.content = .tokens(members, isForm: true)
        },
        Fault(
            "token-response-not-json:truncated",
            "The token response ends in the middle.",
            of: AnswerKind.firstTokens,
            .response { response, context in
                if context.isFirstExchange, response.status == 200 { response.truncateBody() }
            }
        ),
        whole("token-error-with-200", "The token endpoint tells of an error with status 200.") {
            $0.fail(200, "invalid_request", "the request cannot be served")
        },
        members("token-type-invalid", "The token response has a token_type that nobody knows.") {
            $0.set("token_type", "unheard-of")
        },
        members("token-type-invalid:missing", "The token response has no token_type.") {
            $0.set("token_type", nil)
        },
        members("expires-in-not-number", "The token response's expires_in is a text.") {
            $0.set("expires_in", "300")
        },
        whole(
            "token-response-cacheable",
            "The token response may be kept by caches.",
            needs: .init("token response that forbids caching")
        ) { answer in
            answer.headers.fields.removeAll { ["cache-control", "pragma"].contains($0.name.lowercased()) }
        },
        members(
            "scope-reduced",
            "The token response grants openid and nothing else; of a login without openid, one scope.",
            needs: .init("more than one scope"),
            reduceScope
        ),
        members(
            "refresh-token-missing",
            "The token response has no refresh token.",
            needs: .init("refresh token")
        ) { $0.set("refresh_token", nil) },
    ]

    /// Leaves `openid` of what is granted, or the first where that was not asked for: nobody is granted what he did not ask for.
    private static func reduceScope(_ members: inout [BuiltAnswer.Member]) {
        guard case .json(.string(let text))? = members.first(where: { $0.name == "scope" })?.value else {
            // Where all is granted, none need be named (RFC 6749, section 5.1).
            if members.contains(where: { $0.name == "id_token" }) { members.set("scope", "openid") }
            return
        }
        let granted = text.spaceDelimited
        members.set("scope", .string(granted.contains("openid") ? "openid" : granted.first ?? text))
    }

    private static func whole(
        _ id: String,
        _ summary: String,
        needs need: Fault.Need? = nil,
        _ change: @escaping @Sendable (inout BuiltAnswer) -> Void
    ) -> Fault {
        Fault(
            id,
            summary,
            of: AnswerKind.firstTokens,
            needs: need,
            .answer { answer, context in
                guard context.isFirstExchange, case .tokens = answer.content else { return }
                change(&answer)
            }
        )
    }

    private static func members(
        _ id: String,
        _ summary: String,
        needs need: Fault.Need? = nil,
        _ change: @escaping @Sendable (inout [BuiltAnswer.Member]) -> Void
    ) -> Fault {
        whole(id, summary, needs: need) { $0.alterMembers(change) }
    }
}
