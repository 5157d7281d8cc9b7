package import Captures

/// Services that apps report errors, visits and campaigns to: they are told the address a user is at, with a code in it, and
/// have no part in the login.
package enum Telemetry {
    /// By its host, or by a path that is for reports alone.
    package static func isOne(_ url: RecordedURL) -> Bool {
        let labels = (url.host ?? "").lowercased().split(separator: ".")
        let isKnown = (2...3).contains { count in
            labels.count >= count && domains.contains(labels.suffix(count).joined(separator: "."))
        }
        return isKnown || url.path.lowercased().split(separator: "/").contains { paths.contains(String($0)) }
    }

    /// The same, or what a browser reports by itself of a page at its address: broken policies and the like (Content Security Policy
    /// Level 3, section 5.3; Reporting API, section 3).
    package static func isOne(_ request: RecordedRequest) -> Bool {
        isOne(request.url) || request.body?.essence.map(reports.contains) ?? false
    }

    private static let reports: Set<String> = ["application/csp-report", "application/reports+json"]

    private static let paths: Set<String> = [
        "analytics", "batch", "beacon", "collect", "crash", "crashes", "envelope", "event", "events",
        "intake",
        "log", "logs", "metrics", "pageview", "report", "reports", "rum", "telemetry", "track", "tracking",
    ]

    private static let domains: Set<String> = [
        "adjust.com", "adjust.world", "airbridge.io", "amplitude.com", "app-measurement.com", "app.link",
        "appcenter.ms", "appsflyer.com", "appsflyersdk.com", "branch.io", "braze.com", "braze.eu", "bnc.lt",
        "bugsnag.com", "clarity.ms", "clevertap-prod.com", "contentsquare.net", "crashlytics.com",
        "datadoghq.com", "datadoghq.eu", "browser-intake-datadoghq.com", "browser-intake-datadoghq.eu",
        "doubleclick.net", "dynatrace.com", "firebaselogging.googleapis.com",
        "firebaseinstallations.googleapis.com", "firebaselogging-pa.googleapis.com", "fullstory.com",
        "google-analytics.com", "googletagmanager.com", "graph.facebook.com", "heapanalytics.com",
        "hotjar.com", "hotjar.io", "instabug.com", "instana.io", "kochava.com", "launchdarkly.com",
        "logrocket.io", "logr-ingest.com", "matomo.cloud", "mixpanel.com", "moengage.com", "mouseflow.com",
        "newrelic.com", "nr-data.net", "onesignal.com", "optimizely.com", "pendo.io", "posthog.com",
        "raygun.io", "rollbar.com", "rudderstack.com", "segment.com", "segment.io", "sentry.io",
        "singular.net", "smartlook.com", "split.io", "statsig.com", "swrve.com", "uxcam.com",
        "applicationinsights.azure.com", "urbanairship.com",
    ]
}
