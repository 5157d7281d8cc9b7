import Captures
import JSON

/// Word to a client that its user has decided elsewhere, and that it may ask for its tokens (OpenID Connect CIBA, section 10.2).
struct BackchannelPing {
    var endpoint: String
    /// The client's own, by which it knows who sends.
    var notificationToken: String
    /// `auth_req_id`.
    var requestID: String
}

extension ProviderNotice {
    init(_ ping: BackchannelPing) {
        let text = JSONWriter.text(of: ["auth_req_id": .string(ping.requestID)])
        let body = Body(text: text, mediaType: "application/json")
        self.init(backchannel: body, to: ping.endpoint, with: ping.notificationToken)
    }
}
