internal import Captures
internal import LibCrypto

/// What the proxy answers to requests for itself: how to trust its authority, the certificate to trust, and
/// whether it is trusted.
struct SetUpPage {
    let certificate: Certificate
    /// The servers that it is good for; nil for all, and for more recordings than this one.
    var scope: CertificateScope? = nil
    /// Where the client found the proxy.
    let address: Origin?
    /// Where others on the network find it, the likeliest first; empty while it is on loopback only.
    let network: [Origin]
    /// Whether clients have to give a user name and password.
    var asksForPassword = false

    /// The name that shows, by being reached, that requests go by the proxy.
    private static let home = "http://\(OwnAddress.name)/"
    private static let checkedHome = "https://\(OwnAddress.name)"

    /// The answer to a request; its query is left out.
    func response(to request: OwnRequest) -> PlainResponse {
        switch String(request.path.prefix { $0 != "?" }) {
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
        case "/ca.mobileconfig":
            // Opened, not saved: by its type Safari offers to install it.
            PlainResponse(
                status: 200,
                mediaType: MobileConfiguration.mediaType,
                body: MobileConfiguration.bytes(for: certificate)
            )
        // In clear it would say what is not so.
        case "/check.svg" where request.way == .intercepted:
            PlainResponse(status: 200, mediaType: "image/svg+xml", body: Array(Self.sign.utf8))
        case "/", "":
            PlainResponse(
                status: 200,
                mediaType: "text/html; charset=utf-8",
                body: Array(page(for: request).utf8),
                imageSource: Self.checkedHome
            )
        default:
            .problem(404, "No such page", request.path, hint: "The set-up page is at \(Self.home)")
        }
    }

    // MARK: The page

    private func page(for request: OwnRequest) -> String {
        let platforms = ClientPlatform.ordered(for: request.userAgent)
        let isPhone = platforms.first == .appleMobile || platforms.first == .android
        let isKnown = !ClientPlatform.named(in: request.userAgent).isEmpty
        var text = PlainResponse.page(title: "authreel: trust the recorder", style: Self.style)
        text += "<h1>authreel is recording</h1>\n"
        text += standing(request.way)
        text += facts + (request.way == .intercepted ? "" : comparison)
        guard let instructions else { return text }
        if isKnown, let first = platforms.first {
            text += "<h2>\(first.title)</h2>\n" + instructions.html(for: first)
        }
        if !isPhone { text += phone }
        text += "<h2>\(isKnown ? "Other clients" : "Clients")</h2>\n"
        for platform in platforms.dropFirst(isKnown ? 1 : 0) {
            text +=
                "<details><summary>\(platform.title)</summary>\n\(instructions.html(for: platform))</details>\n"
        }
        if isPhone { text += phone }
        return text + "</html>\n"
    }

    private var instructions: SetUpInstructions? {
        guard let address else { return nil }
        // Another device cannot use the name or address by which this one reaches its own loopback.
        let isOnNetwork = network.contains(address)
        return SetUpInstructions(
            proxy: address,
            network: isOnNetwork ? address : network.first,
            asksForPassword: asksForPassword,
            certificate: certificate
        )
    }

    /// What can be said of this client's settings.
    private func standing(_ way: OwnRequest.Way) -> String {
        switch way {
        case .intercepted:
            """
            <p class="good"><strong>You are intercepted</strong>: this page came by https through the recorder. If you \
            had to click a warning away to see it, the certificate is not trusted yet. Otherwise there is nothing \
            more to do here: open your application in this browser.</p>

            """
        case .proxied:
            """
            <p>This client uses the proxy. The sign says whether it also trusts the certificate; so does \
            <a href="\(Self.checkedHome)/">\(Self.checkedHome)/</a>, by opening without a warning.</p>
            <p class="check"><img src="\(Self.checkedHome)/check.svg" alt="No green sign here? Then this client \
            does not trust the certificate yet: install it as described below, then reload this page."></p>

            """
        case .direct:
            """
            <p class="note">You opened the recorder's address directly, so this page cannot tell whether the client is \
            set up. Let it use the proxy <code>\(address?.description ?? "")</code> and trust the certificate, then open \
            <a href="\(Self.home)">\(Self.home)</a> in it: that page shows whether https is intercepted.</p>

            """
        }
    }

    private var password: String {
        asksForPassword
            ? "The proxy asks for a user name and password: whoever started the recorder has chosen them. "
            : ""
    }

    private var facts: String {
        let fingerprint = Digest.of(certificate.der).map { Hexadecimal.encode([$0], isUppercase: true) }
            .joined(separator: ":")
        let end = Timestamp(seconds: certificate.notAfter).rfc3339
        return """
            <p>What passes through this proxy is recorded. To record <code>https</code> too, the client has to trust \
            the recorder's certificate. It was made on the computer that the recorder runs on, for this alone, and its \
            key never leaves it. \(limits)\(password)<strong>Remove the trust when you are done.</strong></p>
            <dl><dt>Proxy</dt><dd><code>\(address?.description ?? "")</code></dd>
            <dt>Certificate</dt><dd>\(HTMLText.escaped(certificate.commonName))</dd>
            <dt>SHA-256</dt><dd><code>\(fingerprint.split(separator: ":").joined(separator: ":<wbr>"))</code></dd>
            <dt>Valid until</dt><dd>\(end.prefix(10)), \(end.dropFirst(11).prefix(5)) UTC</dd></dl>
            <ul class="files"><li><a href="/ca.mobileconfig">Profile</a> for iPhone, iPad and Mac</li>
            <li><a href="/ca.crt">Certificate, DER</a> for Android, Windows and Firefox</li>
            <li><a href="/ca.pem">Certificate, PEM</a> for Linux and runtimes</li></ul>

            """
    }

    private var limits: String {
        guard let scope else { return "" }
        return "It is good for this recording only, and for no servers but "
            + "<code>\(HTMLText.escaped(scope.description))</code>; other hosts are not recorded. "
    }

    /// How to know that nobody on the way put a certificate of theirs in place of ours.
    private var comparison: String {
        guard let address, !MachineAddresses.isLoopback(address.host) else { return "" }
        let origin = scope == nil ? "" : " of the file that it named at its start"
        return SetUpInstructions.paragraph(
            "The network did not protect this page. Compare the fingerprint with what the recorder's computer says\(origin):"
        )
            + SetUpInstructions.command(
                "openssl x509 -noout -fingerprint -sha256 -in "
                    + (scope == nil ? "\"$(authreel ca path)\"" : "authreel-ca.pem")
            )
    }

    // MARK: Phones

    private var phone: String {
        guard let first = instructions?.network else { return unreachable }
        let others = network.filter { $0 != first }
        var text = """
            <h2>A phone on the same network</h2>
            <p>Open <a href="http://\(first)/">http://\(first)/</a> on it; its proxy is <code>\(first)</code>.</p>
            \(Self.code(of: first))
            """
        if !others.isEmpty {
            text += "<p>This computer has other addresses, should that one not be the phone's network:</p>\n"
            for other in others {
                text += "<details><summary>http://\(other)/</summary>\n\(Self.code(of: other))</details>\n"
            }
        }
        return text
    }

    private static func code(of origin: Origin) -> String {
        let url = "http://\(origin)/"
        // An address is always short enough.
        guard let code = QRCode(Array(url.utf8)) else { return "" }
        return "<p class=\"code\">\(code.svg(name: "QR code of \(url)"))</p>\n"
    }

    private var unreachable: String {
        let port = address?.port ?? 8080
        return """
            <h2>A phone</h2>
            <p>A phone cannot reach this recorder as it runs now: it listens on this computer's loopback only. To let the \
            network in, start it so:</p>
            \(SetUpInstructions.command("authreel record --allow-remote --listen 0.0.0.0:\(port) --proxy-auth prompt"))\
            <p>An iPhone has a place for the user name and password that you type; on Android Chrome asks for them, and apps \
            cannot be told. Without <code>--proxy-auth</code> anyone on the network can use the proxy, and what they \
            send is recorded. An Android phone on a USB cable \
            needs no network:</p>
            \(SetUpInstructions.command("adb reverse tcp:\(port) tcp:\(port)", "adb shell settings put global http_proxy 127.0.0.1:\(port)"))
            """
    }

    // MARK: Looks

    private static let style = """
        h1{font-size:1.6rem;line-height:1.2}h2{font-size:1.25rem;margin-top:2rem}\
        pre{padding:.6rem .8rem;border-radius:.4rem;overflow-x:auto}pre code{background:none;padding:0}\
        dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}dt{font-weight:600}dd{margin:0;min-width:0}\
        details{border-top:1px solid #8886;padding:.2rem 0}summary{cursor:pointer;padding:.5rem 0;font-weight:600}\
        li{margin:.3rem 0}.files{padding-left:1.2rem}.code svg{width:14rem;max-width:100%;height:auto;display:block}\
        .check img{max-width:100%;font-weight:600}.good,.note{padding:.7rem .9rem;border-radius:.4rem}\
        .good{background:#dff5e5;color:#0a4d24}.note{background:#8881}\
        @media(prefers-color-scheme:dark){.good{background:#123d21;color:#c3f5d2}}\
        @media(max-width:40rem){pre{white-space:pre-wrap;font-size:.85rem}}\
        @media(max-width:26rem){dl{display:block}dd{margin-bottom:.5rem}}
        """

    /// Loads only where the certificate is trusted.
    private static let sign = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 260 64" width="260" height="64" role="img" \
        aria-label="https is intercepted: you are ready to record">\
        <rect width="260" height="64" rx="8" fill="#0b6330"/>\
        <path d="M18 33l8 8 15-18" fill="none" stroke="#fff" stroke-width="4"/>\
        <text fill="#fff" font-family="system-ui,sans-serif" font-size="16">\
        <tspan x="54" y="28">https is intercepted:</tspan><tspan x="54" y="49">you are ready to record</tspan>\
        </text></svg>
        """
}
