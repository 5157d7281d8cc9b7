package import Captures

/// Where a secret stands, by the name of the place: for those who show captures on a screen.
package enum SecretPlaces {
    /// Whether what stands under a name in a part of an exchange is secret, or says who somebody is.
    package static func isSecret(_ name: String, in part: Place.Part) -> Bool {
        switch SecretRoles.role(of: name, in: container(part)) {
        case .secret, .drawn: true
        case .open, .parts, .unknown: false
        }
    }

    private static func container(_ part: Place.Part) -> TextKind {
        switch part {
        case .requestQuery, .responseLocation, .requestURL: .url
        case .requestBody: .form
        case .requestCookie: .cookies
        case .jwtClaims: .claims
        case .responseBody, .jwtHeader: .json
        case .requestHeader, .responseHeader, .responseStatus, .timing, .tls: .text
        }
    }
}
