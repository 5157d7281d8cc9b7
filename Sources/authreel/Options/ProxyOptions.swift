import Captures
import ArgumentParser
import Foundation
import LibCrypto
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

    @Option(help: ArgumentHelp("Append the TLS secrets of both sides, for Wireshark.", valueName: "FILE"))
    var keylog: String?

    /// The proxy's configuration.
    ///
    /// - Throws: ``CommandFailure`` for what cannot be understood or read.
    func configuration() throws -> ProxyConfiguration {
        let (host, port) =
            try listen.map {
                let address = try HostAndPort(
                    $0,
                    option: "--listen",
                    example: "authreel record --listen 127.0.0.1:8080"
                )
                return (address.host, address.port)
            } ?? ("127.0.0.1", Self.defaultPort)
        guard allowRemote || LoopbackHost.isLoopback(host) else {
            throw CommandFailure(
                .usage,
                "\(host) is no loopback address: anyone on the network could use the proxy",
                hint:
                    "where that is wanted: \(Invocation.name) record --allow-remote --listen \(Self.bracketed(host)):\(port) --proxy-auth prompt"
            )
        }
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
                do { return try KeyLog(path: path) } catch { throw CommandFailure(.noInput, "\(error)") }
            }
        )
        configuration.limits = try limits.limits()
        configuration.clientCertificate = try upstream.clientCertificate.certificates().certificate
        configuration.upstreamProxy = try upstreamProxy.upstreamProxy()
        try access.apply(to: &configuration, allowRemote: allowRemote)
        return configuration
    }

    /// What is no host would match none, and what it was to keep unread would be recorded.
    private static func hosts(_ texts: [String], _ option: String) throws(CommandFailure) -> [HostPattern] {
        if let text = texts.first(where: { !HostPattern.isOne($0) }) {
            throw CommandFailure(
                .usage,
                "\(option) \(text.isEmpty ? "''" : text) is no host",
                hint:
                    "it takes a host without scheme and port: \(option) idp.example, \(option) '*.example.com', "
                    + "\(option) 127.0.0.1"
            )
        }
        return texts.map(HostPattern.init)
    }

    static let defaultPort = 8080

    /// A host as it stands before a port.
    static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
}

extension CommandFailure {
    /// Runs what the proxy may refuse, and words the refusal for the terminal.
    static func wrapping<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let error as ProxyError { throw CommandFailure(error) }
    }

    init(_ error: ProxyError) {
        switch error {
        case .addressInUse:
            self.init(
                .unavailable,
                "\(error)",
                hint: "choose another port: --listen 127.0.0.1:0 picks a free one"
            )
        case .reverseAddressInUse(let origin, let host, _):
            self.init(
                .unavailable,
                "\(error)",
                hint: "end that program, or choose another port: "
                    + "--reverse \(origin)=\(ProxyOptions.bracketed(host)):0 picks a free one"
            )
        case .cannotListen(_, let port, _):
            self.init(
                .unavailable,
                "\(error)",
                hint: (1..<1024).contains(port)
                    ? "ports below 1024 may want rights of their own: use one above" : nil
            )
        case .authority: self.init(.noInput, "\(error)", hint: "--ca-dir DIR uses another folder")
        case .authorityOwner(let path, let owner):
            let name =
                getpwuid(owner).flatMap { $0.pointee.pw_name }.map { String(cString: $0) } ?? "\(owner)"
            self.init(
                .noInput,
                "\(path): belongs to another user (\(name)), who could read what you record",
                hint: "run authreel as \(name), or use a folder of your own with --ca-dir DIR"
            )
        case .authorityFolderOpen(let path):
            self.init(
                .noInput,
                "\(error)",
                hint: "choose a folder of its own: --ca-dir \(ShellWord.quoted(path + "/authreel"))"
            )
        case .authorityCorrupt:
            self.init(
                .dataError,
                "\(error)",
                hint: "put back a copy of the file, or make a new authority: \(Invocation.name) ca rotate"
            )
        case .trustRecords(let path, _):
            self.init(
                .dataError,
                "\(error)",
                hint:
                    "remove it (rm \(ShellWord.quoted(path))); \(Invocation.name) ca untrust --all finds what is there"
            )
        case .tls: self.init(.bug, "\(error)", hint: nil)
        }
    }
}
