import Captures
import OAuth

extension AuthorizationRequest {
    /// Whether all of its parameters are in the capture: what was pushed, and a request object that can be
    /// read.
    var isKnownInFull: Bool {
        // What has no value counts as left out (RFC 6749, section 3.1).
        func has(_ name: String) -> Bool { !(parameters[name] ?? "").isEmpty }
        if has("request_uri"), pushed == nil { return false }
        // Its claims are merged in where they can be read; `response_type` has to be among them.
        return !has("request") || parameters.items.contains { $0.place.part == .jwtClaims }
    }
}
