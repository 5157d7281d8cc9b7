import Captures
import Flows
import OAuth

/// What stands on the arrows: names, never values, so that a diagram can be shown to anybody.
enum DiagramWords {
    /// A kind of step as a person calls it: `authorization request`.
    static func kind(_ kind: StepKind) -> String {
        switch kind {
        case .jwks: "key set"
        case .discovery: "metadata"
        case .userInfoRequest: "userinfo request"
        case .backChannelLogoutRequest: "back-channel logout"
        case .frontChannelLogoutRequest: "front-channel logout"
        case .endSessionRequest: "logout request"
        default: kind.rawValue.split(separator: "_").joined(separator: " ")
        }
    }

    static func request(_ step: Step, _ exchange: Exchange) -> String {
        switch step.kind {
        case .userInteraction, .resourceRequest: target(exchange)
        case .tokenRequest:
            step.parameters["grant_type"].map { "token request (\(grant($0)))" } ?? kind(step.kind)
        default: kind(step.kind)
        }
    }

    /// What a provider tells a client unasked (OpenID Connect CIBA, section 10), and whether it is bad news.
    static func notification(_ notification: BackchannelNotification) -> (words: String, isFailure: Bool) {
        let name = "client notification"
        if let error = notification.error { return ("\(name): error \(error)".shortened(to: 80), true) }
        let brought = notification.tokenNames.joined(separator: ", ")
        return (brought.isEmpty ? name : "\(name): \(brought)", false)
    }

    /// Method and path; of an app's own scheme the address.
    static func target(_ exchange: Exchange) -> String {
        let url = exchange.request.url
        let path = isOwnScheme(url) ? address(url) : exchange.request.targetPath
        return "\(exchange.request.method) \(path)".shortened(to: 48)
    }

    /// Host and path, as everybody reads them; an app's own scheme is a part of its address, as it was written.
    private static func address(_ url: RecordedURL) -> String {
        guard let scheme = url.scheme, isOwnScheme(url) else {
            return (url.hostAndPort ?? url.scheme ?? "") + url.path
        }
        return "\(scheme):" + (url.hostAndPort.map { "//\($0)" } ?? "") + url.path
    }

    private static func isOwnScheme(_ url: RecordedURL) -> Bool {
        url.scheme.map { !["http", "https", "ws", "wss"].contains($0.lowercased()) } ?? false
    }

    /// What came back, and whether it is bad news.
    static func answer(_ exchange: Exchange, at index: Int) -> (words: String, isFailure: Bool) {
        guard let response = exchange.response else {
            return ("no answer" + (exchange.failure.map { ": \($0)".shortened(to: 60) } ?? ""), true)
        }
        let status = "\(response.status)"
        if exchange.isBrokenOff {
            return ("\(status) broken off: \(exchange.failure ?? "")".shortened(to: 80), true)
        }
        if (300..<400).contains(response.status), let location = response.location {
            let url = exchange.request.url.resolving(location)
            let names = url.queryItems.items.map(\.name) + fragmentNames(url)
            let target = address(url)
            let error = url.queryItems.items.first { $0.name == "error" }?.value
            if let error {
                return ("\(status) to \(target.shortened(to: 48)): error \(error)".shortened(to: 110), true)
            }
            let known = names.filter { shown.contains($0) }
            let words = known.isEmpty ? "" : ": " + known.joined(separator: ", ")
            return ("\(status) to \(target.shortened(to: 48))\(words)", false)
        }
        let answer = Answer(of: exchange, at: index)
        if let error = answer.error {
            return ("\(status) \(error.error)".shortened(to: 80), !expected.contains(error.error))
        }
        let known = answer.parameters.items.map(\.name).filter { shown.contains($0) }
        return (known.isEmpty ? status : "\(status) \(known.joined(separator: ", "))", response.status >= 400)
    }

    /// Implicit and hybrid responses come behind the number sign.
    private static func fragmentNames(_ url: RecordedURL) -> [String] {
        guard let fragment = url.fragment else { return [] }
        return fragment.split(separator: "&").compactMap { $0.split(separator: "=").first.map(String.init) }
    }

    private static func grant(_ type: String) -> String {
        String(type.split(separator: ":").last ?? Substring(type)).shortened(to: 32)
    }

    /// Errors that are part of a login that works (RFC 8628, section 3.5; RFC 9449, section 8).
    private static let expected: Set<String> = ["authorization_pending", "slow_down", "use_dpop_nonce"]

    /// Names that say what an answer brought.
    private static let shown: Set<String> = [
        "code", "state", "iss", "access_token", "id_token", "refresh_token", "device_code", "user_code",
        "request_uri",
        "client_id", "redirect_uri", "scope", "code_challenge", "nonce", "id_token_hint",
        "post_logout_redirect_uri",
        "SAMLRequest", "SAMLResponse", "keys", "sub", "active",
    ]
}
