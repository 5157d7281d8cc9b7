import Foundation
import Proxy
import Reports

/// How Firefox is started so that it is recorded and leaves nothing behind: preferences and a certificate database of
/// its own profile.
enum FirefoxProfile {
    /// Where it calls home: past the proxy, since it is no part of a login and would only be in its way.
    static let homes = [
        ".services.mozilla.com", ".cdn.mozilla.net", ".telemetry.mozilla.org", "aus5.mozilla.org",
        "push.services.mozilla.com",
        "detectportal.firefox.com", "ads.mozilla.org",
    ]

    /// What it is told.
    static func arguments(folder: String, isHeadless: Bool, pages: [String]) -> [String] {
        ["--no-remote", "--new-instance", "--profile", folder] + (isHeadless ? ["--headless"] : [])
            + (pages.isEmpty ? ["about:blank"] : pages)
    }

    /// The text of the profile's `user.js`.
    ///
    /// - Parameter route: to the recorder.
    /// - Returns: a line each.
    static func preferences(_ route: BrowserRoute) -> String {
        var lines = ["// For one recording; gone with its profile."]
        func set(_ name: String, _ value: some CustomStringConvertible) {
            lines.append("user_pref(\"\(name)\", \(value));")
        }
        func set(_ name: String, text: String) { lines.append("user_pref(\"\(name)\", \"\(text)\");") }
        set("network.proxy.type", 1)
        for kind in ["http", "ssl"] {
            set("network.proxy.\(kind)", text: route.proxy.host)
            set("network.proxy.\(kind)_port", route.proxy.port)
        }
        set("network.proxy.no_proxies_on", text: (route.past + homes).joined(separator: ", "))
        // Without it what goes to loopback is not recorded, http://localhost/callback first of all.
        set("network.proxy.allow_hijacking_localhost", true)
        set("network.proxy.failover_direct", false)
        // They would go past the proxy.
        set("network.http.http3.enable", false)
        set("network.trr.mode", 5)
        set("media.peerconnection.enabled", false)
        set("dom.security.https_first", false)
        set("dom.security.https_only_mode", false)
        set("network.stricttransportsecurity.preloadlist", false)
        // Pinned certificates of well-known sites: a chain that ends in a root of the user's is let pass.
        set("security.cert_pinning.enforcement_level", 1)
        // What it calls home for is no part of a login.
        for name in [
            "app.update.enabled", "app.update.auto", "app.normandy.enabled", "browser.search.update",
            "browser.safebrowsing.malware.enabled", "browser.safebrowsing.phishing.enabled",
            "browser.safebrowsing.downloads.enabled", "browser.safebrowsing.downloads.remote.enabled",
            "browser.safebrowsing.blockedURIs.enabled", "network.captive-portal-service.enabled",
            "network.connectivity-service.enabled", "network.prefetch-next",
            "network.dns.disablePrefetch.off",
            "extensions.update.enabled", "extensions.getAddons.cache.enabled",
            "extensions.systemAddon.update.enabled",
            "toolkit.telemetry.enabled", "toolkit.telemetry.unified", "toolkit.telemetry.archive.enabled",
            "datareporting.healthreport.uploadEnabled", "datareporting.policy.dataSubmissionEnabled",
            "datareporting.usage.uploadEnabled", "browser.region.update.enabled",
            "browser.topsites.contile.enabled",
            "browser.newtabpage.enabled", "browser.newtabpage.activity-stream.feeds.topsites",
            "browser.newtabpage.activity-stream.feeds.section.topstories", "browser.aboutwelcome.enabled",
            "browser.shell.checkDefaultBrowser", "browser.tabs.warnOnClose", "browser.discovery.enabled",
            "browser.crashReports.unsubmittedCheck.enabled", "signon.rememberSignons",
            "media.gmp-manager.updateEnabled",
            "privacy.trackingprotection.pbmode.enabled", "dom.push.enabled",
        ] { set(name, false) }
        for name in [
            "media.gmp-manager.url", "services.settings.server", "browser.startup.homepage_override.mstone",
        ] {
            set(name, text: name == "browser.startup.homepage_override.mstone" ? "ignore" : "data:,")
        }
        set("browser.startup.page", 0)
        set("trailhead.firstrun.didSeeAboutWelcome", true)
        set("datareporting.policy.dataSubmissionPolicyBypassNotification", true)
        set("termsofuse.bypassNotification", true)
        set("browser.sessionstore.resume_from_crash", false)
        set("toolkit.startup.max_resumed_crashes", -1)
        return lines.joined(separator: "\n") + "\n"
    }

    /// Makes the profile's certificate database, which trusts one authority besides the known ones.
    ///
    /// Throws ``CommandFailure`` when the tool that can is not installed, or fails.
    static func trust(_ certificatePath: String, in folder: String) throws {
        let database = "sql:\(folder)"
        for arguments in [
            ["-N", "--empty-password", "-d", database],
            ["-A", "-d", database, "-t", "C,,", "-n", "authreel", "-i", certificatePath],
        ] {
            guard let result = ToolRunner.output(of: ["certutil"] + arguments) else {
                throw CommandFailure(
                    .unavailable,
                    "Firefox keeps its trust in a database that certutil writes, which is not installed",
                    hint:
                        "apt install libnss3-tools (Fedora: nss-tools, macOS: brew install nss), or --browser-program chromium"
                )
            }
            guard result.status == 0 else {
                let words = result.text.split(separator: "\n").last.map(String.init) ?? ""
                throw CommandFailure(
                    .unavailable,
                    "certutil ended with status \(result.status): \(words.printable)"
                )
            }
        }
    }
}
