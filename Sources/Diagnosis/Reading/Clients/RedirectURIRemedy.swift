import Captures
import Flows
import OAuth

/// What is to be done about a redirect URI that a provider does not take, by what kind of address it is.
enum RedirectURIRemedy {
    /// Nil where the address shows nothing of its own; `words`: those of the refusal.
    static func fix(for uri: String?, of client: String?, refusedIn words: String, in flow: Flow) -> String? {
        if uri.flatMap(CopiedAlong.removed) != nil { return copiedFix }
        if isList(uri ?? "") { return listFix }
        if isBrokers(uri ?? "") { return brokersFix }
        if isDocument(client, flow) { return documentFix }
        if isNameOfLoopback(uri, words) { return loopbackFix }
        return hasChosenPort(uri, flow) ? chosenPortFix : nil
    }

    /// Whether an app sent all addresses of a setting instead of one of them.
    private static func isList(_ uri: String) -> Bool {
        let parts = uri.utf8.split { $0 == 0x2c || $0 == 0x20 || $0 == 0x3b }
        // In a query such characters may stand for themselves.
        return parts.count > 1 && !parts.dropLast().contains { $0.contains(0x3f) }
            && parts.allSatisfy { RecordedURL(String(decoding: $0, as: UTF8.self)).scheme != nil }
    }

    /// Whether a client goes by an address, at which a provider may read its redirect URIs: IndieAuth, and what MCP has of it.
    ///
    /// At the well-known ones somebody has to register it, by whatever name.
    private static func isDocument(_ client: String?, _ flow: Flow) -> Bool {
        flow.provider == .generic && (client.map { RecordedURL($0).isWeb } ?? false)
    }

    private static let documentFix = """
        The client_id is an address. A provider at which nobody registered it (AD FS and others let one choose such a name) reads there which redirect URIs this client has: redirect_uris of the document, or the \
        address's own host (IndieAuth). Open it, and compare the path letter by letter. Of a loopback address providers that follow RFC 8252, section 7.3 leave the port out; with others have the client listen at one fixed port that the document lists, or \
        register the client by hand and give it that client_id.
        """

    /// Whether it is one of those at which Microsoft's libraries (MSAL) are answered in apps, by the broker or the browser.
    private static func isBrokers(_ uri: String) -> Bool {
        let scheme = (RecordedURL(uri).scheme ?? "").asciiLowercased()
        return scheme == "msauth" || scheme.hasPrefix("msauth.")
    }

    private static let brokersFix = """
        Register this very address for the app (Authentication, iOS / macOS or Android). Android: behind msauth:// stand the package and the percent-encoded Base64 of \
        the SHA-1 of the certificate that this build is signed with: debug builds, release builds and what Google Play signs anew have each another one, \
        and each is registered by itself. iOS: it is msauth.BUNDLE-ID://auth.
        """

    /// Whether an address has the name of this machine, and is refused in words that speak of its number or of how it is read.
    private static func isNameOfLoopback(_ uri: String?, _ words: String) -> Bool {
        guard let url = uri.map({ RecordedURL($0) }), url.scheme?.lowercased() == "http",
            url.host == "localhost"
        else { return false }
        let lower = words.asciiLowercased()
        return lower.containsBytes("127.0.0.1") || lower.containsBytes("insecure")
    }

    private static let loopbackFix = """
        Send http://127.0.0.1 with the port in place of http://localhost, in the token request too, and register it so: this provider takes plain http for the address of the \
        machine itself alone, not for a name that could lead elsewhere (RFC 8252, section 8.3). A web app has its https address instead.
        """

    /// Whether an app on this machine listens at a port that nobody could register, as it is another one each time.
    private static func hasChosenPort(_ sent: String?, _ flow: Flow) -> Bool {
        guard let uri = sent.map({ RecordedURL($0) }), uri.scheme?.lowercased() == "http",
            uri.isOnLoopback, let port = uri.explicitPort,
            LoopbackHost.isChosenAnew(port: port)
        else { return false }
        return !ClientKind.isWebApp(at: uri.origin, flow)
    }

    private static let listFix = """
        The redirect_uri holds several addresses: a setting that lists all of them was sent as a whole. Choose the one at which this app \
        is to be answered, by where it runs, and send that alone, in the token request too.
        """

    private static let copiedFix = """
        Take off what stands around the redirect URI where it is kept, or where the app reads it: white space, a line break, quotation \
        marks. They came along out of the file or the setting, and are no part of the registered one.
        """

    private static let chosenPortFix = """
        Where the app takes whatever port is free, register the address without a port. Providers that follow RFC 8252, section 7.3 leave the \
        port out of the comparison, many of them for 127.0.0.1 and [::1] only and not for localhost: send that address then. With any other \
        provider listen on one of a fixed set of ports, and register each.
        """
}
