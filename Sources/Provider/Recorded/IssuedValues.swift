import Captures
import Flows
import JOSE
import OAuth

/// What the answers of a capture gave out; it is the same for all its flows, and found out once.
struct IssuedValues: Sendable {
    /// Codes and tokens.
    private(set) var tokens: Set<String> = []
    /// Values of cookies.
    let cookies: Set<String>

    /// Those of a capture.
    static func of(_ index: CaptureIndex) -> IssuedValues { index.derived.value { IssuedValues(index) } }

    private init(_ index: CaptureIndex) {
        let capture = index.capture
        cookies = Set(capture.indices.flatMap { capture[$0].response?.setCookies.map(\.value) ?? [] })
        for response in index.responses where response.deliveredBy != nil {
            take(response.parameters)
            // Inside a token (JARM).
            let claims = response.parameters["response"].flatMap { JSONWebToken.parse($0) }?.claims
            if let claims { take(Parameters(claims, of: response.exchange, in: .jwtClaims)) }
        }
        for request in index.tokenRequests {
            var parameters = request.answer.parameters
            // What comes back as it was sent, was given out before.
            parameters.items.removeAll { $0.value == request.refreshToken }
            take(parameters)
        }
        for message in index.messages.values {
            switch message {
            case .deviceAuthorization(let call), .backchannelAuthentication(let call):
                take(call.answer.parameters)
            default: break
            }
        }
    }

    private static let names = ["code", "access_token", "refresh_token", "device_code", "auth_req_id"]

    private mutating func take(_ parameters: Parameters) {
        for name in Self.names { if let value = parameters[name] { tokens.insert(value) } }
    }
}
