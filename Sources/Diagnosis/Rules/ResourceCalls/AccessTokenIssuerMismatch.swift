import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The API trusts another issuer than the one that made the access token.
///
/// Decided where the API says so, or where its metadata (RFC 9728) lists its authorization servers and the token's
/// `iss` is none of them. Keycloak's UserInfo says no more than that the verification failed: there the two addresses tell.
struct AccessTokenIssuerMismatch: Rule {
    static let info = RuleInfo(
        id: "access-token-issuer-mismatch",
        title: "The API expects tokens of another issuer",
        severity: .error,
        explanation: """
            The API refused the access token for its issuer: the iss claim is not the one that the API is set to trust, character by character.
            """,
        fix: """
            Give the API the issuer that the tokens carry. Entra issues version 1 tokens (sts.windows.net) for an API whose manifest does not ask for \
            version 2. Where browser and API reach the provider under two names, set its public address.
            """,
        badExample: """
            access token claims {"iss":"http://keycloak:8080/realms/shop", …}
            GET /orders → 401, error_description="The issuer is invalid"
            """,
        goodExample: """
            access token claims {"iss":"https://id.shop.example/realms/shop", …}
            GET /orders → 200
            """,
        specifications: [.rfc(9068, "4"), .rfc(7519, "4.1.1")]
    )

    func verdict(on flow: Flow) -> Verdict {
        for (call, refusal) in BearerCall.refused(in: flow) {
            guard call.isWithAccessToken, let token = call.claimsToken, let issuer = token.issuer else {
                continue
            }
            let isNamed = refusal.reasons.contains(.issuer)
            let list = refusal.reasons.subtracting([.shape]).isEmpty ? unlisting(issuer, call, flow) : nil
            if !isNamed, list == nil, isUnderAnotherName(issuer, call, refusal, flow) {
                return .violated(
                    Violation(
                        [
                            call.evidence(ofClaim: "iss", issuer, note: "where the token was issued"),
                            call.address, refusal.evidence,
                        ],
                        explanation: Self.underAnotherName,
                        fix: Self.underAnotherNameFix,
                        title: "UserInfo was called under another name than the token was issued under",
                        exchange: call.call.exchange
                    )
                )
            }
            guard isNamed || list != nil && !SpentTokens.contain(call, in: flow) else { continue }
            var evidence = [call.evidence(ofClaim: "iss", issuer)]
            if let version = token.claim("ver") {
                evidence.append(call.evidence(ofClaim: "ver", version.string ?? JSONWriter.text(of: version)))
            }
            if let list { evidence.append(list) }
            evidence += [call.address, refusal.evidence]
            return .violated(Violation(evidence, exchange: call.call.exchange))
        }
        return .holds
    }

    private static let underAnotherName = """
        Keycloak takes the address that it is called at for its own, unless one is set, and refuses tokens of another. The token was \
        issued where the browser signed in (its iss), and the app's server called UserInfo of the same realm at another address. \
        Keycloak says no more of it than that the verification failed.
        """
    private static let underAnotherNameFix = """
        Set Keycloak's public address (KC_HOSTNAME as a URL) and let servers call it by an inner one \
        (KC_HOSTNAME_BACKCHANNEL_DYNAMIC=true): tokens then have one issuer wherever they come from. Or have the app's server use the \
        name that the browser uses.
        """

    /// Whether Keycloak's UserInfo could not verify a token of its own realm, and was not called at the address that issued it.
    private func isUnderAnotherName(
        _ issuer: String,
        _ call: BearerCall,
        _ refusal: BearerRefusal,
        _ flow: Flow
    ) -> Bool {
        let own = RecordedURL(issuer)
        guard flow.provider == .keycloak, call.isUserInfo, refusal.reasons.isEmpty, own.isWeb,
            let called = flow.capture[call.call.exchange].askedURL,
            own.origin != called.origin, !call.hasRunOut(in: flow), !isTakenThere(call, flow)
        else { return false }
        let words = ((refusal.header ?? "") + refusal.body).asciiLowercased()
        return words.containsBytes("token verification failed")
            && called.path.equalsBytes(of: own.path + "/protocol/openid-connect/userinfo")
    }

    /// Whether a token was taken at that very address.
    private func isTakenThere(_ call: BearerCall, _ flow: Flow) -> Bool {
        BearerCall.all(in: flow).contains {
            $0.isUserInfo && $0.call.answer.isSuccess
                && $0.call.endpoint.text.equalsBytes(of: call.call.endpoint.text)
        }
    }

    /// The API's list of authorization servers, where the issuer is not on it; nil where there is none.
    private func unlisting(_ issuer: String, _ call: BearerCall, _ flow: Flow) -> Evidence? {
        for document in flow.surroundings.metadata where document.isProtectedResource {
            let resource = document.answer.parameters["resource"].map { RecordedURL($0) }
            guard (resource ?? document.url).origin == call.call.endpoint.origin,
                let servers = document.list("authorization_servers"),
                !servers.isEmpty, !servers.contains(where: { isSame($0, issuer) })
            else { continue }
            return Evidence(
                place: document.answer.place("authorization_servers"),
                value: Masking.shown(servers.prefix(5).joined(separator: ", "), of: "servers"),
                note: "the token's issuer is none of them"
            )
        }
        return nil
    }

    /// Identifiers are often listed with another slash at the end.
    private func isSame(_ left: String, _ right: String) -> Bool {
        left.equalsBytes(of: right) || left.equalsBytes(of: right + "/") || right.equalsBytes(of: left + "/")
    }
}
