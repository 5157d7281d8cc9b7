import Captures
import OAuth

/// How calls are refused whose token does not count (RFC 6750, section 3; RFC 9449, section 7.1): with a challenge that names the scheme
/// and what is wrong.
///
/// Every resource refuses as userinfo does.
extension RefusalDialect {
    var missingToken: BuiltAnswer {
        answer(refusing: .tokenMissing, at: .userInfo, headers: [("WWW-Authenticate", "Bearer")], nil)
    }

    /// RFC 6750, sections 2 and 3.1: a token is sent in one way.
    var doubledToken: BuiltAnswer {
        let challenge = "error=\"invalid_request\", error_description=\"the access token is sent twice\""
        let headers = [("WWW-Authenticate", "Bearer \(challenge)")]
        return answer(refusing: .tokenDoubled, at: .userInfo, headers: headers, nil)
    }

    /// `explanation`: for whoever runs the provider.
    func invalidToken(scheme: String = "Bearer", _ explanation: String) -> BuiltAnswer {
        let challenge = "error=\"invalid_token\", error_description=\"the access token is not valid\""
        let headers = [("WWW-Authenticate", "\(scheme) \(challenge)")]
        return answer(refusing: .tokenInvalid, at: .userInfo, headers: headers, explanation)
    }

    /// OpenID Connect Core, section 5.3: an access token of another login than one of OpenID Connect is not for userinfo (RFC 6750,
    /// section 3.1).
    func tokenOutsideOpenID(_ grant: ProviderState.Grant) -> BuiltAnswer {
        let scheme = grant.boundKey == nil ? "Bearer" : "DPoP"
        let words = "error_description=\"the access token is not for openid\""
        return answer(
            refusing: .scopeInsufficient,
            at: .userInfo,
            headers: [
                ("WWW-Authenticate", "\(scheme) error=\"insufficient_scope\", \(words), scope=\"openid\"")
            ],
            "the access token is for \(grant.scope.isEmpty ? "no scope" : grant.scope), and userinfo is for openid"
        )
    }

    /// `isForToken`: whether the proof came with an access token: a resource says so in its challenge, unless it was seen to say it
    /// otherwise.
    func invalidProof(at role: Endpoints.Role, isForToken: Bool, _ explanation: String) -> BuiltAnswer {
        guard isForToken, !hasSeen(.proofInvalid, at: role) else {
            return answer(refusing: .proofInvalid, at: role, explanation)
        }
        let words = "error_description=\"the DPoP proof is not valid\""
        let headers = [("WWW-Authenticate", "DPoP error=\"invalid_dpop_proof\", \(words)")]
        var refused = answer(refusing: .proofInvalid, at: role, headers: headers, explanation)
        refused.status = 401
        return refused
    }
}
