import Captures
import Flows
import OAuth

/// The code that a login asked for, where nobody was seen to bring one to a token endpoint.
struct AwaitedCode {
    var request: AuthorizationRequest
    /// Where it was to be sent.
    var redirectURI: Parameter

    /// Nil where the login asked for none, or somebody had one.
    init?(of attempt: LoginAttempt, in flow: Flow) {
        guard let request = attempt.request, attempt.asksForCode,
            let redirectURI = attempt.parameter("redirect_uri"),
            flow.tokenRequests.allSatisfy(RefusedGrant.isCodeless)
        else { return nil }
        self.request = request
        self.redirectURI = redirectURI
    }

    var address: RecordedURL { RecordedURL(redirectURI.value) }

    /// Where app and provider share an address, what is sent to it is no answer yet.
    var isForAppAlone: Bool {
        let origin = address.origin
        return origin == nil || origin != request.endpoint.origin
    }
}
