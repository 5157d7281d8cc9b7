import Captures
import OAuth

extension AuthorizationRequest {
    /// Whether all of its parameters are in the capture: what was pushed, and a request object that can be
    /// read.
    var isKnownInFull: Bool {
        if parameters.contains("request_uri"), pushed == nil { return false }
        // Its claims are merged in where they can be read; `response_type` has to be among them.
        return !parameters.contains("request")
            || parameters.items.contains { $0.place.part == .jwtClaims }
    }
}
