import Captures

/// Why a request got no answer, by the words of browsers, systems and recorders.
package enum TransportFailure: Sendable, Equatable {
    /// The server's certificate was looked at and not accepted.
    case certificate
    /// Client and server found no way to speak TLS.
    case handshake
    /// No connection: no such name, nobody listening, no route, no answer in time.
    case unreachable
    /// The server took the connection and gave no answer: it hung up, or was silent for too long.
    case unanswered

    /// Nil for words of another kind: cancelled, blocked, or a client that refuses the recorder.
    package init?(_ words: String) {
        let words = words.lowercased()
        guard !Self.notOfTheServer.contains(where: words.containsBytes) else { return nil }
        if Self.proxies.contains(where: words.containsBytes) {
            self = .unreachable
        } else if let code = Self.systemCode(in: words) {
            switch code {
            case 1201...1204: self = .certificate
            case 1200, 1205, 1206: self = .handshake
            case 1001, 1003, 1004, 1009, 1022: self = .unreachable
            case 1005, 1011: self = .unanswered
            default: return nil
            }
        } else if Self.certificates.contains(where: words.containsBytes) {
            self = .certificate
        } else if (Self.handshakes + Self.alerts).contains(where: words.containsBytes) {
            self = .handshake
        } else if (Self.connections + Self.cleartext).contains(where: words.containsBytes) {
            self = .unreachable
        } else if Self.silences.contains(where: words.containsBytes) {
            self = .unanswered
        } else {
            return nil
        }
    }

    /// The number of an error of `NSURLErrorDomain`, without its sign.
    private static func systemCode(in words: String) -> Int? {
        guard let domain = words.utf8.firstRange(of: Array("nsurlerrordomain".utf8)) else { return nil }
        let rest = words.utf8[domain.upperBound...].prefix(40)
        guard let sign = rest.firstIndex(of: 0x2d) else { return nil }
        let digits = rest[rest.index(after: sign)...].prefix { $0.isASCIIDigit }
        return String(digits).flatMap { Int($0) }
    }

    // MARK: - Words, in lower case

    /// Between client and recorder, or by the client's own wish.
    private static let notOfTheServer = [
        "handshake with client", "client tls handshake", "of the client with the recorder",
        "client failed to negotiate",
        "does not trust the proxy's certificate", "err_aborted", "err_blocked_by", "ns_binding_aborted",
    ]

    /// Of another proxy on the way: whatever it is about, the server was not spoken to.
    private static let proxies = [
        "err_proxy_", "err_tunnel_connection_failed", "err_socks_connection_", "ns_error_proxy_",
        "ns_error_unknown_proxy_host",
    ]

    private static let certificates = [
        "err_cert_", "sec_error_unknown_issuer", "sec_error_expired_certificate",
        "sec_error_expired_issuer_certificate",
        "sec_error_untrusted", "sec_error_ca_cert_invalid", "mozilla_pkix_error_",
        "ssl_error_bad_cert_domain",
        "self signed certificate", "self-signed certificate", "self_signed_cert",
        "unable to get local issuer certificate", "unable_to_get_issuer_cert",
        "unable to verify the first certificate", "unable_to_verify_leaf_signature",
        "certificate_verify_failed", "certificate verify failed", "certificate has expired",
        "cert_has_expired",
        "err_tls_cert_altname_invalid", "pkix path building failed", "x509: certificate",
        "the certificate for this server is invalid",
        // Java and Android, .NET.
        "trust anchor for certification path", "certpathvalidatorexception", "sslpeerunverifiedexception",
        "nsurlerrorservercertificate", "untrustedroot", "trustfailure", "remote certificate is invalid",
        "certificate is not trusted",
        // Of a certificate for another name: Node, curl, Java, OkHttp, Python; then rustls and Windows, of any fault.
        "does not match certificate's altnames", "no alternative certificate subject name",
        "no subject alternative", "subjectaltnames: [", "hostname mismatch, certificate is not valid",
        "invalid peer certificate", "sec_e_untrusted_root", "sec_e_cert_expired", "sec_e_wrong_principal",
    ]

    private static let handshakes = [
        "err_ssl_", "err_bad_ssl_client_auth_cert", "handshake_failure", "handshake failure",
        "protocol_version", "protocol version", "unsupported protocol", "wrong version number",
        "server tls handshake failed",
        "certificate_required", "certificate required", "ssl_error_no_cypher_overlap",
        "ssl_error_unsupported_version", "ssl_error_rx_record_too_long", "ssl_error_handshake_failure_alert",
        "ssl_error_protocol_version_alert", "no_application_protocol", "sslhandshakeexception",
        "securechannelfailure", "the ssl connection could not be established",
        "nsurlerrorsecureconnectionfailed", "nsurlerrorclientcertificate", "an ssl error has occurred",
    ]

    /// Of an alert that the server sent: OpenSSL and Python, Java, Go, the recorder.
    private static let alerts = [
        "sslv3 alert ", "tlsv1 alert ", "tlsv13 alert ", "sslv3_alert_", "tlsv1_alert_", "tlsv13_alert_",
        "received fatal alert", "remote error: tls", "sent alert ", "sent tls alert ",
    ]

    /// Whether the server broke the handshake off over the client's certificate: it got none, or none that it takes (RFC 8446, section
    /// 6.2).
    package static func isOfClientCertificate(_ words: String) -> Bool {
        let words = words.lowercased()
        guard TransportFailure(words) == .handshake else { return false }
        if clientCertificates.contains(where: words.containsBytes) { return true }
        return alerts.contains(where: words.containsBytes)
            && refusedCertificates.contains(where: words.containsBytes)
    }

    private static let clientCertificates = [
        "client_auth_cert", "nsurlerrorclientcertificate", "certificate required", "certificate_required",
        "certificaterequired",
    ]

    /// Of alerts that a client gets for its certificate, and for nothing else.
    private static let refusedCertificates = [
        "bad certificate", "bad_certificate", "badcertificate", "unsupported certificate",
        "unsupported_certificate", "certificate revoked", "certificate_revoked", "certificate expired",
        "certificate_expired", "certificate unknown", "certificate_unknown", "unknown certificate",
        "unknown ca", "unknown_ca", "access denied", "access_denied",
    ]

    private static let connections = [
        "err_name_not_resolved", "err_connection_refused", "err_connection_timed_out", "err_timed_out",
        "err_internet_disconnected", "err_address_unreachable", "econnrefused", "enotfound", "etimedout",
        "ehostunreach", "enetunreach", "eai_again", "connection refused", "connection timed out",
        "connection rejected by",
        "name or service not known",
        "nodename nor servname", "no such host", "no address associated with hostname",
        "ns_error_unknown_host",
        "ns_error_connection_refused", "ns_error_net_timeout", "ns_error_offline",
        // Java and Android, .NET, React Native.
        "failed to connect to", "unable to resolve host", "unknownhostexception",
        "noroutetohostexception",
        "nameresolutionfailure", "connectfailure", "no route to host", "network is unreachable",
        "connectexception", "network request failed", "connect timed out",
        "target machine actively refused", "connect: operation timed out", "dial tcp", "[errno 60]",
        "[errno 110]",
        // Apple's names for its numbers, and what it tells people of them.
        "nsurlerrorcannotfindhost", "nsurlerrorcannotconnecttohost", "nsurlerrordnslookupfailed",
        "nsurlerrornotconnectedtointernet", "nsurlerrortimedout",
        "server with the specified hostname could not be found", "could not connect to the server",
        "internet connection appears to be offline",
    ]

    /// The client's own system lets it ask nothing in clear.
    private static let cleartext = [
        "cleartext communication", "err_cleartext_not_permitted", "cleartext http traffic",
        "nsurlerrorapptransportsecurity",
    ]

    /// Whether it was the client's own system that refused to speak plain http: Android's network security configuration, or
    /// App Transport Security of iOS.
    package static func isOfCleartext(_ words: String) -> Bool {
        let words = words.lowercased()
        return cleartext.contains(where: words.containsBytes) || systemCode(in: words) == 1022
    }

    /// Whether time ran out, without a word on whether the server had been reached by then: the request may have arrived.
    package static func isTimeout(_ words: String) -> Bool {
        let words = words.lowercased()
        return systemCode(in: words) == 1001
            || ["err_timed_out", "nsurlerrortimedout", "ns_error_net_timeout"].contains(
                where: words.containsBytes
            )
    }

    private static let silences = [
        "err_empty_response", "err_incomplete_chunked_encoding", "err_content_length_mismatch",
        "err_connection_reset", "err_connection_closed", "err_http2_protocol_error",
        "err_http2_ping_failed", "err_http2_server_refused_stream", "err_quic_protocol_error",
        "ns_error_net_reset",
        "ns_error_net_interrupt", "ns_error_net_empty_response", "ns_error_net_partial_transfer",
        "econnreset",
        "socket hang up", "und_err_socket", "und_err_headers_timeout", "connection reset",
        "connection aborted",
        "connection was reset", "connection closed without response", "connection lost",
        "server disconnected",
        "the provider closed the connection", "the server closed the connection", "empty reply from server",
        "failed to respond", "unexpected end of file from server", "read timed out", "read timeout",
        "timeout awaiting response", "did not return a complete response", "connection closed by the server",
        "connection closed by the upstream proxy", "closed the connection before it was asked anything",
        // One stream of HTTP/2 or HTTP/3, in the recorder's words.
        "the provider broke off the answer", "the provider closes the connection",
        "sockettimeoutexception", "timeout exceeded", "operation timed out", "request timed out",
        "receivefailure", "unexpected end of stream",
        "nsurlerrornetworkconnectionlost", "network connection was lost", "nsurlerrorbadserverresponse",
        // A client's own timer: curl, axios, Node, Go, .NET, Python.
        "timeout was reached", "timeout of", "und_err_body_timeout", "esockettimedout",
        "aborted due to timeout",
        "signal timed out", "deadline exceeded", "httpclient.timeout", "readtimeout", "servertimeouterror",
    ]
}
