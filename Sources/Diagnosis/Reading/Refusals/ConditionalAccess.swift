import Captures
import Flows
import OAuth

/// A sign-in that Entra keeps out for the tenant's Conditional Access: what its last page says, and what there is to do for a device
/// that gets its tokens by a code.
///
/// Its page is made by a script, and has the reason as a number alone.
enum ConditionalAccess {
    /// Where the last of these pages is that one, and nobody went on from there.
    ///
    /// `pages`: the provider's, in order of time.
    static func violation(onLastOf pages: [Int], in flow: Flow) -> Violation? {
        guard flow.provider == .entra, flow.ending != .success,
            let page = pages.last(where: { SignInAnswer.isPage($0, flow) }),
            let evidence = evidence(on: page, in: flow)
        else { return nil }
        return Violation(
            [evidence],
            saying: flow.grant == GrantType.deviceCode
                ? ofDevices : ProviderWords.meaning(of: evidence.value, by: .entra),
            exchange: page
        )
    }

    /// What a device is told that asks for its tokens; nil of any other refusal.
    static func words(for request: TokenRequest) -> Violation.Words? {
        guard request.grantType == GrantType.deviceCode, let text = request.answer.error?.text else {
            return nil
        }
        return number(statedIn: text) == nil ? nil : ofDevices
    }

    private static func evidence(on page: Int, in flow: Flow) -> Evidence? {
        guard let body = flow.capture[page].response?.body, let text = body.text else { return nil }
        let number = number(statedIn: text) ?? (text.containsBytes(name) ? number(setIn: text) : nil)
        return number.map {
            Evidence(
                place: Place(exchange: page, part: .responseBody, name: ""),
                value: "AADSTS" + $0,
                note: "the last page of the provider"
            )
        }
    }

    /// One that stands in a message, with what it is called by.
    private static func number(statedIn text: String) -> String? {
        numbers.first { text.containsBytes("AADSTS\($0):") }
    }

    /// One that the page's script is given.
    private static func number(setIn text: String) -> String? {
        numbers.first { text.containsBytes(#""sErrorCode":"\#($0)""#) }
    }

    /// What the page that shows them is called.
    private static let name = #""ConvergedConditionalAccess""#

    /// Of policies that nobody meets on the page itself, as a second factor is met.
    private static let numbers = [
        "53000", "53001", "53002", "53003", "50005", "530003", "530021", "530033",
    ]

    private static let ofDevices = Violation.Words(
        title: "A policy of the tenant lets no sign-in by a device's code through",
        explanation: """
            A Conditional Access policy of the tenant keeps this sign-in out. By a code the provider sees the browser in which it was typed, and nothing of the \
            device that is to get the tokens: what a policy asks of that (managed, compliant, of a known platform) is not met, whatever both are. And tenants can shut out sign-ins by \
            code as such.
            """,
        fix: """
            Sign in by a browser on the machine itself (az login without --use-device-code, azd with --use-device-code=false, an interactive request of MSAL), or by its broker (WAM, \
            Company Portal). Where there is no browser, have an administrator except this app or this way of signing in: the sign-in log names the policy, under Conditional Access.
            """
    )
}
