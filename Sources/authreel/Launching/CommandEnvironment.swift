import Captures
import Proxy

/// The variables by which the runtimes of a command find the proxy and trust its authority.
enum CommandEnvironment {
    /// A pure function of the environment before.
    ///
    /// - Parameters:
    ///   - inherited: what the command would have had.
    ///   - address: where the proxy listens.
    ///   - credentials: what it asks for.
    ///   - files: made for the run.
    ///   - browser: what it opens pages with, where a browser is recorded.
    /// - Returns: all variables of the command.
    static func variables(
        over inherited: [String: String],
        proxy address: Recording.Address,
        credentials: BasicCredentials? = nil,
        files: TrustFiles,
        browser: CommandBrowser? = nil
    ) -> [String: String] {
        var variables = inherited
        if let browser {
            variables["BROWSER"] = browser.program
            variables["PATH"] = joined(browser.folder, inherited["PATH"])
        }
        let proxy = proxyURL(address, credentials)
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
            variables[name] = proxy
            variables[name.lowercased()] = proxy
        }
        // Hosts that were left out of a proxy are to be recorded as well, loopback first of all. Empty, not absent: what
        // reads a file of variables leaves alone those that are there.
        for name in ["NO_PROXY", "no_proxy"] { variables[name] = "" }
        // PHP's libraries do not believe HTTP_PROXY in a web server, where a client can set it.
        variables["CGI_HTTP_PROXY"] = proxy
        variables["npm_config_proxy"] = proxy
        variables["npm_config_https_proxy"] = proxy
        for name in Self.bundleVariables { variables[name] = files.bundle }
        for name in Self.additionVariables { variables[name] = files.additions }
        variables["WGETRC"] = files.wgetSettings
        variables["PERL_LWP_ENV_PROXY"] = "1"
        variables["MOJO_PROXY"] = "1"
        // Node's own switch, from 22.21 and 24 on, leaves out the agents that a program makes itself.
        variables["NODE_USE_ENV_PROXY"] = nil
        variables["NODE_OPTIONS"] = appended(
            inherited["NODE_OPTIONS"],
            "--require \"\(escaped(files.nodePreload))\""
        )
        // For what Python loads: a program that brings its own list of roots gets ours beside them.
        variables["AUTHREEL_CA"] = files.authority
        variables["PYTHONPATH"] = joined(files.pythonFolder, inherited["PYTHONPATH"])
        variables["RUBYLIB"] = joined(files.rubyFolder, inherited["RUBYLIB"])
        variables["RUBYOPT"] = appended(inherited["RUBYOPT"], "-r\(TrustFiles.rubyLibrary)")
        // Empty in front: the folders that PHP was built with, then ours.
        variables["PHP_INI_SCAN_DIR"] = "\(inherited["PHP_INI_SCAN_DIR"] ?? ""):\(files.phpFolder)"
        variables["JAVA_TOOL_OPTIONS"] = appended(
            inherited["JAVA_TOOL_OPTIONS"],
            javaOptions(host: address.host, port: address.port, store: files.javaStore)
        )
        return variables
    }

    /// The proxy as a variable names it.
    static func proxyURL(_ address: Recording.Address, _ credentials: BasicCredentials?) -> String {
        "http://\(credentials.map { $0.inURL + "@" } ?? "")\(address)"
    }

    /// Those that name a file in place of a program's roots: of OpenSSL, Go, Ruby, .NET, Python, curl, git, cargo, the AWS
    /// tools, Perl, gRPC, pip, npm, Nix, gcloud.
    static let bundleVariables = [
        "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "CARGO_HTTP_CAINFO",
        "AWS_CA_BUNDLE",
        "PERL_LWP_SSL_CA_FILE", "MOJO_CA_FILE", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "HTTPLIB2_CA_CERTS",
        "PIP_CERT",
        "npm_config_cafile",
        "NIX_SSL_CERT_FILE", "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE",
    ]

    /// Those that name roots besides a runtime's own.
    static let additionVariables = ["NODE_EXTRA_CA_CERTS", "DENO_CERT"]

    private static func javaOptions(host: String, port: Int, store: String) -> String {
        var options: [String] = []
        for scheme in ["http", "https"] {
            options += ["-D\(scheme).proxyHost=\(host)", "-D\(scheme).proxyPort=\(port)"]
        }
        // Empty: by default loopback is left out.
        options.append("-Dhttp.nonProxyHosts=")
        // Quotes there are, and no escapes.
        let trust = "-Djavax.net.ssl.trustStore=\(store)"
        options.append(trust.contains(where: \.isWhitespace) ? "\"\(trust)\"" : trust)
        options += [
            "-Djavax.net.ssl.trustStoreType=JKS",
            "-Djavax.net.ssl.trustStorePassword=\(JavaKeyStore.password)",
        ]
        return options.joined(separator: " ")
    }

    /// Behind what the user has there.
    private static func appended(_ before: String?, _ text: String) -> String {
        guard let before, !before.isEmpty else { return text }
        return before + " " + text
    }

    private static func joined(_ folder: String, _ others: String?) -> String {
        guard let others, !others.isEmpty else { return folder }
        return folder + ":" + others
    }

    /// For quotes in `NODE_OPTIONS`.
    private static func escaped(_ path: String) -> String {
        path.replacingBytes("\\", with: "\\\\").replacingBytes("\"", with: "\\\"")
    }
}
