import Captures
import Proxy

/// Words how a recording through the proxy begins and ends.
struct RecordingTeller {
    let trust: RecordingAuthority
    /// Whether a command or a browser is started that uses the proxy by itself.
    let startsClients: Bool
    /// Whether a browser is among them.
    let startsBrowser: Bool
    /// Whether the user named the port.
    let isPortGiven: Bool
    let allowsRemote: Bool

    func tellOfMending(_ writer: CaptureWriter) {
        guard writer.mending.bytesRemoved > 0 else { return }
        StandardError.warn(
            "\(writer.path): its end was torn; \(writer.mending.bytesRemoved.counted("byte")) behind entry \(writer.mending.entries) were cut off"
        )
    }

    /// `entries`: how many there were in the file before.
    func tellOfBeginning(
        of recording: Recording,
        _ configuration: ProxyConfiguration,
        at address: Recording.Address,
        behind entries: Int
    ) {
        StandardError.note(
            "recording into \(recording.path)"
                + (entries > 0 ? " behind its \(entries.counted("exchange"))" : "")
        )
        if !isPortGiven, address.port != ProxyOptions.defaultPort {
            StandardError.note("port \(ProxyOptions.defaultPort) is taken: listening on the next free one")
        }
        trust.announce(startsClients: startsClients)
        if allowsRemote { Self.tellOfNetwork(recording, configuration) }
        if configuration.proxyCredentials != nil {
            StandardError.note("clients have to give the user name and password of --proxy-auth")
        }
        if let upstream = configuration.upstreamProxy {
            StandardError.note("providers are reached by way of \(upstream)")
        }
        for (origin, address) in recording.played {
            StandardError.note("\(origin.url) is played at \(origin.scheme.rawValue)://\(address)")
        }
    }

    /// `summary`: lines on the logins that came; `hasSeenClients`: whether the recorder's own page was asked for; `hasRefused`: whether
    /// requests were answered by the recorder; `unserved`: host and port at which the browser found nobody to open a page of;
    /// `failed`: the exit status of a command that ended with another one than 0 by itself, else nil;
    /// `hasRunOutOfDescriptors`: whether some had to wait, or failed, for want of files that can
    /// be opened; `isGone`: nothing came, and no capture is left.
    func tellOfEnd(
        of recording: Recording,
        _ summary: [String],
        hasSeenClients: Bool,
        hasRefused: Bool,
        unserved: String?,
        failed: Int32?,
        hasRunOutOfDescriptors: Bool,
        isGone: Bool
    ) {
        let (path, missing) = (recording.path, recording.missing)
        let (came, failures) = recording.count
        let exchanges = max(0, came - (missing?.count ?? 0))
        StandardError.note(
            "\(path): \(isGone ? CaptureTeller.nothing : exchanges.counted("exchange") + " recorded")"
                + (failures > 0 ? ", \(failures) without an answer" : "")
        )
        for line in summary { StandardError.line(line) }
        if exchanges > 0 {
            let commands = ["show", "diagnose"].map { Invocation.command($0, path) }
            StandardError.note("next: \(commands.joined(separator: ", "))")
        } else if came == 0 {
            StandardError.note(
                Self.whyNothing(
                    hasSeenClients: hasSeenClients,
                    hasRefused: hasRefused,
                    unserved: unserved,
                    failed: failed
                )
            )
            if !hasSeenClients, !hasRefused {
                StandardError.hint(
                    Self.wayOut(unserved: unserved, failed: failed, startsBrowser: startsBrowser)
                )
            }
        }
        if hasRunOutOfDescriptors {
            StandardError.warn(
                "the recorder ran out of files that it may open (ulimit -n): some requests waited for it, or failed by it"
            )
        }
        if let missing { CaptureTeller.tellOfMissing(missing, in: path) }
    }

    /// What it means to listen on the network, and where a phone finds the recorder.
    private static func tellOfNetwork(_ recording: Recording, _ configuration: ProxyConfiguration) {
        let played = ProxyOptions.remote(configuration)
        if !played.isEmpty {
            let origins = played.map(\.url).joined(separator: " and ")
            StandardError.warn(
                "anyone on the network can use \(origins) through this computer, and is recorded"
            )
        }
        guard !LoopbackHost.isLoopback(configuration.host) else {
            guard played.isEmpty else { return }
            StandardError.warn(
                "--allow-remote changes nothing while it listens on \(configuration.host): add --listen 0.0.0.0:\(configuration.port)"
            )
            return
        }
        let localhost =
            configuration.allowsRemoteLoopback ? ", also to reach what listens on this computer alone" : ""
        if configuration.proxyCredentials == nil {
            StandardError.warn(
                "anyone on the network can use this proxy\(localhost): it asks for no password; what they send is recorded"
            )
            StandardError.note(
                "to ask for one: \(Invocation.name) record --allow-remote --proxy-auth prompt …"
            )
        } else if configuration.allowsRemoteLoopback {
            StandardError.warn("whoever knows the password of --proxy-auth can use this proxy\(localhost)")
        }
        let urls = recording.networkURLs
        if urls.isEmpty { StandardError.warn("this computer has no address on a network") }
        for url in urls { StandardError.note("on a phone open \(url)") }
    }

    /// What to do where nothing came at all.
    static func wayOut(unserved: String?, failed: Int32?, startsBrowser: Bool) -> String {
        guard failed == nil else { return "what the command printed says why; run it by itself first" }
        guard unserved == nil else {
            return "is what serves the page the command behind --, and is the port right?"
        }
        guard !startsBrowser else {
            return "the browser that was started asked for nothing before the end: log in there first"
        }
        let browser = Invocation.command("record", "--browser", "https://app.example/")
        return
            "\(browser) starts a browser that does; for a program that takes no proxy: --reverse ORIGIN=HOST:PORT"
    }

    /// What is behind it when nothing came.
    static func whyNothing(hasSeenClients: Bool, hasRefused: Bool, unserved: String?, failed: Int32?)
        -> String
    {
        if hasSeenClients { return "nothing came through but the recorder's own page: no login was begun" }
        if let failed, !hasRefused {
            let browser = unserved.map { ", and nothing listened on \($0)" } ?? ""
            return "nothing came through: the command ended with status \(failed)\(browser)"
        }
        if let unserved {
            return "nothing came through: nothing listened on \(unserved), so the browser was not started"
        }
        return hasRefused
            ? "nothing came through but what the recorder could not use"
            : "nothing came through: does the client use the proxy, also for localhost?"
    }
}
