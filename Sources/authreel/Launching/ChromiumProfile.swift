import Captures

/// How a browser of the Chromium family is started so that it is recorded and leaves nothing behind.
enum ChromiumProfile {
    /// What it is told.
    ///
    /// - Parameters:
    ///   - folder: of its profile, empty.
    ///   - proxy: `HOST:PORT`.
    ///   - keyDigest: SHA-256 of the public key in the certificates it will see; errors of their chains are ignored, and of
    ///     no others.
    ///   - isHeadless: without a window.
    ///   - isRoot: its sandbox does not work for root.
    ///   - pages: to open.
    static func arguments(
        folder: String,
        proxy: String,
        keyDigest: [UInt8],
        isHeadless: Bool,
        isRoot: Bool,
        pages: [String]
    ) -> [String] {
        var arguments = [
            "--user-data-dir=\(folder)",
            "--proxy-server=http://\(proxy)",
            // Without it what goes to loopback is not recorded, http://localhost/callback first of all.
            "--proxy-bypass-list=<-loopback>",
            "--ignore-certificate-errors-spki-list=\(Base64.encode(keyDigest))",
            // It would go past the proxy.
            "--disable-quic",
            "--no-first-run", "--no-default-browser-check", "--disable-default-apps", "--disable-search-engine-choice-screen",
            // What it calls home for is no part of a login.
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-domain-reliability", "--disable-client-side-phishing-detection", "--no-pings",
            "--disable-features=OptimizationHints,MediaRouter,Translate,AutofillServerCommunication,HttpsUpgrades,"
                + "HttpsFirstBalancedModeAutoEnable,NetworkTimeServiceQuerying",
            // No question about the desktop's key ring for a profile that will be gone.
            "--password-store=basic", "--use-mock-keychain",
        ]
        if isHeadless { arguments.append("--headless=new") }
        // test-type: no warning bar about the switch before it.
        if isRoot { arguments += ["--no-sandbox", "--test-type"] }
        return arguments + (pages.isEmpty ? ["about:blank"] : pages)
    }
}
