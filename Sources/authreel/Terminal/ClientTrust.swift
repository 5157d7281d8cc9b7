import Captures

/// How a program that is known by its name is brought to trust the certificate of a recording.
struct ClientTrust {
    /// Of the authority, or of the recording's own.
    let certificatePath: String
    /// The words behind this program's name, without `--store`, that put the certificate into stores; nil where none do.
    let trustCommand: [String]?

    /// What is to be done for a program; nil where that is not known of it.
    ///
    /// - Parameter process: its name as the system has it, on Linux cut off behind 15 bytes.
    /// - Returns: words behind "to record it, ".
    func advice(for process: String) -> String? {
        let program = process.prefix { $0.isLetter || $0 == "-" || $0 == "_" }.lowercased()
        if let settings = Self.settings[program] {
            let file = ShellWord.quoted(certificatePath)
            return "start it with " + settings.map { "\($0)=\(file)" }.joined(separator: " ")
        }
        guard let trustCommand, let store = Self.stores[program] else { return nil }
        let command = "run " + ShellWord.line([Invocation.name] + trustCommand + ["--store", store])
        return store == "java" ? command : "\(command) (or --browser, which starts one that trusts it)"
    }

    /// Variables, or options, that take a file of roots.
    private static let settings: [String: [String]] = {
        let node = ["NODE_EXTRA_CA_CERTS"]
        let python = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE"]
        let php = ["-d curl.cainfo", "-d openssl.cafile"]
        let git = ["GIT_SSL_CAINFO"]
        return [
            // What newer versions call their main thread, by which the system calls the process.
            "node": node, "node-mainthread": node, "mainthread": node, "bun": node, "deno": ["DENO_CERT"],
            "python": python, "gunicorn": python, "uvicorn": python, "pip": ["PIP_CERT"],
            "ruby": ["SSL_CERT_FILE"], "dotnet": ["SSL_CERT_FILE"], "php": php,
            "perl": ["PERL_LWP_SSL_CA_FILE", "SSL_CERT_FILE"],
            "curl": ["CURL_CA_BUNDLE"], "wget": ["--ca-certificate"],
            "git": git, "git-remote-http": git,
            "cargo": ["CARGO_HTTP_CAINFO"], "aws": ["AWS_CA_BUNDLE"],
        ]
    }()

    private static let stores = [
        "java": "java", "firefox": "nss", "firefox-esr": "nss", "chrome": "nss", "chromium": "nss",
        "msedge": "nss", "brave": "nss",
    ]
}
