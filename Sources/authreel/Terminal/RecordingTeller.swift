import Captures
import Proxy

/// Words how a recording through the proxy begins and ends.
struct RecordingTeller {
    let trust: RecordingAuthority
    /// Whether a command or a browser is started that uses the proxy by itself.
    let startsClients: Bool
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

    /// `summary`: lines on the logins that came; `empty`: what is known where nothing came; `hasRunOutOfDescriptors`: whether some had
    /// to wait, or failed, for want of files that can be opened; `isGone`: nothing came, and no capture is left.
    func tellOfEnd(
        of recording: Recording,
        _ summary: [String],
        whereNothingCame empty: EmptyRecording,
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
            StandardError.note(empty.reason)
            empty.wayOut.map(StandardError.hint)
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
}
