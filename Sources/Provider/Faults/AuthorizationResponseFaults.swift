import Captures
import JOSE
import JSON
import OAuth

/// What goes wrong on the way back to the redirect URI (RFC 6749, section 4.1.2; RFC 9207; JARM, section 2.4).
enum AuthorizationResponseFaults {
    static let list: [Fault] =
        refusals + parameters + places + envelopes
        + [codeMissing, codeInjection, serverError, refused]

    private static func fault(
        _ id: String,
        _ summary: String,
        needs need: Fault.Need? = nil,
        mustBeRejected: Bool = false,
        _ change: @escaping @Sendable (inout BuiltAnswer.Authorization) -> Void
    ) -> Fault {
        Fault(
            id,
            summary,
            of: [.authorizationResponse],
            needs: need,
            mustBeRejected: mustBeRejected,
            .answer { answer, _ in
                guard case .authorization(var response) = answer.content else { return }
                change(&response)
                answer.content = .authorization(response)
            }
        )
    }

    /// Nothing of what was granted, but an error (RFC 6749, section 4.1.2.1).
    private static func refuse(
        _ response: inout BuiltAnswer.Authorization,
        _ error: String,
        _ description: String
    ) {
        let kept = response.parameters.filter { ["state", "iss"].contains($0.name) }
        response.parameters =
            [.init("error", text: error), .init("error_description", text: description)] + kept
        response.page = nil
    }

    private static let refusals = [
        fault("user-cancelled", "The answer says that the user declined.") {
            refuse(&$0, "access_denied", "the user cancelled")
        },
        fault("access-denied-by-policy", "The answer says that the user may not use this client.") {
            refuse(&$0, "access_denied", "User is not assigned to the client application.")
        },
    ]

    private static let parameters = [
        fault(
            "state-mismatch",
            "The answer has the state of another login.",
            needs: .parameter("state"),
            mustBeRejected: true
        ) { $0.parameters.set("state", "state-of-another-login") },
        fault("state-missing-in-response", "The answer has no state.", needs: .parameter("state")) {
            $0.parameters.set("state", nil)
        },
        fault(
            "issuer-param-mismatch",
            "The answer says that it is of another issuer (a mix-up).",
            mustBeRejected: true
        ) { $0.parameters.set("iss", .string(IDTokenFaults.otherIssuer)) },
        Fault(
            "issuer-param-missing",
            "The metadata announce iss in answers, and the answer has none.",
            of: [.metadata, .authorizationResponse],
            .answer { answer, context in
                if context.isMetadata {
                    answer.alterObject { $0["authorization_response_iss_parameter_supported"] = true }
                }
                answer.alterParameters { $0.set("iss", nil) }
            }
        ),
    ]

    private static let places = [
        Fault(
            "response-mode-differs",
            "The answer comes in the fragment where the query was asked for, and the other way round.",
            of: [.authorizationResponse],
            .answer { answer, _ in
                guard case .authorization(var response) = answer.content else { return }
                response.mode = response.mode == .query ? .fragment : .query
                answer.content = .authorization(response)
                answer.status = 302
            }
        ),
        fault("redirect-target-differs", "The answer goes to another path than the redirect URI's.") {
            let end = $0.target.firstIndex(of: "?") ?? $0.target.endIndex
            $0.target.insert(contentsOf: "/other", at: end)
        },
        fault(
            "loopback-port-mismatch",
            "The answer goes to another port of this machine than the app listens on.",
            needs: .loopbackRedirect
        ) { response in
            let url = RecordedURL(response.target)
            guard let scheme = url.scheme, let host = url.host, let authority = url.authority,
                LoopbackHost.isLoopback(host)
            else { return }
            let port = url.explicitPort.map { $0 == 65535 ? $0 - 1 : $0 + 1 } ?? 1
            let rest = response.target.dropFirst(scheme.count + 3 + authority.count)
            response.target = "\(scheme)://\(host):\(port)\(rest)"
        },
    ]

    private static func envelope(
        _ variant: String,
        _ summary: String,
        _ change: @escaping @Sendable (inout UnsignedToken, FaultContext) -> Void
    ) -> Fault {
        Fault(
            "jarm-invalid:\(variant)",
            summary,
            of: [.authorizationResponse],
            needs: .signedResponse,
            mustBeRejected: true,
            .answer { answer, context in
                guard case .authorization(var response) = answer.content, var token = response.envelope
                else { return }
                // The token names its issuer itself (JARM, section 2.1).
                response.parameters.set("iss", nil)
                change(&token, context)
                response.envelope = token
                answer.content = .authorization(response)
            }
        )
    }

    private static let envelopes = [
        envelope("iss", "The signed answer (JARM) is of another issuer.") { token, _ in
            token.claims["iss"] = .string(IDTokenFaults.otherIssuer)
        },
        envelope("aud", "The signed answer (JARM) is for another client.") { token, _ in
            token.claims["aud"] = .string(IDTokenFaults.otherClient)
        },
        envelope("exp", "The signed answer (JARM) ran out an hour ago.") { token, context in
            token.claims["exp"] = JSONValue(context.now.seconds - 3600)
        },
        envelope("alg-none", "The signed answer (JARM) is not signed.") { token, _ in
            token.algorithm = nil
            token.key = nil
            token.header["kid"] = nil
        },
        envelope("signature", "The signed answer (JARM) has a signature that is not of its content.") {
            token,
            _ in
            token.tampering = JSONWebToken.withBrokenSignature
        },
    ]

    private static let codeMissing = fault(
        "code-missing",
        "The answer has neither a code nor an error."
    ) { $0.parameters.set("code", nil) }

    /// What somebody else does who has got hold of a code, and not of the browser (RFC 9700, section 4.5).
    ///
    /// The other login is of the same user, so that nothing but what binds a code to its login can tell the two apart: its challenge,
    /// which the provider compares with the verifier, and its nonce, which the client does.
    private static let codeInjection = Fault(
        "code-injection",
        "The code is the one of another login, with a challenge and a nonce of its own.",
        of: [.authorizationResponse],
        needs: Fault.Need("code that comes neither signed nor beside an ID token") { answer in
            guard case .authorization(let response) = answer.content else { return false }
            return response.envelope == nil
                && !response.parameters.contains { $0.name == "id_token" || $0.name == "error" }
        },
        mustBeRejected: true,
        hasRule: false,
        .answer { answer, _ in
            guard case .authorization(var response) = answer.content,
                let index = response.parameters.firstIndex(where: { $0.name == "code" }),
                case .code(var code) = response.parameters[index].memory
            else { return }
            code.grant.family += "-other"
            if code.grant.nonce != nil { code.grant.nonce = "nonce-of-another-login" }
            if !(code.grant.challenge ?? "").isEmpty {
                code.grant.challenge = CodeChallenge.s256(of: String(repeating: "another-login-", count: 4))
                code.grant.challengeMethod = "S256"
            }
            response.parameters[index].memory = .code(code)
            answer.content = .authorization(response)
        }
    )

    private static let serverError = Fault(
        "provider-server-error",
        "The authorization endpoint answers 500.",
        of: [.authorizationResponse],
        .answer { answer, _ in
            guard case .authorization = answer.content else { return }
            answer.becomePage(500, "Internal server error")
        }
    )

    private static let refused = fault(
        "authorization-error",
        "The answer is an error that names no reason: invalid_request."
    ) { refuse(&$0, "invalid_request", "the request cannot be served") }
}

extension Fault.Need {
    /// Of an authorization response, which has it where the request had.
    fileprivate static func parameter(_ name: String) -> Fault.Need {
        Fault.Need("\(name) in the authorization request") { answer in
            guard case .authorization(let response) = answer.content else { return false }
            return response.parameters.contains { $0.name == name }
        }
    }

    fileprivate static let loopbackRedirect = Fault.Need("redirect URI on this machine")

    fileprivate static let signedResponse = Fault.Need("signed authorization responses (JARM)") { answer in
        guard case .authorization(let response) = answer.content else { return false }
        return response.envelope != nil
    }
}
