import Captures
import JSON

/// How a client gets the tokens of a user who agreed elsewhere (OpenID Connect CIBA, section 5).
enum BackchannelDelivery: String {
    case poll
    /// It is told that the tokens are there (section 10.2).
    case ping
    /// It is sent the tokens (section 10.3).
    case push

    /// The member of a client's metadata that says where it is told (section 4).
    static let endpointName = "backchannel_client_notification_endpoint"

    /// What a client's metadata ask for, where that can be done: at an address of this machine.
    init(_ members: JSONObject) {
        guard let mode = members["backchannel_token_delivery_mode"]?.string.flatMap(Self.init(rawValue:)),
            let endpoint = members[Self.endpointName]?.string, RecordedURL(endpoint).isOfServerOfThisMachine
        else {
            self = .poll
            return
        }
        self = mode
    }
}
