import Captures
import Flows
import JOSE
import JSON
import OAuth

/// The authorization endpoints of Singapore's national sign-in, which differ in what they want.
enum SingpassEndpoint {
    /// A login with Singpass itself.
    case singpass
    /// Its stand-in for tests, mockpass, wherever that runs.
    case mockpass
    /// The register of personal data, which has a sign-in with Singpass inside.
    case myinfo

    /// Nil for other endpoints.
    init?(_ endpoint: RecordedURL) {
        let host = endpoint.host ?? ""
        let path = endpoint.path
        if host == "api.myinfo.gov.sg" || host.hasSuffix(".api.myinfo.gov.sg")
            || path.hasSuffix("/com/v4/authorize")
            || path.hasPrefix("/myinfo/v")
        {
            self = .myinfo
        } else if host == "id.singpass.gov.sg" || host.hasSuffix("-id.singpass.gov.sg") {
            self = .singpass
        } else if path.hasPrefix("/singpass/v2/") || path.hasPrefix("/singpass/v3/fapi/") {
            self = .mockpass
        } else {
            return nil
        }
    }
}

extension Flow {
    /// Logins at these endpoints, with what each of them is.
    var singpassAttempts: [(attempt: LoginAttempt, endpoint: SingpassEndpoint)] {
        loginAttempts.compactMap { attempt in
            // A pushed request that was refused has no other behind it.
            guard let asked = attempt.request?.endpoint ?? attempt.pushed?.endpoint,
                let endpoint = SingpassEndpoint(asked)
            else { return nil }
            return (attempt, endpoint)
        }
    }
}

/// References to what Singpass publishes for its relying parties.
enum SingpassGuide {
    static let authorization = SpecificationReference(text: "Singpass authorization endpoint", url: nil)
    static let mobile = SpecificationReference(text: "Singpass mobile guidance", url: nil)
    static let myinfo = SpecificationReference(text: "MyInfo v4 specification", url: nil)
}
