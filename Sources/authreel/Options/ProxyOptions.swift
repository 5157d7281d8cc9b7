import ArgumentParser
import Captures
import Proxy
import TLS

/// How the recording proxy listens, what it opens and whom it trusts.
struct ProxyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The address to listen on; port 0 picks a free one.",
            discussion: "Without it 127.0.0.1:8080, or the next port that is free.",
            valueName: "HOST:PORT"
        )
    )
    var listen: String?

    @Flag(
        name: .customLong("allow-remote"),
        help:
            "Allow --listen an address of the network, so that a phone can use the proxy; so can anyone there."
    )
    var allowRemote = false

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "For clients that take no proxy: play this provider at an address, record it. Repeatable.",
            discussion: """
                As in https://idp.example=127.0.0.1:9443, in TLS and in clear; port 0 picks a free one. Metadata \
                and redirects go on to name the real provider, so better let its name lead to the address where \
                you can: by the client's own /etc/hosts, or a container's --add-host.
                """,
            valueName: "ORIGIN=HOST:PORT"
        )
    )
    var reverse: [String] = []

    @Option(
        name: .long,
        parsing: .singleValue,
        help: ArgumentHelp(
            "Open connections to this host only; *.example.com names all below it. Repeatable.",
            valueName: "HOST"
        )
    )
    var only: [String] = []

    @Option(
        name: .customLong("pass-through"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Pass this host's bytes on unread; only host, bytes and times are recorded. Repeatable.",
            valueName: "HOST"
        )
    )
    var passThrough: [String] = []

    @Flag(
        inversion: .prefixedNo,
        help: "Pass a client through to a host for which it refuses the recorder's certificate (pinning)."
    )
    var autoPassThrough = true

    @OptionGroup var access: ProxyAccessOptions

    @OptionGroup var upstream: UpstreamTrustOptions

    @OptionGroup var upstreamProxy: UpstreamProxyOptions

    @OptionGroup var limits: LimitOptions

    @Option(
        help: ArgumentHelp("Append the TLS secrets of both sides, for Wireshark.", valueName: "FILE"),
        completion: .file()
    )
    var keylog: String?

    /// The proxy's configuration.
    ///
    /// - Throws: ``CommandFailure`` for what cannot be understood or read.
    func configuration() throws -> ProxyConfiguration {
        let (host, port) = try address()
        var configuration = ProxyConfiguration(
            host: host,
            port: port,
            // Who named a port may have told others of it.
            furtherPorts: listen == nil ? Array(port + 1...port + 100) : [],
            reverse: try reverseOrigins(besides: (host, port)),
            onlyHosts: try Self.hosts(only, "--only"),
            passThroughHosts: try Self.hosts(passThrough, "--pass-through"),
            passesPinningClients: autoPassThrough,
            upstreamTrust: try upstream.certificates(),
            insecureUpstream: upstream.insecureUpstream,
            maximumBodyBytes: try limits.bodyBytes(),
            keyLog: try keylog.map { path in
                do { return try KeyLog(path: path) } catch {
                    throw CommandFailure(
                        .noInput,
                        "\(error)",
                        hint: "name a file that is to be made, or holds keys: --keylog keys.log"
                    )
                }
            }
        )
        configuration.limits = try limits.limits()
        configuration.clientCertificate = try upstream.clientCertificate.certificates().certificate
        configuration.upstreamProxy = try upstreamProxy.upstreamProxy()
        try access.apply(to: &configuration, allowRemote: allowRemote)
        return configuration
    }

    /// Where to listen: on the network only where that is allowed.
    private func address() throws -> (host: String, port: Int) {
        guard let listen else { return ("127.0.0.1", Self.defaultPort) }
        let address = try HostAndPort(
            listen,
            option: "--listen",
            example: "\(Invocation.name) record --listen 127.0.0.1:8080"
        )
        let (host, port) = (address.host, address.port)
        guard allowRemote || LoopbackHost.isLoopback(host) else {
            throw CommandFailure(
                .usage,
                "\(host) is no loopback address: anyone on the network could use the proxy",
                hint:
                    "where that is wanted: \(Invocation.name) record --allow-remote --listen \(URLAuthority.text(host, port: port)) --proxy-auth prompt"
            )
        }
        return (host, port)
    }

    /// What is no host would match none, and what it was to keep unread would be recorded.
    private static func hosts(_ texts: [String], _ option: String) throws(CommandFailure) -> [HostPattern] {
        if let text = texts.first(where: { !HostPattern.isOne($0) }) {
            let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
            throw CommandFailure(
                .usage,
                "\(option) \(text.isEmpty ? "''" : text) is "
                    + (isASCII ? "no host" : "no host as DNS has it: xn--…, in ASCII"),
                hint:
                    "it takes a host without scheme and port: \(option) idp.example, \(option) '*.example.com', "
                    + "\(option) 127.0.0.1"
            )
        }
        return texts.map(HostPattern.init)
    }

    static let defaultPort = 8080
}
