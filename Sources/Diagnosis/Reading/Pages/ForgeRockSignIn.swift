import Captures
import Flows
import JSON
import OAuth

/// The sign-in that ForgeRock's pages and SDKs do by script at `/json/…/authenticate`: each step has the `authId` of the one
/// before, and the last one the session's `tokenId`, which comes as a cookie as well.
enum ForgeRockSignIn {
    /// The cookie with which such a session is to come back, whatever its name is set to.
    static func cookie(setBy index: Int, in capture: Capture) -> CookieDelivery.Setting? {
        let exchange = capture[index]
        guard let session = ForgeRockStep.session(in: exchange),
            let cookie = exchange.response?.setCookies.first(where: { $0.value == session })
        else { return nil }
        return CookieDelivery.Setting(
            cookie: cookie,
            url: exchange.request.url,
            at: exchange.endedAt,
            exchange: index
        )
    }

    /// Whether an exchange ended such a session, or may have.
    static func isLogout(_ index: Int, of setting: CookieDelivery.Setting, in flow: Flow) -> Bool {
        if case .endSession = flow.surroundings.messages[index] { return true }
        let exchange = flow.capture[index]
        return exchange.request.url.query?.containsBytes("_action=logout") ?? false
            || exchange.response?.setCookies.contains {
                $0.name == setting.cookie.name && $0.isDeletion(at: exchange.endedAt)
            } ?? false
    }

    /// Whether a step goes on from an earlier one: it brings what that was answered with.
    static func isContinued(by request: RecordedRequest) -> Bool {
        JSONBody.object(of: request.body, below: largest)?["authId"] != nil
    }

    /// In bytes.
    private static let largest = 1 << 20
}
