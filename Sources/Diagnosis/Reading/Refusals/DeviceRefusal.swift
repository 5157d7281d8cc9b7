import Captures
import Flows
import OAuth

/// A refusal of a request for a device code, or for a sign-in on the user's own device (OpenID Connect CIBA).
enum DeviceRefusal {
    /// `isExplained`: whether a rule has something to say of the exchange.
    static func violation(in flow: Flow, unless isExplained: (Int) -> Bool) -> Violation? {
        for call in ClientCall.all(in: flow)
        where call.kind == .deviceAuthorization || call.kind == .backchannelAuthentication {
            guard call.answer.isRefusal, !call.isClientRefused, let status = call.answer.status,
                status < 500, status != 429,
                !flow.surroundings.isTakenBehindRedirect(call.exchange), !isExplained(call.exchange)
            else { continue }
            if let redirected = RedirectedCall.violation(
                of: call.answer,
                endpoint:
                    "\(call.kind == .deviceAuthorization ? "device" : "backchannel") authorization endpoint",
                in: flow
            ) {
                return redirected.toldOfFront(in: flow)
            }
            return call.kind == .deviceAuthorization
                ? withoutDeviceCode(call, status, flow) : withoutSignIn(call)
        }
        return nil
    }

    private static func withoutSignIn(_ call: ClientCall) -> Violation {
        let remedy = call.answer.error.flatMap { remedies[$0.error] }
        let hints = ["login_hint", "binding_message"]
        let sent =
            remedy == nil
            ? [] : call.parameters.items.filter { hints.contains($0.name) }.map { Evidence($0) }
        return Violation(
            [call.answer.evidence()] + sent,
            explanation: remedy == nil
                ? """
                The provider did not ask the user to sign in on their own device. What it says is all that the capture knows of the reason.
                """
                : "The provider did not ask the user to sign in on their own device, and names why (OpenID Connect CIBA §13).",
            fix: remedy,
            exchange: call.exchange
        )
    }

    /// What is to be done, by the name of the error (OpenID Connect CIBA, section 13).
    private static let remedies = [
        "unknown_user_id": """
        The provider has no user of that hint. Send it in the form by which the provider knows its users (an e-mail address, a phone \
        number with its country, a number of its own), or the ID token of an earlier login as id_token_hint.
        """,
        "expired_login_hint_token": "Have the login_hint_token made anew, right before it is sent.",
        "missing_user_code": """
        The provider wants a code that only the user knows (backchannel_user_code_parameter): ask for it, and send it as user_code.
        """,
        "invalid_user_code": "The user's code was wrong: ask for it once more, and send it as user_code.",
        "invalid_binding_message": """
        Make the binding message short and of plain letters and digits: it has to fit on the user's device beside the question, and some \
        providers take no more than twenty characters.
        """,
    ]

    private static func withoutDeviceCode(_ call: ClientCall, _ status: Int, _ flow: Flow) -> Violation {
        let other = status == 404 || status == 405 ? endpoint(otherThan: call, flow) : nil
        let start = other == nil ? call.parameters.parameter("start_url") : nil
        let known = ProviderWords.meaning(of: call.answer.errorText, by: flow.provider)
        return Violation(
            [call.answer.evidence(), other, start.map { Evidence($0) }].compactMap(\.self),
            explanation: other == nil
                ? known?.explanation
                    ?? "The provider gave the device no code. What it says is all that the capture knows of the reason."
                : "The device asked for a code at another address than the one that the provider's metadata names, where nothing answers it.",
            fix: other == nil
                ? known?.fix ?? start.map { _ in startFix }
                : "Send the request to the device_authorization_endpoint of the metadata.",
            title: other == nil ? nil : "The provider takes requests for device codes at another address",
            exchange: call.exchange
        )
    }

    /// AWS IAM Identity Center says no word of the reason.
    private static let startFix = """
        Compare sso_start_url and sso_region with the settings of IAM Identity Center: the start URL is that of its access portal, and the region the one that it \
        was set up in, whichever regions are worked in. The host that was asked names the region that the client took.
        """

    /// What the metadata of the server names, where a device asked somewhere else.
    private static func endpoint(otherThan call: ClientCall, _ flow: Flow) -> Evidence? {
        flow.serverMetadata.lazy.compactMap { document -> Evidence? in
            let name = "device_authorization_endpoint"
            guard let named = document.endpoint(name).map({ RecordedURL($0) }),
                named.origin == call.endpoint.origin,
                !named.isEndpoint(call.endpoint)
            else { return nil }
            return Evidence(
                place: document.answer.place(name),
                value: Masking.shown(named.text, of: "url"),
                note: "where the provider takes such requests"
            )
        }.first
    }
}
