import Captures
import Flows
import JOSE
import JSON
import OAuth

/// A device authorization with the polls for its tokens (RFC 8628), or what a client asked to be confirmed on a user's own device (OpenID
/// Connect CIBA, sections 7 and 10), by an `auth_req_id` in place of the device code.
struct DeviceGrant {
    /// A number of seconds with the place that states it; without one where it is the default.
    struct Seconds {
        var seconds: Int64
        var parameter: Parameter?
        /// What its number counts.
        var unit = "seconds"
    }

    /// What the user has to confirm; nil where its answer is not recorded.
    var userCode: Parameter?
    /// When the device code arrived; nil where that is not recorded.
    var issuedAt: Timestamp?
    var lifetime: Seconds?
    /// What the answer states, else the default; nil where the answer is not recorded.
    var interval: Seconds?
    /// Polls that were answered, in order of time.
    var polls: [TokenRequest]
    /// Whether the provider tells the client once the user has answered (CIBA, section 10.2); it asks at once then.
    var isNotified = false

    /// By device code, in order of time.
    static func all(in flow: Flow) -> [DeviceGrant] {
        var order: [String] = []
        var grants: [String: DeviceGrant] = [:]
        for message in flow.messages {
            switch message {
            case .deviceAuthorization(let call):
                guard let code = call.answer.parameters["device_code"], grants[code] == nil else { continue }
                order.append(code)
                grants[code] = DeviceGrant(
                    userCode: call.answer.parameters.parameter("user_code"),
                    issuedAt: flow.capture[call.exchange].endedAt,
                    lifetime: seconds("expires_in", call.answer),
                    interval: seconds("interval", call.answer) ?? Seconds(seconds: 5, parameter: nil),
                    polls: []
                )
            case .backchannelAuthentication(let call):
                guard let code = call.answer.parameters["auth_req_id"], grants[code] == nil else { continue }
                order.append(code)
                grants[code] = DeviceGrant(
                    issuedAt: flow.capture[call.exchange].endedAt,
                    lifetime: seconds("expires_in", call.answer),
                    interval: seconds("interval", call.answer) ?? Seconds(seconds: 5, parameter: nil),
                    polls: [],
                    isNotified: call.parameters.contains("client_notification_token")
                )
            case .token(let request):
                guard let code = code(of: request)?.value, request.answer.status != nil,
                    request.answer.error?.error != "use_dpop_nonce"
                else { continue }
                if grants[code] == nil {
                    order.append(code)
                    grants[code] = DeviceGrant(issuedAt: nil, lifetime: nil, interval: nil, polls: [])
                }
                grants[code]?.polls.append(request)
            default: continue
            }
        }
        return order.compactMap { grants[$0] }
    }

    /// What a request asks the tokens with; nil where it is no poll.
    static func code(of request: TokenRequest) -> Parameter? {
        switch request.grantType {
        case GrantType.deviceCode: request.parameters.parameter("device_code")
        case GrantType.ciba: request.parameters.parameter("auth_req_id")
        default: nil
        }
    }

    private static func seconds(_ name: String, _ answer: Answer) -> Seconds? {
        guard let parameter = answer.parameters.parameter(name), let value = Int64(parameter.value),
            (0...(1 << 32)).contains(value)
        else { return nil }
        // Older servers of WSO2 count this one so: nobody is to wait for a quarter of an hour between two polls.
        guard name == "interval", value >= 1000 else { return Seconds(seconds: value, parameter: parameter) }
        return Seconds(seconds: value / 1000, parameter: parameter, unit: "milliseconds")
    }
}
