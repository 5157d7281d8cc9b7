/// Something in a capture that must not be in what is shared.
package struct Secret: Sendable, Hashable {
    /// What it is, in the words of the report.
    package enum Kind: String, Sendable, Hashable, CaseIterable, Comparable {
        case authorizationCode = "authorization code"
        case accessToken = "access token"
        case refreshToken = "refresh token"
        case idToken = "ID token"
        case token = "token"
        case codeVerifier = "code verifier"
        case codeChallenge = "code challenge"
        case clientSecret = "client secret"
        case assertion = "assertion"
        case proof = "DPoP proof"
        case deviceCode = "device code"
        case userCode = "user code"
        case requestURI = "request_uri"
        case state = "state"
        case nonce = "nonce"
        case sessionState = "session state"
        case password = "password"
        case oneTimeCode = "one-time code"
        case cookie = "cookie"
        case credentials = "credentials"
        case apiKey = "API key"
        case saml = "SAML message"
        case privateKey = "private key"
        case formToken = "hidden form field"
        case claim = "claim"
        case subject = "subject"
        case personal = "personal data"
        case email = "e-mail address"
        case phone = "phone number"
        case address = "IP address"
        case unexplained = "unexplained random text"
        case asked = "asked for"

        package static func < (one: Kind, other: Kind) -> Bool { one.rawValue < other.rawValue }
    }

    package var kind: Kind
    /// Decoded: without percent-encoding, escapes or base64 around it.
    package var text: String

    package init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}

extension Secret.Kind {
    /// May be said of a value that everybody may know.
    var isWeak: Bool { isPersonal || [.claim, .cookie, .unexplained].contains(self) }

    /// Made up by a person, and secret as a whole whatever it looks like.
    var isChosen: Bool { [.password, .clientSecret, .oneTimeCode].contains(self) }

    /// Says who somebody is, and opens nothing.
    var isPersonal: Bool {
        switch self {
        case .subject, .personal, .email, .phone, .address: true
        default: false
        }
    }
}
