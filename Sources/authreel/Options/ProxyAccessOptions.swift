import ArgumentParser
import Proxy

/// Who may use the proxy, and for what.
struct ProxyAccessOptions: ParsableArguments {
    @Option(
        name: .customLong("proxy-auth"),
        help: ArgumentHelp(
            "Ask clients for USER:PASSWORD; or where it is kept: env:VARIABLE, file:PATH, prompt.",
            discussion: "What this command starts itself, --browser and -- COMMAND, need not be told.",
            valueName: "SOURCE"
        )
    )
    var credentials: String?

    @Flag(
        name: .customLong("allow-remote-loopback"),
        help:
            "Let clients on the network reach localhost of this computer through the proxy, and 169.254.0.0/16."
    )
    var allowRemoteLoopback = false

    /// Tells a proxy.
    ///
    /// - Throws: ``CommandFailure`` for what cannot be understood or read.
    func apply(to configuration: inout ProxyConfiguration, allowRemote: Bool) throws {
        guard allowRemote || !allowRemoteLoopback else {
            throw CommandFailure(
                .usage,
                "--allow-remote-loopback is about clients on the network, whom --allow-remote lets in",
                hint: "\(Invocation.name) record --allow-remote --allow-remote-loopback --listen 0.0.0.0:8080"
            )
        }
        configuration.allowsRemoteLoopback = allowRemoteLoopback
        configuration.proxyCredentials = try credentials.map {
            try BasicCredentials.read($0, option: "--proxy-auth")
        }
    }
}
