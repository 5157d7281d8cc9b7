import ArgumentParser
import Captures
import Proxy

/// The proxy by which providers are reached, where there is no direct way to them.
struct UpstreamProxyOptions: ParsableArguments {
    @Option(
        name: .customLong("upstream-proxy"),
        help: ArgumentHelp(
            "Reach providers by way of this proxy: http://, https://, socks5:// or socks5h://HOST:PORT.",
            discussion: """
                socks5h:// leaves names to the proxy, as http:// and https:// do; socks5:// resolves them here. \
                localhost is reached without it. env:VARIABLE or file:PATH says where the URL is kept; HTTPS_PROXY \
                counts only so: --upstream-proxy env:HTTPS_PROXY.
                """,
            valueName: "URL"
        )
    )
    var proxy: String?

    @Option(
        name: .customLong("upstream-proxy-auth"),
        help: ArgumentHelp(
            "USER:PASSWORD for that proxy, or where it is: env:VARIABLE, file:PATH, prompt.",
            discussion: "Also in the URL, percent-encoded; others on this computer can read command lines.",
            valueName: "SOURCE"
        )
    )
    var credentials: String?

    @Option(
        name: .customLong("no-upstream-proxy"),
        parsing: .singleValue,
        help: ArgumentHelp(
            "Reach this host without that proxy; *.example.com names all below it. Repeatable.",
            valueName: "HOST"
        )
    )
    var directHosts: [String] = []

    private static let example = "\(Invocation.name) record --upstream-proxy http://proxy.example:3128"

    /// The proxy; nil where none is asked for.
    ///
    /// - Throws: ``CommandFailure`` for what cannot be understood or read.
    func upstreamProxy() throws -> UpstreamProxy? {
        guard let source = proxy else {
            if credentials != nil || !directHosts.isEmpty {
                throw CommandFailure(
                    .usage,
                    "\(credentials != nil ? "--upstream-proxy-auth" : "--no-upstream-proxy") is about "
                        + "--upstream-proxy, which is not given",
                    hint: Self.example
                )
            }
            return nil
        }
        do {
            var proxy = try UpstreamProxy(try Secret.kept(source, option: "--upstream-proxy") ?? source)
            if let given = try credentials.map({
                try BasicCredentials.read($0, option: "--upstream-proxy-auth")
            }) {
                guard proxy.credentials == nil else {
                    throw CommandFailure(
                        .usage,
                        "--upstream-proxy-auth, and a user name in the URL of --upstream-proxy: which counts?",
                        hint: "leave out one of the two"
                    )
                }
                try proxy.setCredentials(given)
            }
            proxy.directHosts = directHosts.map { HostPattern(String($0.withoutBrackets)) }
            return proxy
        } catch let error as UpstreamProxyError {
            throw CommandFailure(.usage, "--upstream-proxy: \(error)", hint: Self.example)
        }
    }
}

extension BasicCredentials {
    /// Reads the value of an option: the credentials, or where they are kept.
    ///
    /// - Parameters:
    ///   - source: as the user wrote it; no error repeats it.
    ///   - option: its name.
    /// - Returns: the credentials.
    /// - Throws: ``CommandFailure`` for what cannot be understood or read.
    static func read(_ source: String, option: String) throws -> BasicCredentials {
        let text = try Secret.kept(source, option: option) ?? source
        guard let credentials = BasicCredentials(text) else {
            throw CommandFailure(
                .usage,
                "\(option) takes USER:PASSWORD without control characters, or where that is kept",
                hint: "\(option) env:VARIABLE, file:PATH or prompt keeps it out of the list of processes"
            )
        }
        return credentials
    }
}
