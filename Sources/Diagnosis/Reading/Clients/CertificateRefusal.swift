import Captures
import OAuth

/// What a server says of the certificate by which a client proves itself on the TLS connection (RFC 8705), and which no message shows.
enum CertificateRefusal {
    /// The server saw none.
    case missing
    /// It saw another one than a token or a client is bound to; or none, where the words do not tell the two apart.
    case other

    /// Nil where nothing is said of a certificate; the text is in lower case.
    ///
    /// What is said of it stands in one sentence, and one that names other credentials beside it leaves open which of them it is about.
    init?(in text: String) {
        guard Self.names.contains(where: text.containsBytes) else { return nil }
        let sentences = Self.sentences(of: text).filter { sentence in
            Self.names.contains(where: sentence.containsBytes)
                && !Self.alternatives.contains(where: sentence.containsBytes)
        }
        if sentences.contains(where: { Self.differences.contains(where: $0.containsBytes) }) {
            self = .other
        } else if sentences.contains(where: { Self.absences.contains(where: $0.containsBytes) }) {
            self = .missing
        } else {
            return nil
        }
    }

    /// What the first says that gives a reason; nil where that is another one.
    static func said(in answers: some Sequence<Answer>) -> CertificateRefusal? {
        for answer in answers {
            if let refusal = CertificateRefusal(in: answer.errorText) { return refusal }
            guard (answer.error?.description ?? "").isEmpty else { return nil }
        }
        return nil
    }

    /// Parts of a text between full stops, tags, line ends and the quotation marks of JSON.
    private static func sentences(of text: String) -> [String] {
        text.replacing(". ", with: "\n").utf8.split { [0x0a, 0x0d, 0x22, 0x3c, 0x3e].contains($0) }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// What is said where a call with a token was refused so.
    var words: Violation.Words { Violation.Words(title: title, explanation: explanation, fix: fix) }

    /// What is said where it is the client that was refused, and not what is bound to a certificate (RFC 8705, section 2).
    var wordsOfClient: Violation.Words {
        Violation.Words(title: title, explanation: explanationOfClient, fix: fixOfClient)
    }

    var title: String {
        switch self {
        case .missing: "No client certificate reached the server"
        case .other: "The client's certificate is not the expected one"
        }
    }

    var explanation: String {
        switch self {
        case .missing:
            """
            The server says that it saw no certificate of the client's. It wants one on the TLS connection itself (mutual TLS): none was \
            sent, or a proxy that ends TLS in front of the server did not hand it on.
            """
        case .other:
            """
            What is issued over mutual TLS is bound to the certificate that the token endpoint saw (cnf, RFC 8705 §3). The server saw \
            another one with this request, or none.
            """
        }
    }

    var fix: String {
        switch self {
        case .missing:
            """
            Configure the HTTP client with certificate and key for this very host, for the token endpoint and the APIs alike, and take the \
            address under mtls_endpoint_aliases where there is one. Where a proxy ends TLS, have it ask for the certificate and hand it on \
            in the header that the server reads.
            """
        case .other:
            """
            Use one certificate for the token endpoint and for the APIs. Tokens do not outlive a renewal of it: get new ones once the new \
            certificate is in use. Where a proxy ends TLS, see that it hands on the client's certificate, and not its own.
            """
        }
    }

    private var explanationOfClient: String {
        switch self {
        case .missing: explanation
        case .other:
            """
            The client proves itself by the certificate of its TLS connection (mutual TLS), and the one that the server saw is not the one \
            that this client is registered with.
            """
        }
    }

    private var fixOfClient: String {
        switch self {
        case .missing: fix
        case .other:
            """
            Compare the certificate that is sent with the client's registration: its subject with tls_client_auth_subject_dn, its key with \
            the jwks_uri of the client. A renewed one has to be registered. Where a proxy ends TLS, see that it hands on the client's \
            certificate, and not its own.
            """
        }
    }

    // MARK: - Words, in lower case

    private static let names = [
        "client certificat", "transport certificat", "tls certificat", "certificate thumbprint", "x5t#s256",
        "different certificate",
    ]
    private static let differences = ["match", "different certificate", "thumbprint", "fingerprint"]
    private static let absences = [
        "not found", "missing", "not present", "not provided", "not sent", "not supplied", "required",
        "no client",
        "without",
    ]
    private static let alternatives = [
        " secret", "client_secret", "password", "assertion", "api key", "private_key_jwt",
    ]
}
