/// The preferences of a recorded profile.
extension FirefoxProfile {
    /// The value as JavaScript writes it.
    private typealias Preference = (name: String, value: String)

    /// The text of the profile's `user.js`.
    ///
    /// - Parameter route: to the recorder.
    /// - Returns: a line each.
    static func preferences(_ route: BrowserRoute) -> String {
        let all = way(of: route) + recorded + silent + first
        let lines = all.map { "user_pref(\"\($0.name)\", \($0.value));" }
        return (["// For one recording; gone with its profile."] + lines).joined(separator: "\n") + "\n"
    }

    private static func way(of route: BrowserRoute) -> [Preference] {
        let proxies = ["http", "ssl"].flatMap { kind -> [Preference] in
            [
                ("network.proxy.\(kind)", text(route.proxy.host)),
                ("network.proxy.\(kind)_port", "\(route.proxy.port)"),
            ]
        }
        let past = (route.past + homes).joined(separator: ", ")
        return proxies + [("network.proxy.type", "1"), ("network.proxy.no_proxies_on", text(past))]
    }

    private static func text(_ value: String) -> String { "\"\(value)\"" }

    /// Without these something goes past the proxy, or is not taken.
    private static let recorded: [Preference] = [
        // What goes to loopback is recorded, http://localhost/callback first of all.
        ("network.proxy.allow_hijacking_localhost", "true"),
        ("network.proxy.failover_direct", "false"),
        ("network.http.http3.enable", "false"),
        ("network.trr.mode", "5"),
        ("network.dns.disablePrefetch", "true"),
        ("media.peerconnection.enabled", "false"),
        ("dom.security.https_first", "false"),
        ("dom.security.https_only_mode", "false"),
        ("network.stricttransportsecurity.preloadlist", "false"),
        // Pinned certificates of well-known sites: a chain that ends in a root of the user's is let pass.
        ("security.cert_pinning.enforcement_level", "1"),
    ]

    /// What it calls home for is no part of a login.
    private static let silent: [Preference] =
        homeCalls.map { ($0, "false") } + [
            ("media.gmp-manager.url", text("data:,")),
            ("services.settings.server", text("data:,")),
        ]

    private static let homeCalls = [
        "app.update.enabled", "app.update.auto", "app.normandy.enabled", "browser.search.update",
        "browser.safebrowsing.malware.enabled", "browser.safebrowsing.phishing.enabled",
        "browser.safebrowsing.downloads.enabled", "browser.safebrowsing.downloads.remote.enabled",
        "browser.safebrowsing.blockedURIs.enabled", "network.captive-portal-service.enabled",
        "network.connectivity-service.enabled", "network.prefetch-next", "extensions.update.enabled",
        "extensions.getAddons.cache.enabled", "extensions.systemAddon.update.enabled",
        "toolkit.telemetry.enabled", "toolkit.telemetry.unified", "toolkit.telemetry.archive.enabled",
        "datareporting.healthreport.uploadEnabled", "datareporting.policy.dataSubmissionEnabled",
        "datareporting.usage.uploadEnabled", "browser.region.update.enabled",
        "browser.topsites.contile.enabled", "browser.newtabpage.enabled",
        "browser.newtabpage.activity-stream.feeds.topsites",
        "browser.newtabpage.activity-stream.feeds.section.topstories", "browser.aboutwelcome.enabled",
        "browser.shell.checkDefaultBrowser", "browser.tabs.warnOnClose", "browser.discovery.enabled",
        "browser.crashReports.unsubmittedCheck.enabled", "signon.rememberSignons",
        "media.gmp-manager.updateEnabled", "privacy.trackingprotection.pbmode.enabled", "dom.push.enabled",
    ]

    /// It begins with the page that it was given, and asks nothing.
    private static let first: [Preference] = [
        ("browser.startup.homepage_override.mstone", text("ignore")),
        ("browser.startup.page", "0"),
        ("trailhead.firstrun.didSeeAboutWelcome", "true"),
        ("datareporting.policy.dataSubmissionPolicyBypassNotification", "true"),
        ("termsofuse.bypassNotification", "true"),
        ("browser.sessionstore.resume_from_crash", "false"),
        ("toolkit.startup.max_resumed_crashes", "-1"),
    ]
}
