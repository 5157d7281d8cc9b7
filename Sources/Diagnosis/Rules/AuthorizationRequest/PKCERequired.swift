import Captures
import Flows
import OAuth

/// The provider insists on PKCE for this client, and the request has no code challenge.
///
/// RFC 7636, section 4.4.1, has it say so with `invalid_request`. RFC 9700, section 2.1.1, wants PKCE from every
/// public client.
struct PKCERequired: Rule {
    static let info = RuleInfo(
        id: "pkce-required",
        title: "This client must use PKCE and the request has no code challenge",
        severity: .error,
        explanation: """
            The provider takes code requests of this client only with a code_challenge. The request has none, and the provider's answer \
            says that this is why it refused.
            """,
        fix: """
            Make a verifier for every login and send its S256 challenge. Libraries do it by themselves unless they were told not to, \
            by an empty verifier or a switch.
            """,
        badExample: """
            GET /authorize?response_type=code&client_id=shop&…
            302 Found, Location: https://app.example/callback?error=invalid_request&error_description=PKCE+is+required
            """,
        goodExample: """
            GET /authorize?response_type=code&client_id=shop&…&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256
            302 Found, Location: https://app.example/callback?code=…
            """,
        specifications: [.rfc(7636, "4.4.1"), .rfc(9700, "2.1.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        Verdict.first(of: flow.loginAttempts) { attempt in
            guard attempt.asksForCode, attempt["code_challenge"] == nil else { return .holds }
            if let refusal = attempt.refusal, refusal.isOfTheRequest || refusal.says(Self.demands) {
                guard refusal.says(Self.texts) || isLastReason(refusal, attempt, flow) else {
                    return refusal.isTextRecorded
                        ? .holds : .abstains(Gap.errorPage)
                }
                if let reason = attempt.hiddenParameters { return .abstains(reason) }
                let note =
                    refusal.says(Self.texts)
                    ? nil : "no reason given; nothing else is missing, and the provider offers PKCE"
                return violation(attempt, refusal.evidence(around: Self.texts, note: note))
            }
            // Entra and Authlib find it out at the token endpoint only, where Authlib misses the verifier.
            let refused = attempt.tokenRequests.first { request in
                request.answer.isRefusal && request.codeVerifier == nil
                    && (Self.texts.contains(where: request.answer.errorText.containsBytes)
                        || StatedGrantFault(request) == .verifierMissing)
            }
            guard let refused, attempt.hiddenParameters == nil else { return .holds }
            return violation(attempt, refused.answer.evidence())
        }
    }

    /// Whether a bare `invalid_request` can mean nothing but the missing challenge (RFC 7636, section 4.4.1).
    ///
    /// It came back to the redirect URI, so client and redirect URI are known; every other parameter is there, none that
    /// a provider could dislike; and the provider's metadata speak of PKCE.
    private func isLastReason(_ refusal: RequestRefusal, _ attempt: LoginAttempt, _ flow: Flow) -> Bool {
        guard refusal.channel == .delivered, refusal.error == "invalid_request",
            (attempt.response?.error?.description ?? "").isEmpty,
            attempt.response?.parameters["error_uri"] == nil, attempt.hiddenParameters == nil,
            let metadata = flow.metadata(of: attempt),
            !(metadata.list("code_challenge_methods_supported") ?? []).isEmpty,
            // Then that is the reason.
            RequiredPush(of: attempt, in: flow) == nil
        else { return false }
        let names = attempt.parameters.items.map(\.name)
        return Set(names).count == names.count && Set(names).isDisjoint(with: Self.disputable)
            && ["response_type", "client_id", "redirect_uri", "scope", "state", "nonce"].allSatisfy {
                attempt[$0] != nil
            }
    }

    /// Parameters whose values have rules of their own, any of which may have been broken.
    private static let disputable: Set<String> = [
        "acr_values", "authorization_details", "claims", "code_challenge_method", "display", "dpop_jkt",
        "id_token_hint", "login_hint", "max_age", "prompt", "registration", "request", "request_uri",
        "resource",
        "response_mode",
    ]

    private func violation(_ attempt: LoginAttempt, _ answer: Evidence) -> Verdict {
        .violated(
            Violation(
                [attempt.missing("code_challenge", note: "sent: \(attempt.names().value)"), answer],
                exchange: attempt.exchange
            )
        )
    }

    /// That it is wanted, whatever the error is called (Okta: access_denied).
    private static let demands = [
        "code challenge is required", "code_challenge is required", "pkce is required",
    ]

    /// What a refusal for want of PKCE talks of, in lower case.
    private static let texts = [
        "pkce", "code_challenge", "code challenge required", "code challenge is required",
        // Salesforce.
        "missing required code challenge",
        "proof key for code exchange", "aadsts501471", "aadsts9002325",
    ]
}
