import Captures

/// What providers say of a client, or of a redirect URI, that is registered for another kind of app than the one that asks.
///
/// Texts that are looked through are in lower case.
enum ClientTypeRefusal {
    /// Whether an answer says that the client is one of another kind.
    static func isSaid(in text: String) -> Bool { texts.contains(where: text.containsBytes) }

    /// Whether Entra says that it lets no page exchange codes of this client, by this or another number.
    static func keepsPagesOut(in text: String) -> Bool {
        text.containsBytes("aadsts9002326")
            || text.containsBytes("cross-origin token redemption is permitted only")
    }

    /// Whether Entra says that only a page may exchange the code.
    static func isForPagesAlone(in text: String) -> Bool { crossOrigin.contains(where: text.containsBytes) }

    /// Whether a request's sender says that it is no browser, and has nothing of one.
    ///
    /// Node's `fetch` sends the mode of the Fetch standard as well, and no site: it is at none.
    static func isOfProgram(_ headers: HeaderFields) -> Bool {
        headers.contains("user-agent") && !isOfBrowser(headers) && !headers.contains("sec-fetch-site")
    }

    private static func isOfBrowser(_ headers: HeaderFields) -> Bool {
        headers.first("user-agent")?.lowercased().hasPrefix("mozilla/") ?? false
    }

    /// Whether Google says that the client is not one of a device.
    static func isOfDevices(_ text: String) -> Bool { devices.contains(where: text.containsBytes) }

    // MARK: - Words, in lower case

    static let disabledScheme = "custom uri scheme is not enabled for your"

    /// Google's, of the answer to a login.
    static let schemesOfWebClients = [
        "not allowed for the web client type", "not allowed for 'web' client type",
    ]

    private static let crossOrigin = ["aadsts9002327", "may only be redeemed via cross-origin requests"]

    static let texts =
        crossOrigin + schemesOfWebClients + [
            "custom scheme uris are not allowed for", disabledScheme,
        ] + devices

    /// Google, of a device.
    private static let devices = ["invalid client type", "only clients of type"]
}
