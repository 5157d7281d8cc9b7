import ArgumentParser
import Captures
import Foundation
import Proxy

/// The intercepting proxy.
struct Record: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Records what passes through an intercepting proxy into a HAR file.",
        discussion: """
            Point the browser and the backend at the proxy, and let both trust the certificate that `authreel ca path` names.

            Ctrl-C ends the recording. What a client saw complete is in the file, whatever happens to the recorder.

            Examples:
              authreel record
              authreel record --out login.har --listen 127.0.0.1:9090
              authreel record --upstream-ca test-ca.pem --only "*.example"
              authreel record --allow-remote --listen 0.0.0.0:8080
              curl -x 127.0.0.1:8080 --cacert "$(authreel ca path)" https://idp.example/
            """
    )

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The capture. One of authreel is appended to; any other file is refused.",
            discussion: "Without it a dated file in the current folder.",
            valueName: "FILE.har"
        )
    )
    var out: String?

    @OptionGroup var proxy: ProxyOptions
    @OptionGroup var authority: AuthorityOptions

    func run() async throws {
        let configuration = try proxy.configuration()
        let path = out ?? Self.datedName(SystemClock.now)
        let (files, authority) = try authority.open()
        let writer = try CaptureWriter(path: path, version: Authreel.version)
        if writer.mending.bytesRemoved > 0 {
            StandardError.warn(
                "\(path): its end was torn; \(writer.mending.bytesRemoved) bytes behind entry \(writer.mending.entries) were cut off"
            )
        }
        let recording = try Recording(
            to: writer,
            configuration: configuration,
            authority: authority,
            notify: Self.tell
        )
        // Before anybody is told the address: who stops us then, stops us cleanly.
        let interrupted = Interruption.waiting()
        let address = try await recording.start()
        StandardError.note(
            "recording into \(path)"
                + (writer.mending.entries > 0 ? " behind its \(writer.mending.entries) entries" : "")
        )
        StandardError.note("clients have to trust \(files.certificatePath)")
        if proxy.allowRemote { Self.tellOfNetwork(recording, configuration) }
        StandardError.line("listening on \(address)")
        await interrupted()
        await recording.stop()
        Self.sayGoodbye(recording, path)
    }

    /// What it means to listen on the network, and where a phone finds the recorder.
    private static func tellOfNetwork(_ recording: Recording, _ configuration: ProxyConfiguration) {
        guard !ProxyOptions.isLoopback(configuration.host) else {
            StandardError.warn(
                "--allow-remote changes nothing while it listens on \(configuration.host): add --listen 0.0.0.0:\(configuration.port)"
            )
            return
        }
        StandardError.warn(
            "anyone on the network can use this proxy, also to reach what listens on this computer alone; what they send is recorded"
        )
        let urls = recording.networkURLs
        if urls.isEmpty { StandardError.warn("this computer has no address on a network") }
        for url in urls { StandardError.note("on a phone open \(url)") }
    }

    private static func sayGoodbye(_ recording: Recording, _ path: String) {
        let (exchanges, failures) = recording.count
        let noun = exchanges == 1 ? "exchange" : "exchanges"
        StandardError.note(
            "\(path): \(exchanges) \(noun) recorded" + (failures > 0 ? ", \(failures) without an answer" : "")
        )
        if exchanges > 0 {
            StandardError.note("next: \(Invocation.name) diagnose \(path)")
        } else {
            StandardError.note("nothing came through: does the client use the proxy, also for localhost?")
        }
    }

    private static func tell(_ notice: ProxyNotice) {
        switch notice {
        case .recordingFailed(let reason):
            StandardError.warn(
                "the capture cannot be written any more: \(reason); traffic goes on unrecorded"
            )
        case .clientRejectedCertificate(let host, let client, let alert):
            let who = client.process ?? client.address ?? "a client"
            StandardError.warn(
                "\(who) does not trust the recorder's certificate for \(host)\(alert.map { " (\($0))" } ?? ""): see \(Invocation.name) ca path"
            )
        case .upstreamFailed(let host, let reason): StandardError.warn("no connection to \(host): \(reason)")
        case .notHTTP(let host): StandardError.note("\(host) does not speak HTTP: passed on unread")
        case .toleratedCertificate(let host, let reason):
            StandardError.warn("the certificate of \(host) is accepted although: \(reason)")
        }
    }

    /// `authreel-2026-11-21-034501.har`, in UTC.
    static func datedName(_ time: Timestamp) -> String {
        let text = time.rfc3339
        let clock = text.dropFirst(11).prefix(8).filter { $0 != ":" }
        return "authreel-\(text.prefix(10))-\(clock).har"
    }
}
