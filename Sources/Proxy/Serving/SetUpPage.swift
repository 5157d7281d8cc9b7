internal import LibCrypto

/// What the proxy answers to requests for itself: how to trust its authority, and the certificate to trust.
struct SetUpPage {
    let certificate: Certificate

    /// The answer for a path, query and all that left out.
    func response(to path: String) -> PlainResponse {
        switch String(path.prefix { $0 != "?" }) {
        case "/ca.pem":
            PlainResponse(
                status: 200,
                mediaType: "application/x-pem-file",
                body: Array(certificate.pem.utf8),
                fileName: "authreel-ca.pem"
            )
        case "/ca.crt", "/ca.cer", "/ca.der":
            // The type by which phones and browsers offer to install it.
            PlainResponse(
                status: 200,
                mediaType: "application/x-x509-ca-cert",
                body: certificate.der,
                fileName: "authreel-ca.crt"
            )
        case "/", "":
            PlainResponse(status: 200, mediaType: "text/html; charset=utf-8", body: Array(page.utf8))
        default: .problem(404, "No such page", path, hint: "The set-up page is at http://authreel.proxy/")
        }
    }

    private var page: String {
        PlainResponse.page(title: "authreel: trust the recorder")
            + """
            <h1>authreel is recording</h1>
            <p>Requests sent through this proxy are recorded. To record <code>https</code> too, the client has to trust
            this recorder's certificate (<code>\(PlainResponse.escape(certificate.subject))</code>), which was made on this
            machine and whose key never leaves it. Remove the trust when you are done.</p>
            <ul><li><a href="/ca.pem">Certificate as PEM</a> (Linux, Firefox, Node, Python, curl)</li>
            <li><a href="/ca.crt">Certificate as DER</a> (Windows, Android, iOS)</li></ul>
            <h2>One command</h2>
            <pre>curl --proxy http://HOST:PORT --cacert authreel-ca.pem https://…
            NODE_EXTRA_CA_CERTS=authreel-ca.pem node …
            SSL_CERT_FILE=authreel-ca.pem REQUESTS_CA_BUNDLE=authreel-ca.pem python3 …</pre>
            <h2>The whole system</h2>
            <p>Debian, Ubuntu: copy the PEM file to <code>/usr/local/share/ca-certificates/authreel.crt</code>, run
            <code>sudo update-ca-certificates</code>. Fedora: <code>sudo trust anchor authreel-ca.pem</code>. macOS:
            <code>security add-trusted-cert -r trustRoot -k ~/Library/Keychains/login.keychain-db authreel-ca.pem</code>.
            Windows: <code>certutil -user -addstore Root authreel-ca.crt</code>. Firefox has a store of its own: Settings,
            Certificates, Authorities, Import. iOS: install the profile, then switch on full trust under General, About,
            Certificate Trust Settings.</p>

            """
    }
}
