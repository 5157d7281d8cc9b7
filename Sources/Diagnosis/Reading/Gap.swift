/// What several rules miss in a capture, in the words with which they abstain.
enum Gap {
    static let idTokenClaims = "the ID token is encrypted or unreadable"
    static let authorizationRequest = "the authorization request is not in the capture"
    static let beginning = "the capture begins after the authorization request"
    static let tokenRequestBody = "a token request was saved without its body"
    static let registrationBody = "a registration was saved without its body"
    static let tokenResponse = "the token response was not saved"
    static let errorPage = "the text of the provider's error page was not saved"
    static let metadata = "the provider's metadata is not in the capture"
    static let clientID = "the client_id is not in the capture"
    static let strippedCookies = "cookies were stripped from this capture"
    static let strippedCredentials = "credentials were stripped from this capture"
    static let noCookies = "no request of this capture has a cookie: they may not have been recorded"
    static let challengeMethod = "the challenge method is neither S256 nor plain"
}
