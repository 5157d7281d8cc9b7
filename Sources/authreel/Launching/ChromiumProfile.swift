import Captures

/// How a browser of the Chromium family is started so that it is recorded and leaves nothing behind.
enum ChromiumProfile {
    /// A name that leads nowhere (RFC 2606, section 2).
    private static let nowhere = "accounts.invalid"

    /// Where these browsers call home: past the proxy, since it is no part of a login and would only be in its way.
    static let homes = [
        nowhere,
        "update.googleapis.com", "clients2.google.com", "clientservices.googleapis.com",
        "safebrowsing.googleapis.com",
        "optimizationguide-pa.googleapis.com", "content-autofill.googleapis.com",
        "passwordsleakcheck-pa.googleapis.com",
        "android.clients.google.com", "mtalk.google.com", "*.gvt1.com", "edge.microsoft.com",
        "config.edge.skype.com",
        "msedge.api.cdp.microsoft.com", "*.data.microsoft.com", "go-updater.brave.com",
        "variations.brave.com",
        "componentupdater.brave.com", "*.bravesoftware.com",
    ]

    /// What it is told besides when it is spoken to by a pipe: no port for it, and no name leads anywhere but through
    /// the proxy.
    static let drivenArguments = [
        "--remote-debugging-pipe", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ]

    /// What it is told.
    ///
    /// - Parameters:
    ///   - folder: of its profile, empty.
    ///   - route: to the recorder; errors of the chains of certificates with its key are ignored, and of no others.
    ///   - isHeadless: without a window.
    ///   - isRoot: its sandbox does not work for root.
    ///   - pages: to open.
    /// - Returns: its command line, without the program.
    static func arguments(
        folder: String,
        route: BrowserRoute,
        isHeadless: Bool,
        isRoot: Bool,
        pages: [String]
    ) -> [String] {
        var arguments = [
            "--user-data-dir=\(folder)",
            "--proxy-server=http://\(route.proxy)",
            // Without <-loopback> what goes to loopback is not recorded, http://localhost/callback first of all.
            "--proxy-bypass-list=" + (["<-loopback>"] + route.past + homes).joined(separator: ";"),
            "--ignore-certificate-errors-spki-list=\(Base64.encode(route.keyDigest))",
            // It would go past the proxy.
            "--disable-quic",
            "--no-first-run", "--no-default-browser-check", "--disable-default-apps",
            "--disable-search-engine-choice-screen",
            // What it calls home for is no part of a login.
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--disable-domain-reliability", "--disable-client-side-phishing-detection", "--no-pings",
            // It would ask accounts.google.com, which to others is a provider, who is signed in.
            "--gaia-url=https://\(nowhere)", "--allow-browser-signin=false",
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
