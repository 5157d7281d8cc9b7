import Captures
import OAuth
import Testing

struct ErrorResponseTests {
    /// A general name, and words that say of the grant that it is not good; other words leave the name as it is.
    @Test(arguments: [
        ("invalid_request", "Invalid authorization code zc1", true),
        ("invalid_request", "The authorization code could not be found or was expired", true),
        (
            "invalid_request",
            "appid/redirect uri/code verifier does not match authorization code. Or authorization code expired.",
            true
        ),
        ("invalid_request", "Value passed for the token was invalid.", true),
        ("unauthorized_client", "refresh_token is invalid", true),
        ("OAuthException", "This authorization code has expired.", true),
        ("INVALID_AUTHORIZATION_CODE", "No.", true), ("token_inactive", "Token is inactive", true),
        ("OAuthException", "Error validating client secret.", false),
        ("invalid_request", "The authorization code is missing", false),
        ("invalid_request", "authorization_code_verifier is invalid", false),
        ("unauthorized_client", "The authorization code grant is not valid for this client", false),
        ("unauthorized_client", "grant type 'authorization_code' is invalid for this client", false),
        ("server_error", "The authorization code has expired", false),
        ("invalid_request", "For an authorization code the redirect_uri is invalid", false),
        ("invalid_request", "The authorization code request has a redirect_uri that is not valid", false),
        ("invalid_request", "For this authorization code the code_verifier is invalid", false),
        ("unauthorized_client", "Authorization code exchange: the client secret has expired", false),
        ("invalid_request", "Refresh token not found in the request", false),
        ("invalid_request", "Refresh token not found in the database", true),
        ("invalid_request", "Expired authorization code of another client", true),
        ("Code is invalid either because it expired, or it doesn't match any user.", "", true),
        ("Grant type is not included in the list", "authorization code is invalid", false),
    ])
    func standardNameOfARefusedGrant(error: String, words: String, isGrants: Bool) {
        let place = Place(exchange: 0, part: .responseBody, name: "error")
        let response = ErrorResponse(error: error, description: words, place: place)
        #expect(response.standardName == (isGrants ? "invalid_grant" : error))
    }

    /// WeChat's numbers and login.gov's sentences; the same numbers under another name are somebody else's.
    @Test(arguments: [
        ("errcode", "40029", "invalid_grant"), ("errcode", "40163", "invalid_grant"),
        ("errcode", "42002", "invalid_grant"), ("errcode", "40125", "invalid_client"),
        ("errcode", "40013", "invalid_client"), ("errcode", "40003", "40003"), ("code", "40029", "40029"),
        ("error", "Client assertion Signature has expired", "invalid_client"),
        ("error", "Client assertions are not supported", "Client assertions are not supported"),
    ])
    func standardNameOfWhatHasNone(member: String, error: String, name: String) {
        let place = Place(exchange: 0, part: .responseBody, name: member)
        #expect(ErrorResponse(error: error, place: place).standardName == name)
    }
}
