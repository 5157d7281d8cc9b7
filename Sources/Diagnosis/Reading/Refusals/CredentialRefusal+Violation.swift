import Captures
import Flows
import OAuth

/// A wallet's request for a credential that the issuer refused (OpenID for Verifiable Credential Issuance 1.0, section 8.3.1).
extension CredentialRefusal {
    /// Nil where the last call with a token of the flow's was not such a request, or not refused by one of the names that there are for it.
    static func violation(in flow: Flow) -> Violation? {
        guard let call = BearerCall.all(in: flow).last, !call.isUserInfo, call.grant != nil,
            isOne(call.call.answer, in: flow.capture),
            let reason = Reason(call.call.answer.error?.error ?? "")
        else { return nil }
        return Violation(
            [call.call.answer.evidence(), call.address, Evidence(call.token)],
            severity: .error,
            explanation: reason.explanation,
            fix: reason.fix,
            title: "The issuer refused the request for the credential",
            exchange: call.call.exchange
        )
    }

    private enum Reason {
        case proof
        case request
        case denied

        init?(_ error: String) {
            switch error {
            case "invalid_proof", "invalid_or_missing_proof", "invalid_nonce": self = .proof
            case "invalid_credential_request", "unknown_credential_configuration",
                "unknown_credential_identifier", "unsupported_credential_type",
                "unsupported_credential_format", "invalid_encryption_parameters":
                self = .request
            case "credential_request_denied": self = .denied
            default: return nil
            }
        }

        var explanation: String {
            switch self {
            case .proof:
                """
                The wallet has to show that it holds the key that the credential is to be bound to, by a token of its own that names the \
                issuer (aud) and the nonce that the issuer gave out last (c_nonce). The issuer did not take that proof: the access token \
                is good.
                """
            case .request:
                """
                The access token is good, but the issuer does not know what the wallet asks for with it, or cannot read how it asks.
                """
            case .denied:
                """
                The access token is good, and the issuer does not issue this credential to this user.
                """
            }
        }

        var fix: String {
            switch self {
            case .proof:
                """
                Fetch a c_nonce at the nonce_endpoint right before each request, or take the one of the refusal, and sign the proof anew: \
                aud the issuer's identifier, iat the time of that, typ openid4vci-proof+jwt. One nonce is good for one request.
                """
            case .request:
                """
                Compare what is asked for (credential_configuration_id, credential_identifier) with credential_configurations_supported in \
                the issuer's metadata and with authorization_details of the token response, and the request's members with the version of \
                the specification that the issuer follows.
                """
            case .denied:
                """
                Read what the issuer says of it; its log has the rest. To repeat the request changes nothing.
                """
            }
        }
    }
}
